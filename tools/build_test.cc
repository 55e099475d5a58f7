// build and dump as commands: files, messages, exit codes.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/page/page_mask.h"
#include "tests/support/fixtures.h"
#include "tools/command.h"

namespace tornleaf {
namespace {

namespace fs = std::filesystem;

class BuildCommandTest : public testing::Test {
 protected:
  BuildCommandTest() {
    std::string name = testing::TempDir() + "build-XXXXXX";
    CHECK(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~BuildCommandTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  void WriteFile(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }

  // Runs a command line; results go to out_, messages to complaint_.
  int Run(std::vector<std::string> words) {
    words.insert(words.begin(), "tornleaf");
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    const std::string result = Path("standard-output");
    const int descriptor = ::open(result.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(descriptor >= 0);
    testing::internal::CaptureStderr();
    int code = -1;
    {
      Output out(descriptor);
      code = RunCommandLine(static_cast<int>(arguments.size()), arguments.data(), &out);
    }
    complaint_ = testing::internal::GetCapturedStderr();
    ::close(descriptor);
    out_ = ReadWholeFile(result);
    fs::remove(result);
    return code;
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
  std::string out_;
  std::string complaint_;
};

std::vector<std::uint8_t> Masked(std::vector<std::uint8_t> image, std::uint32_t page_size) {
  for (std::size_t begin = 0; begin + page_size <= image.size(); begin += page_size) {
    MaskPage(MutableBytes(image).subspan(begin, page_size));
  }
  return image;
}

// The sentence: build of a dump gives the same bytes as a fresh CREATE INDEX.
TEST_F(BuildCommandTest, BuildOfADumpIsTheServersIndex) {
  for (const std::string& name : FixtureNames()) {
    const Fixture fixture = LoadFixture(name);
    if (!fixture.rebuildable) continue;
    SCOPED_TRACE(name);
    WriteFile("index", std::string(fixture.index.begin(), fixture.index.end()));
    ASSERT_EQ(Run({"dump", Path("index"), "--schema", fixture.schema}), 0) << complaint_;
    EXPECT_EQ(complaint_, "");
    WriteFile("rows.tsv", out_);
    std::vector<std::string> build = {"build",
                                      "--force",
                                      "--sorted",
                                      "--schema",
                                      fixture.schema,
                                      "--fillfactor",
                                      std::to_string(fixture.fillfactor),
                                      "--page-size",
                                      std::to_string(fixture.page_size),
                                      "-o",
                                      Path("built"),
                                      Path("rows.tsv")};
    if (!fixture.deduplicate) build.emplace_back("--no-dedup");
    if (fixture.checksums) build.emplace_back("--checksums");
    ASSERT_EQ(Run(build), 0) << complaint_;
    const std::string built = ReadWholeFile(Path("built"));
    EXPECT_TRUE(Masked({built.begin(), built.end()}, fixture.page_size) ==
                Masked(fixture.index, fixture.page_size));
  }
  EXPECT_EQ(Files(), (std::vector<std::string>{"built", "index", "rows.tsv"}));
}

TEST_F(BuildCommandTest, SaysWhatWasBuilt) {
  WriteFile("rows.tsv", "2\t(0,1)\n1\t(0,2)\n");
  const std::vector<std::string> build = {"build", "--force",   "--schema",       "int4",
                                          "-o",    Path("new"), Path("rows.tsv"), "--format"};
  const auto run_as = [&](const char* format) {
    std::vector<std::string> words = build;
    words.emplace_back(format);
    EXPECT_EQ(Run(words), 0) << complaint_;
    return out_;
  };
  EXPECT_EQ(run_as("text"), Path("new") + ": 2 rows, 2 pages, 16,384 bytes\n");
  EXPECT_EQ(run_as("json"), "{\"schema\":\"tornleaf.build/1\",\"file\":\"" + Path("new") +
                                "\",\"rows\":2,\"pages\":2,\"bytes\":16384}\n");
  EXPECT_EQ(run_as("csv"), "file,rows,pages,bytes\n" + Path("new") + ",2,2,16384\n");
}

TEST_F(BuildCommandTest, DumpHasThreeForms) {
  WriteFile("rows.tsv", "a\\tb\t\\N\t(0,2)\n\t7\t(0,1)\n");
  const std::string schema = "text collate C; include int4";
  ASSERT_EQ(Run({"build", "--schema", schema, "-o", Path("new"), Path("rows.tsv")}), 0);
  EXPECT_EQ(Run({"dump", Path("new"), "--schema", schema}), 0);
  EXPECT_EQ(out_, "\t7\t(0,1)\na\\tb\t\\N\t(0,2)\n");
  EXPECT_EQ(Run({"dump", Path("new"), "--schema", schema, "--format", "csv"}), 0);
  EXPECT_EQ(out_, "key1,include1,tid\n,7,\"(0,1)\"\na\tb,,\"(0,2)\"\n");
  EXPECT_EQ(Run({"dump", Path("new"), "--schema", schema, "--format", "json"}), 0);
  EXPECT_EQ(out_,
            "{\"schema\":\"tornleaf.dump/1\",\"columns\":[\"\",\"7\"],\"tid\":\"(0,1)\"}\n"
            "{\"schema\":\"tornleaf.dump/1\",\"columns\":[\"a\\tb\",null],\"tid\":\"(0,2)\"}\n");
}

TEST_F(BuildCommandTest, ABadRowLeavesNothingBehind) {
  WriteFile("rows.tsv", "1\t(0,1)\nx\t(0,2)\n");
  EXPECT_EQ(Run({"build", "--schema", "int4", "-o", Path("new"), Path("rows.tsv")}), 1);
  EXPECT_EQ(out_, "");
  EXPECT_EQ(complaint_, "tornleaf: build: " + Path("rows.tsv") +
                            ": line 2: field 1 (int4): 'x' is no int4: expected a decimal "
                            "number\n");
  EXPECT_EQ(Files(), std::vector<std::string>{"rows.tsv"});
}

TEST_F(BuildCommandTest, AnExistingFileIsReplacedOnlyWithForce) {
  WriteFile("rows.tsv", "1\t(0,1)\n");
  WriteFile("new", "something else");
  std::vector<std::string> build = {"build", "--schema",  "int4",
                                    "-o",    Path("new"), Path("rows.tsv")};
  EXPECT_EQ(Run(build), 1);
  EXPECT_EQ(complaint_, "tornleaf: build: " + Path("new") + ": exists; --force replaces it\n");
  EXPECT_EQ(ReadWholeFile(Path("new")), "something else");
  build.emplace_back("--force");
  EXPECT_EQ(Run(build), 0);
  EXPECT_EQ(ReadWholeFile(Path("new")).size(), 2U * 8192);
}

TEST_F(BuildCommandTest, OptionsReachThePages) {
  WriteFile("rows.tsv", "aaa\t(0,1)\n");
  EXPECT_EQ(Run({"build", "--schema", "text storage plain", "-o", Path("new"), "--page-size", "512",
                 "--lsn", "1/A2", "--checksums", "--long-headers", Path("rows.tsv")}),
            0)
      << complaint_;
  const std::string image = ReadWholeFile(Path("new"));
  ASSERT_EQ(image.size(), 2U * 512);
  const std::vector<std::uint8_t> leaf(image.begin() + 512, image.end());
  const PageView page(leaf);
  EXPECT_EQ(page.lsn(), 0x1000000A2U);
  EXPECT_EQ(page.checksum(), ComputeChecksum(leaf, 1));
  const LinePointer item = page.line_pointer(1);
  // Header of the tuple, then of the value: four bytes, seven with the value.
  EXPECT_EQ(LoadLittleEndian<std::uint32_t>(leaf.data() + item.offset + 8), 7U << 2);
}

TEST_F(BuildCommandTest, WrongOptionsAreSaidToBe) {
  WriteFile("rows.tsv", "1\t(0,1)\n");
  struct Case {
    std::vector<std::string> words;
    const char* part;
  };
  const Case cases[] = {
      {{"--schema", "int4", "--lsn", "5"}, "--lsn '5': expected two hex numbers"},
      {{"--schema", "int4", "--lsn", "123456789/0"}, "--lsn '123456789/0'"},
      {{"--schema", "int4", "--page-size", "1000"}, "--page-size"},
      {{"--schema", "int4", "--fillfactor", "9"}, "--fillfactor"},
      {{"--schema", "integre"}, "--schema 'integre'"},
      {{"--schema", "text collate en_US.UTF-8"}, "say --sorted"},
  };
  for (const Case& wrong : cases) {
    std::vector<std::string> words = {"build", "-o", Path("new"), Path("rows.tsv")};
    words.insert(words.end(), wrong.words.begin(), wrong.words.end());
    EXPECT_EQ(Run(words), 1);
    EXPECT_NE(complaint_.find(wrong.part), std::string::npos) << complaint_;
  }
  EXPECT_EQ(Files(), std::vector<std::string>{"rows.tsv"});
}

TEST_F(BuildCommandTest, DumpOfADamagedIndexSaysWhereAndExitsWithTwo) {
  const Fixture fixture = LoadFixture("int4");
  std::string image(fixture.index.begin(), fixture.index.end());
  image.replace(2 * std::size_t{fixture.page_size}, 8192, 8192, '\0');
  WriteFile("index", image);
  EXPECT_EQ(Run({"dump", Path("index"), "--schema", "int4"}), 2);
  EXPECT_NE(out_, "") << "the rows before it";
  EXPECT_EQ(complaint_, "tornleaf: dump: " + Path("index") +
                            ": block 2: is a page of zeros; tornleaf check says more\n");
}

TEST_F(BuildCommandTest, DumpCountsTheRowsItLeavesOut) {
  const Fixture fixture = LoadFixture("dead-items");
  WriteFile("index", std::string(fixture.index.begin(), fixture.index.end()));
  EXPECT_EQ(Run({"dump", Path("index"), "--schema", fixture.schema}), 0);
  EXPECT_NE(complaint_.find(" rows left out, whose items are marked dead\n"), std::string::npos)
      << complaint_;
}

}  // namespace
}  // namespace tornleaf

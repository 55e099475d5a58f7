// Databases that are not whole: half made, or with files missing, damaged or of another kind. Each
// is refused in one line that says what and where.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "engine/db/control_file.h"
#include "engine/db/db_test_util.h"
#include "engine/db/index_copy.h"
#include "engine/db/schema_file.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class DamageTest : public DatabaseTest {
 protected:
  // A database with some rows, closed in order or not.
  void MakeWithRows(bool close) {
    Make();
    const auto database = Open();
    for (std::uint32_t number = 0; number < 800; ++number) {
      ASSERT_TRUE(PutRow(database.get(), {static_cast<std::int32_t>(number), TidOf(number)}).ok());
    }
    ASSERT_TRUE(database->Sync().ok());
    if (close) {
      ASSERT_EQ(database->Close(), absl::OkStatus());
    }
  }

  void ExpectRefusal(absl::StatusCode code, const std::string& words) {
    const absl::Status status = OpenStatus();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(words));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("\n")));
  }

  void Overwrite(const std::string& name, std::size_t offset, const std::string& bytes) {
    auto file = *world_.device.Get(Path(name));
    std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
    world_.device.Put(Path(name), file);
  }

  std::vector<std::string> Segments() { return *world_.device.List(Path("wal")); }
};

TEST_F(DamageTest, NoDirectory) { ExpectRefusal(absl::StatusCode::kNotFound, "d: no such"); }

TEST_F(DamageTest, AnEmptyDirectory) {
  ASSERT_EQ(world_.device.MakeDirectory(kTestDirectory), absl::OkStatus());
  ExpectRefusal(absl::StatusCode::kNotFound, "d: no database");
}

TEST_F(DamageTest, MissingFiles) {
  MakeWithRows(true);
  const MemoryFiles whole = world_.device.Snapshot();
  const std::pair<const char*, const char*> cases[] = {
      {"index", "d/index: the file is missing"},
      {"dead_rows", "d/dead_rows: the file is missing"},
      {"schema", "d/schema: the file is missing"}};
  for (const auto& [name, words] : cases) {
    world_.device.Restore(whole);
    ASSERT_EQ(world_.device.Remove(Path(name)), absl::OkStatus());
    ExpectRefusal(absl::StatusCode::kDataLoss, words);
  }
  world_.device.Restore(whole);
  ASSERT_EQ(world_.device.Remove(Path("control")), absl::OkStatus());
  ExpectRefusal(absl::StatusCode::kFailedPrecondition, "d/control: the file is missing");
}

// A list of deleted rows that has lost its end would bring them back.
TEST_F(DamageTest, AFileThatHasLostItsEnd) {
  for (const bool close : {true, false}) {
    SCOPED_TRACE(close);
    world_.device.Restore({});
    MakeWithRows(close);
    {
      const auto database = Open();
      ASSERT_NE(database, nullptr);
      for (std::uint32_t number = 0; number < 800; number += 2) {
        const TestRow row = {static_cast<std::int32_t>(number), TidOf(number)};
        ASSERT_EQ(DeleteRow(database.get(), row).value_or(false), true);
      }
      ASSERT_EQ(database->Checkpoint(), absl::OkStatus());
      if (close) {
        ASSERT_EQ(database->Close(), absl::OkStatus());
      }
    }
    const MemoryFiles whole = world_.device.Snapshot();
    for (const std::string name : {"index", "dead_rows"}) {
      const auto file = *world_.device.Get(Path(name));
      const std::size_t pages = file.size() / 512;
      ASSERT_GE(pages, 2U) << name;
      for (const std::size_t left : {std::size_t{0}, std::size_t{512}, file.size() - 1}) {
        world_.device.Restore(whole);
        auto cut = file;
        cut.resize(left);
        world_.device.Put(Path(name), cut);
        ExpectRefusal(absl::StatusCode::kDataLoss,
                      absl::StrCat("d/", name, ": ", left / 512, " pages, of the ", pages,
                                   " that the last checkpoint left"));
        EXPECT_EQ(world_.device.Get(Path(name))->size(), left);
      }
    }
    world_.device.Restore(whole);
    EXPECT_EQ(Open()->deleted_rows(), 400U);
    ExpectCleanCheck(&world_);
  }
}

TEST_F(DamageTest, EitherCopyOfTheControlFileIsEnough) {
  MakeWithRows(true);
  const MemoryFiles whole = world_.device.Snapshot();
  for (const std::size_t offset : wal::kControlCopyOffset) {
    world_.device.Restore(whole);
    Overwrite("control", offset + 20, "damage");
    const auto database = Open();
    ASSERT_NE(database, nullptr);
    EXPECT_EQ(*database->Count(), 800U);
  }
  world_.device.Restore(whole);
  for (const std::size_t offset : wal::kControlCopyOffset) {
    Overwrite("control", offset + 20, "damage");
  }
  ExpectRefusal(absl::StatusCode::kDataLoss, "d/control: both copies are damaged");
}

TEST_F(DamageTest, ADirectoryOfAnotherVersion) {
  MakeWithRows(true);
  for (const std::size_t offset : wal::kControlCopyOffset) {
    Overwrite("control", offset + wal::control_v1::kVersion.offset, "\x07");
  }
  ExpectRefusal(absl::StatusCode::kUnimplemented, "version 7");
}

TEST_F(DamageTest, AChangedSchemaFile) {
  MakeWithRows(true);
  Overwrite("schema", 10, "8");
  ExpectRefusal(absl::StatusCode::kDataLoss, "d/schema: its checksum does not fit");
}

TEST_F(DamageTest, NoLogAtAll) {
  MakeWithRows(false);
  for (const std::string& name : Segments()) {
    ASSERT_EQ(world_.device.Remove(Path("wal/" + name)), absl::OkStatus());
  }
  ExpectRefusal(absl::StatusCode::kDataLoss, "recovery needs the log from");
}

// What stands behind the damage is known to have been there, and it stays.
TEST_F(DamageTest, ALogWithAHoleIsNotTakenForItsBeginning) {
  Make();
  DatabaseOptions options = TestOptions();
  options.checkpoint_distance = UINT64_MAX;
  {
    const auto database = Open(options);
    for (std::uint32_t number = 0; number < 800; ++number) {
      ASSERT_TRUE(PutRow(database.get(), {static_cast<std::int32_t>(number), TidOf(number)}).ok());
    }
    ASSERT_TRUE(database->Sync().ok());
  }
  const MemoryFiles whole = world_.device.Snapshot();
  const std::vector<std::string> segments = Segments();
  ASSERT_GE(segments.size(), 4U);
  Overwrite("wal/" + segments[1], 1000, std::string(4, '\xA5'));
  ExpectRefusal(absl::StatusCode::kDataLoss, "d/wal: the log breaks off at ");
  EXPECT_EQ(Segments(), segments);
  world_.device.Restore(whole);
  ASSERT_EQ(world_.device.Remove(Path("wal/" + segments[1])), absl::OkStatus());
  ExpectRefusal(absl::StatusCode::kDataLoss, "no such segment) and goes on at ");
  world_.device.Restore(whole);
  EXPECT_EQ(*Open()->Count(), 800U);
}

// Pages that were written know log that is not there any more.
TEST_F(DamageTest, ALogThatHasLostItsLastPart) {
  MakeWithRows(true);
  const MemoryFiles old = world_.device.Snapshot();
  {
    const auto database = Open();
    for (std::uint32_t number = 800; number < 1600; ++number) {
      ASSERT_TRUE(PutRow(database.get(), {static_cast<std::int32_t>(number), TidOf(number)}).ok());
    }
    ASSERT_EQ(database->Close(), absl::OkStatus());
  }
  const auto index = *world_.device.Get(Path("index"));
  world_.device.Restore(old);
  world_.device.Put(Path("index"), index);
  auto database = Database::Open(world_.environment(), kTestDirectory, TestOptions());
  const absl::Status status = database.ok() ? (*database)->Count().status() : database.status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("lies beyond the log, which ended at "));
}

// The newest checkpoint's record lies behind its redo position: the log must reach it.
TEST_F(DamageTest, ALogThatEndsBeforeTheCheckpoint) {
  MakeWithRows(false);
  auto control = ControlFile::Open(&world_.device, Path("control"));
  ASSERT_TRUE(control.ok());
  wal::ControlData data = (*control)->data();
  data.checkpoint += 1 << 20;
  ASSERT_EQ((*control)->Write(data), absl::OkStatus());
  ExpectRefusal(absl::StatusCode::kDataLoss, "before the checkpoint at");
}

TEST_F(DamageTest, TheLogOfAnotherDatabase) {
  MakeWithRows(true);
  auto control = ControlFile::Open(&world_.device, Path("control"));
  ASSERT_TRUE(control.ok());
  wal::ControlData data = (*control)->data();
  ++data.system_identifier;
  ASSERT_EQ((*control)->Write(data), absl::OkStatus());
  ExpectRefusal(absl::StatusCode::kDataLoss, "the log of another database");
}

TEST_F(DamageTest, ADamagedPageIsNotRead) {
  MakeWithRows(true);
  Overwrite("index", 3 * 512 + 100, "damage");
  const auto database = Open();
  ASSERT_NE(database, nullptr);
  const absl::Status status = database->Count().status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("d/index: block 3"));
}

TEST_F(DamageTest, AMetapageOfZeros) {
  MakeWithRows(true);
  Overwrite("index", 0, std::string(512, '\0'));
  ExpectRefusal(absl::StatusCode::kDataLoss, "d/index: block 0: no metapage");
}

// Whatever call the machine stops at, there is a whole database, or what is no database and says
// so.
TEST_F(DamageTest, MakingIsWholeOrRefused) {
  int whole = 0;
  int refused = 0;
  for (std::uint64_t nth = 1;; ++nth) {
    SCOPED_TRACE(::testing::Message() << "change " << nth);
    TestEnvironment world(nth);
    world.device.Inject({.nth = nth, .for_ever = true, .torn = true});
    const absl::Status made =
        Database::Create(world.environment(), kTestDirectory, TestSchema(), TestFormat());
    world.device.ClearFaults();
    const Survival survival = static_cast<Survival>(nth % 3);
    world.device.Crash(survival);
    auto database = Database::Open(world.environment(), kTestDirectory, TestOptions());
    if (database.ok()) {
      ++whole;
      EXPECT_EQ(*(*database)->Count(), 0U);
    } else {
      ++refused;
      EXPECT_FALSE(made.ok());
      EXPECT_TRUE(absl::IsNotFound(database.status()) ||
                  absl::IsFailedPrecondition(database.status()))
          << database.status();
    }
    if (made.ok() || HasFailure()) break;
  }
  EXPECT_GT(whole, 0);
  EXPECT_GT(refused, 10);
}

TEST_F(DamageTest, MakesNothingOverSomething) {
  Make();
  const absl::Status status =
      Database::Create(world_.environment(), kTestDirectory, TestSchema(), TestFormat());
  EXPECT_TRUE(absl::IsAlreadyExists(status));
  EXPECT_THAT(std::string(status.message()), StartsWith("d: not empty (control)"));
}

TEST_F(DamageTest, FormatsThatCannotBe) {
  const auto refused = [&](auto change, const std::string& words) {
    DatabaseFormat format = TestFormat();
    change(&format);
    const absl::Status status =
        Database::Create(world_.environment(), kTestDirectory, TestSchema(), format);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(words));
    EXPECT_TRUE(absl::IsNotFound(world_.device.List(kTestDirectory).status()));
  };
  refused([](DatabaseFormat* format) { format->page_size = 1000; }, "page size 1000");
  refused([](DatabaseFormat* format) { format->log_page_bytes = 100; }, "log page size 100");
  refused([](DatabaseFormat* format) { format->log_segment_bytes = 1024; }, "log segment size");
  refused([](DatabaseFormat* format) { format->relation_segment_bytes = 512; }, "segments of 512");
  refused([](DatabaseFormat* format) { format->tree.fillfactor = 9; }, "fillfactor 9");
  const absl::Status libc = Database::Create(world_.environment(), kTestDirectory,
                                             TestSchema("text collate de_DE"), TestFormat());
  EXPECT_TRUE(absl::IsInvalidArgument(libc));
}

TEST(SchemaFile, IsReadAsItWasWritten) {
  TreeOptions tree;
  tree.fillfactor = 70;
  tree.deduplicate = false;
  const std::string text = SchemaFileText(TestSchema("text collate C desc; unique"), tree);
  const auto parsed = ParseSchemaFile(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->schema.ToString(), TestSchema("text collate C desc; unique").ToString());
  EXPECT_EQ(parsed->tree.fillfactor, 70U);
  EXPECT_FALSE(parsed->tree.deduplicate);
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(ParseSchemaFile(text.substr(0, size)).status())) << size;
  }
}

}  // namespace
}  // namespace tornleaf

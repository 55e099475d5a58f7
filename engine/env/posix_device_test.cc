#include "engine/env/posix_device.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace tornleaf {
namespace {

// A folder of its own for each test, removed afterwards.
class PosixDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/posix_device_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const char* name) const { return folder_ + "/" + name; }

  static ByteView Bytes(const char* text) {
    return {reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)};
  }

  PosixDevice device_;
  std::string folder_;
};

TEST_F(PosixDeviceTest, WritesAndReadsBack) {
  auto file = device_.Create(Path("a"));
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE((*file)->WriteAt(3, Bytes("hello")).ok());
  ASSERT_TRUE((*file)->Sync().ok());
  ASSERT_TRUE(device_.SyncDirectory(folder_).ok());
  EXPECT_EQ(*(*file)->Size(), 8u);

  auto read = device_.OpenRead(Path("a"));
  ASSERT_TRUE(read.ok()) << read.status();
  std::uint8_t buffer[16] = {0xFF, 0xFF, 0xFF};
  EXPECT_EQ(*ReadFully(read->get(), 0, buffer), 8u);
  EXPECT_EQ(std::memcmp(buffer, "\0\0\0hello", 8), 0);
  EXPECT_EQ(*(*read)->ReadAt(8, buffer), 0u);
  EXPECT_FALSE((*read)->WriteAt(0, Bytes("x")).ok()) << "opened read-only";
}

TEST_F(PosixDeviceTest, CreateLeavesAnExistingFileAlone) {
  std::ofstream(Path("a")) << "somebody's";
  EXPECT_TRUE(absl::IsAlreadyExists(device_.Create(Path("a")).status()));
  EXPECT_EQ(std::filesystem::file_size(Path("a")), 10u);
}

TEST_F(PosixDeviceTest, ASignalRemovesWhatIsNotFinished) {
  std::ofstream(Path("older")) << "x";
  const auto be_interrupted = [&] {
    PosixDevice::RemoveUnfinishedOnSignals();
    const auto unfinished = device_.Create(Path("unfinished"));
    const auto finished = device_.Create(Path("finished.partial"));
    device_.Rename(Path("finished.partial"), Path("finished")).IgnoreError();
    std::raise(SIGTERM);
  };
  EXPECT_EXIT(be_interrupted(), testing::KilledBySignal(SIGTERM), "");
  EXPECT_FALSE(std::filesystem::exists(Path("unfinished")));
  EXPECT_TRUE(std::filesystem::exists(Path("finished")));
  EXPECT_TRUE(std::filesystem::exists(Path("older")));
}

TEST_F(PosixDeviceTest, RenameReplacesAndRemoveRemoves) {
  std::ofstream(Path("a")) << "new";
  std::ofstream(Path("b")) << "older";
  ASSERT_TRUE(device_.Rename(Path("a"), Path("b")).ok());
  EXPECT_EQ(std::filesystem::file_size(Path("b")), 3u);
  ASSERT_TRUE(device_.Remove(Path("b")).ok());
  EXPECT_FALSE(std::filesystem::exists(Path("b")));
  EXPECT_TRUE(absl::IsNotFound(device_.Remove(Path("b"))));
  EXPECT_TRUE(absl::IsNotFound(device_.Rename(Path("a"), Path("b"))));
  EXPECT_TRUE(absl::IsNotFound(device_.SyncDirectory(Path("nowhere"))));
}

TEST_F(PosixDeviceTest, SaysWhatCannotBeOpened) {
  EXPECT_TRUE(absl::IsNotFound(device_.OpenRead(Path("missing")).status()));
  EXPECT_EQ(device_.OpenRead(Path("missing")).status().message(),
            Path("missing") + ": No such file or directory");
  EXPECT_EQ(device_.OpenRead(folder_).status().message(), folder_ + ": Is a directory");
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(device_.OpenRead(Path("pipe")).status().message(),
            Path("pipe") + ": Not a regular file");
  EXPECT_TRUE(absl::IsNotFound(device_.Create(Path("no/folder")).status()));
}

TEST_F(PosixDeviceTest, PermissionIsAskedFor) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  std::ofstream(Path("secret")) << "x";
  ASSERT_EQ(::chmod(Path("secret").c_str(), 0), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(device_.OpenRead(Path("secret")).status()));
}

}  // namespace
}  // namespace tornleaf

#include "engine/env/posix_device.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

  auto read = device_.Open(Path("a"), OpenMode::kRead);
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
    device_.RemoveUnfinishedOnSignals();
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
  EXPECT_TRUE(absl::IsNotFound(device_.Open(Path("missing"), OpenMode::kRead).status()));
  EXPECT_EQ(device_.Open(Path("missing"), OpenMode::kRead).status().message(),
            Path("missing") + ": No such file or directory");
  EXPECT_EQ(device_.Open(folder_, OpenMode::kRead).status().message(),
            folder_ + ": Is a directory");
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(device_.Open(Path("pipe"), OpenMode::kRead).status().message(),
            Path("pipe") + ": Not a regular file");
  EXPECT_TRUE(absl::IsNotFound(device_.Create(Path("no/folder")).status()));
}

TEST_F(PosixDeviceTest, AnExistingFileIsWrittenAndResized) {
  std::ofstream(Path("a")) << "somebody's";
  auto file = device_.Open(Path("a"), OpenMode::kReadWrite);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE(WriteFully(file->get(), 4, Bytes("where")).ok());
  ASSERT_TRUE((*file)->Resize(7).ok());
  ASSERT_TRUE((*file)->Resize(12).ok());
  std::uint8_t buffer[16] = {};
  EXPECT_EQ(*ReadFully(file->get(), 0, buffer), 12u);
  EXPECT_EQ(std::memcmp(buffer, "somewhe\0\0\0\0", 12), 0);
  const auto folder = device_.Open(folder_, OpenMode::kReadWrite);
  EXPECT_EQ(folder.status().message(), folder_ + ": Is a directory");
  EXPECT_TRUE(absl::IsFailedPrecondition(folder.status()));

  auto read_only = device_.Open(Path("a"), OpenMode::kRead);
  ASSERT_TRUE(read_only.ok());
  EXPECT_FALSE((*read_only)->Resize(1).ok());
}

TEST_F(PosixDeviceTest, FoldersAreMadeAndListed) {
  ASSERT_TRUE(device_.MakeDirectory(Path("sub")).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(device_.MakeDirectory(Path("sub"))));
  EXPECT_TRUE(absl::IsNotFound(device_.MakeDirectory(Path("no/sub"))));
  for (const char* name : {"b", "a", ".c", "B"}) std::ofstream(Path(name)) << name;
  const auto names = device_.List(folder_);
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(*names, (std::vector<std::string>{".c", "B", "a", "b", "sub"}));
  EXPECT_TRUE(device_.List(Path("sub"))->empty());
  EXPECT_TRUE(absl::IsNotFound(device_.List(Path("nowhere")).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(device_.List(Path("a")).status()));
}

TEST_F(PosixDeviceTest, WhatTheSystemRefusesIsSaid) {
  auto file = device_.Create(Path("a"));
  ASSERT_TRUE(file.ok());
  std::uint8_t byte = 0;
  constexpr std::uint64_t kTooFar = std::uint64_t{1} << 63;
  EXPECT_FALSE((*file)->ReadAt(kTooFar, MutableBytes(&byte, 1)).ok());
  EXPECT_FALSE((*file)->WriteAt(kTooFar, ByteView(&byte, 1)).ok());
  EXPECT_FALSE((*file)->Resize(kTooFar).ok());
  const absl::Status status = WriteFully(file->get(), kTooFar, Bytes("text"));
  EXPECT_EQ(status.message(), Path("a") + ": Invalid argument");
  EXPECT_EQ(*(*file)->Size(), 0u);
}

// A device that writes nothing, for ever, must not be asked for ever.
TEST_F(PosixDeviceTest, AWriteThatGetsNowhereEnds) {
  class StuckFile final : public File {
   public:
    absl::StatusOr<std::size_t> ReadAt(std::uint64_t, MutableBytes) override { return 0; }
    absl::StatusOr<std::size_t> WriteAt(std::uint64_t, ByteView) override { return 0; }
    absl::Status Resize(std::uint64_t) override { return absl::OkStatus(); }
    absl::Status Sync() override { return absl::OkStatus(); }
    absl::StatusOr<std::uint64_t> Size() override { return 0; }
  };
  StuckFile file;
  EXPECT_EQ(WriteFully(&file, 7, Bytes("text")).message(),
            "a write of 4 bytes at offset 7 wrote nothing");
  EXPECT_TRUE(WriteFully(&file, 7, {}).ok());
}

TEST_F(PosixDeviceTest, AFileExistsThatIsOne) {
  std::ofstream(Path("a")) << "x";
  EXPECT_TRUE(*FileExists(&device_, Path("a")));
  EXPECT_FALSE(*FileExists(&device_, Path("b")));
  EXPECT_TRUE(absl::IsFailedPrecondition(FileExists(&device_, folder_).status()));
  EXPECT_EQ(FolderOf("a/b/c"), "a/b");
  EXPECT_EQ(FolderOf("c"), ".");
  EXPECT_EQ(FolderOf("/c"), "/");
}

TEST_F(PosixDeviceTest, ALockIsHeldOnceAndDiesWithItsProcess) {
  auto lock = device_.Lock(folder_);
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_TRUE(absl::IsFailedPrecondition(device_.Lock(folder_).status()));
  lock->reset();

  // A process that has the lock and is killed, as soon as it has said so.
  int said[2] = {};
  ASSERT_EQ(::pipe(said), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto of_child = device_.Lock(folder_);
    const char ok = of_child.ok() ? 'y' : 'n';
    if (::write(said[1], &ok, 1) == 1) ::pause();
    ::_exit(0);
  }
  char ok = 0;
  ASSERT_EQ(::read(said[0], &ok, 1), 1);
  EXPECT_EQ(ok, 'y');
  EXPECT_TRUE(absl::IsFailedPrecondition(device_.Lock(folder_).status()));
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(said[0]);
  ::close(said[1]);
  EXPECT_TRUE(device_.Lock(folder_).ok());
  EXPECT_TRUE(absl::IsNotFound(device_.Lock(Path("nowhere")).status()));
}

TEST_F(PosixDeviceTest, OnlyTheDeviceThatWasAskedRemovesItsFiles) {
  const auto be_interrupted = [&] {
    PosixDevice other;
    other.RemoveUnfinishedOnSignals();
    const auto kept = device_.Create(Path("kept"));
    const auto removed = other.Create(Path("removed"));
    std::raise(SIGTERM);
  };
  EXPECT_EXIT(be_interrupted(), testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(std::filesystem::exists(Path("kept")));
  EXPECT_FALSE(std::filesystem::exists(Path("removed")));
}

TEST_F(PosixDeviceTest, PermissionIsAskedFor) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  std::ofstream(Path("secret")) << "x";
  ASSERT_EQ(::chmod(Path("secret").c_str(), 0), 0);
  EXPECT_TRUE(absl::IsPermissionDenied(device_.Open(Path("secret"), OpenMode::kRead).status()));
}

}  // namespace
}  // namespace tornleaf

#include "tests/support/memory_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/test_environment.h"

namespace tornleaf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kSector = MemoryFiles::kSectorBytes;

class MemoryDeviceTest : public ::testing::Test {
 protected:
  static ByteView View(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  std::unique_ptr<File> Make(const std::string& path) {
    auto file = device_.Create(path);
    CHECK(file.ok());
    return *std::move(file);
  }
  // A file with durable text under a durable name, open for writing.
  std::unique_ptr<File> Prepare(const std::string& path, std::string_view text) {
    device_.Put(path, View(text));
    return *device_.Open(path, OpenMode::kReadWrite);
  }
  std::string Text(const std::string& path) const {
    const std::optional<Bytes> bytes = device_.Get(path);
    return bytes.has_value() ? std::string(bytes->begin(), bytes->end()) : "(none)";
  }

  MemoryDevice device_{1};
};

TEST_F(MemoryDeviceTest, IsAFileSystem) {
  ASSERT_TRUE(device_.MakeDirectory("db").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(device_.MakeDirectory("db")));
  EXPECT_TRUE(absl::IsNotFound(device_.MakeDirectory("no/folder")));
  auto file = Make("db/b");
  ASSERT_TRUE(WriteFully(file.get(), 2, View("hello")).ok());
  EXPECT_EQ(Text("db/b"), std::string("\0\0hello", 7));
  ASSERT_TRUE(file->Resize(4).ok());
  ASSERT_TRUE(file->Resize(6).ok());
  EXPECT_EQ(*file->Size(), 6u);
  Bytes buffer(10, 0xFF);
  EXPECT_EQ(*ReadFully(file.get(), 1, buffer), 5u);
  EXPECT_EQ(std::memcmp(buffer.data(), "\0he\0\0", 5), 0);
  EXPECT_EQ(*file->ReadAt(6, buffer), 0u);

  EXPECT_TRUE(absl::IsAlreadyExists(device_.Create("db/b").status()));
  EXPECT_TRUE(absl::IsNotFound(device_.Create("nowhere/b").status()));
  Make("db/a");
  Make("c");
  EXPECT_THAT(*device_.List("db"), ElementsAre("a", "b"));
  EXPECT_THAT(*device_.List("."), ElementsAre("c", "db"));
  EXPECT_TRUE(absl::IsNotFound(device_.List("nowhere").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(device_.List("c").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(device_.Open("db", OpenMode::kRead).status()));
  EXPECT_EQ(device_.Open("d", OpenMode::kRead).status().message(), "d: No such file or directory");
  EXPECT_FALSE((*device_.Open("c", OpenMode::kRead))->WriteAt(0, View("x")).ok());
}

TEST_F(MemoryDeviceTest, OpenFilesOutliveTheirNames) {
  auto a = Prepare("a", "first");
  device_.Put("b", View("second"));
  ASSERT_TRUE(device_.Rename("a", "b").ok());
  EXPECT_EQ(Text("b"), "first");
  ASSERT_TRUE(WriteFully(a.get(), 0, View("F")).ok());
  EXPECT_EQ(Text("b"), "First");
  ASSERT_TRUE(device_.Remove("b").ok());
  Bytes buffer(5);
  EXPECT_EQ(*a->ReadAt(0, buffer), 5u);
  EXPECT_TRUE(absl::IsNotFound(device_.Remove("b")));
  EXPECT_TRUE(absl::IsNotFound(device_.Rename("b", "c")));
}

TEST_F(MemoryDeviceTest, ACrashForgetsWhatWasNotSynced) {
  auto file = Prepare("db/a", "durable");
  ASSERT_TRUE(WriteFully(file.get(), 0, View("DUR")).ok());
  ASSERT_TRUE(file->Sync().ok());
  ASSERT_TRUE(WriteFully(file.get(), 3, View("ABLE, and more")).ok());
  device_.Crash(Survival::kNothing);
  EXPECT_EQ(Text("db/a"), "DURable");

  // A synced file under a name that was not synced cannot be found.
  auto made = Make("db/new");
  ASSERT_TRUE(WriteFully(made.get(), 0, View("x")).ok());
  ASSERT_TRUE(made->Sync().ok());
  device_.Crash(Survival::kNothing);
  EXPECT_EQ(Text("db/new"), "(none)");

  made = Make("db/new");
  ASSERT_TRUE(WriteFully(made.get(), 0, View("x")).ok());
  ASSERT_TRUE(device_.SyncDirectory("db").ok());
  device_.Crash(Survival::kNothing);
  EXPECT_EQ(Text("db/new"), "") << "a durable name for a file whose bytes were not synced";

  ASSERT_TRUE(device_.Rename("db/a", "db/new").ok());
  device_.Crash(Survival::kNothing);
  EXPECT_EQ(Text("db/a"), "DURable");
  ASSERT_TRUE(device_.Rename("db/a", "db/new").ok());
  ASSERT_TRUE(device_.SyncDirectory("db").ok());
  device_.Crash(Survival::kNothing);
  EXPECT_EQ(Text("db/a"), "(none)");
  EXPECT_EQ(Text("db/new"), "DURable");
}

TEST_F(MemoryDeviceTest, AFileIsLostWithItsFolder) {
  ASSERT_TRUE(device_.MakeDirectory("db").ok());
  Make("db/a");
  ASSERT_TRUE(device_.SyncDirectory("db").ok());
  device_.Crash(Survival::kNothing);
  EXPECT_FALSE(device_.List("db").ok());
  EXPECT_EQ(Text("db/a"), "(none)");
}

TEST_F(MemoryDeviceTest, ACrashMayLeaveEverything) {
  auto file = Prepare("a", "old");
  ASSERT_TRUE(WriteFully(file.get(), 0, View("new")).ok());
  Make("b");
  device_.Crash(Survival::kEverything);
  EXPECT_EQ(Text("a"), "new");
  EXPECT_EQ(Text("b"), "");
}

TEST_F(MemoryDeviceTest, ACrashTearsBetweenSectors) {
  std::set<std::string> outcomes;
  std::set<std::string> names;
  auto file = Prepare("a", std::string(3 * kSector, '-'));
  ASSERT_TRUE(WriteFully(file.get(), 0, View(std::string(3 * kSector, 'x'))).ok());
  device_.Put("b", View("b"));
  ASSERT_TRUE(device_.Rename("b", "c").ok());
  const MemoryFiles before = device_.Snapshot();
  for (int round = 0; round < 200; ++round) {
    device_.Restore(before);
    device_.Crash(Survival::kSome);
    const std::string text = Text("a");
    ASSERT_EQ(text.size(), 3 * kSector);
    std::string sectors;
    for (std::size_t sector = 0; sector < 3; ++sector) {
      const std::string part = text.substr(sector * kSector, kSector);
      ASSERT_EQ(part, std::string(kSector, part[0])) << "a sector is never torn";
      sectors += part[0];
    }
    outcomes.insert(sectors);
    names.insert(Text("b") + Text("c"));
  }
  EXPECT_EQ(outcomes.size(), 8u) << "every mixture of three sectors";
  EXPECT_THAT(names, ElementsAre("(none)b", "b(none)")) << "a rename happens whole or not at all";
}

TEST_F(MemoryDeviceTest, TheSameSeedGivesTheSameCrash) {
  const auto crash = [](std::uint64_t seed) {
    MemoryDevice device(seed);
    auto file = *device.Create("a");
    CHECK(WriteFully(file.get(), 0, Bytes(64 * kSector, 1)).ok());
    CHECK(device.SyncDirectory(".").ok());
    device.Crash(Survival::kSome);
    return device.Get("a");
  };
  EXPECT_EQ(crash(7), crash(7));
  EXPECT_NE(crash(7), crash(8));
}

TEST_F(MemoryDeviceTest, NothingOfBeforeTheCrashWorks) {
  auto file = Prepare("db/a", "x");
  auto lock = device_.Lock("db");
  ASSERT_TRUE(lock.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(device_.Lock("db").status()));
  device_.Crash(Survival::kNothing);
  EXPECT_FALSE(file->WriteAt(0, View("y")).ok());
  EXPECT_FALSE(file->Sync().ok());
  EXPECT_FALSE(file->Size().ok());
  auto lock_after = device_.Lock("db");
  ASSERT_TRUE(lock_after.ok()) << "it ended with the process";
  lock->reset();
  EXPECT_FALSE(device_.Lock("db").ok()) << "the old holder must not give up the new one's";
  lock_after->reset();
  EXPECT_TRUE(device_.Lock("db").ok());
  EXPECT_TRUE(absl::IsNotFound(device_.Lock("nowhere").status()));
}

TEST_F(MemoryDeviceTest, TheNthCallFailsOnceOrForEver) {
  auto file = Prepare("a", "");
  device_.Inject({.call = DeviceCall::kWrite, .nth = 2});
  EXPECT_TRUE(file->WriteAt(0, View("1")).ok());
  EXPECT_EQ(file->WriteAt(0, View("2")).status().message(), "a: Input/output error");
  EXPECT_TRUE(file->WriteAt(0, View("3")).ok());
  EXPECT_EQ(Text("a"), "3");

  device_.Inject({.nth = 2, .for_ever = true, .error = ENOSPC});
  EXPECT_TRUE(file->Resize(5).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(device_.Create("b").status()));
  EXPECT_FALSE(file->Sync().ok());
  EXPECT_FALSE(file->Resize(1).ok());
  EXPECT_FALSE(device_.Rename("a", "b").ok());
  EXPECT_FALSE(device_.Remove("a").ok());
  EXPECT_FALSE(device_.MakeDirectory("c").ok());
  EXPECT_FALSE(device_.SyncDirectory(".").ok());
  EXPECT_TRUE(device_.Open("a", OpenMode::kRead).ok()) << "it changes nothing";
  EXPECT_TRUE(device_.List(".").ok());
  EXPECT_EQ(device_.faults_fired(), 8u);
  device_.ClearFaults();
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_EQ(*file->Size(), 5u);

  EXPECT_EQ(device_.calls(DeviceCall::kWrite), 3u);
  EXPECT_EQ(device_.calls(DeviceCall::kSync), 2u);
  EXPECT_EQ(device_.changes(), 12u);
}

TEST_F(MemoryDeviceTest, FaultsAreForPathsAndForBytes) {
  auto log = Prepare("wal/1", std::string(100, 'l'));
  auto index = Prepare("index", std::string(100, 'i'));
  device_.Inject({.call = DeviceCall::kSync, .for_ever = true, .path_part = "wal/"});
  EXPECT_TRUE(index->Sync().ok());
  EXPECT_FALSE(log->Sync().ok());

  device_.Inject({.call = DeviceCall::kRead, .for_ever = true, .path_part = "index", .offset = 50});
  Bytes buffer(50);
  EXPECT_TRUE(index->ReadAt(0, buffer).ok());
  EXPECT_FALSE(index->ReadAt(1, buffer).ok());
  EXPECT_FALSE(index->ReadAt(50, buffer).ok());
  EXPECT_TRUE(index->ReadAt(51, buffer).ok());
  EXPECT_TRUE(log->ReadAt(50, buffer).ok());
}

TEST_F(MemoryDeviceTest, AWriteThatFailsMayHaveWrittenAPart) {
  auto file = Prepare("a", std::string(100, '-'));
  device_.Inject({.call = DeviceCall::kWrite, .for_ever = true, .torn = true});
  std::set<std::size_t> written;
  for (int round = 0; round < 50; ++round) {
    device_.Put("a", View(std::string(100, '-')));
    EXPECT_FALSE(file->WriteAt(0, View(std::string(100, 'x'))).ok());
    const std::string text = Text("a");
    const std::size_t count = std::min(text.find('-'), text.size());
    EXPECT_EQ(text, std::string(count, 'x') + std::string(100 - count, '-'));
    written.insert(count);
  }
  EXPECT_GT(written.size(), 10u);
}

TEST_F(MemoryDeviceTest, WhatAFailedSyncLeaves) {
  const auto fail = [&](FailedSync outcome) {
    auto file = Prepare("a", std::string(8 * kSector, '-'));
    device_.ClearFaults();
    device_.Inject({.call = DeviceCall::kSync, .failed_sync = outcome});
    CHECK(WriteFully(file.get(), 0, View(std::string(8 * kSector, 'x'))).ok());
    EXPECT_FALSE(file->Sync().ok());
    const std::string seen = Text("a");
    EXPECT_TRUE(file->Sync().ok()) << "the second one believes that there is nothing to do";
    device_.Crash(Survival::kEverything);
    const std::string after = Text("a");
    const auto share = std::count(after.begin(), after.end(), 'x') / std::ptrdiff_t{kSector};
    return std::make_pair(seen[0], share);
  };
  EXPECT_EQ(fail(FailedSync::kStillDirty), std::make_pair('x', std::ptrdiff_t{8}));
  EXPECT_EQ(fail(FailedSync::kMarkedClean), std::make_pair('x', std::ptrdiff_t{0}));
  EXPECT_EQ(fail(FailedSync::kCacheDropped), std::make_pair('-', std::ptrdiff_t{0}));
  const auto [seen, share] = fail(FailedSync::kSomeWritten);
  EXPECT_EQ(seen, 'x');
  EXPECT_GT(share, 0);
  EXPECT_LT(share, 8);
}

TEST_F(MemoryDeviceTest, TransfersMayBeShort) {
  device_.set_short_transfers(true);
  auto file = Make("a");
  std::set<std::size_t> counts;
  for (int round = 0; round < 100; ++round) {
    counts.insert(*file->WriteAt(0, Bytes(100)));
  }
  EXPECT_GT(counts.size(), 10u);
  EXPECT_FALSE(counts.contains(0));
  const std::string text = "all of it arrives, in the end, and in its place";
  ASSERT_TRUE(WriteFully(file.get(), 0, View(text)).ok());
  Bytes buffer(text.size());
  ASSERT_EQ(*ReadFully(file.get(), 0, buffer), text.size());
  EXPECT_EQ(std::string(buffer.begin(), buffer.end()), text);
}

TEST_F(MemoryDeviceTest, TheDiskGetsFull) {
  device_.set_capacity(3 * MemoryFiles::kBlockBytes);
  auto file = Make("a");
  ASSERT_TRUE(file->Resize(100 * MemoryFiles::kBlockBytes).ok()) << "a hole takes no room";
  EXPECT_EQ(*file->WriteAt(0, Bytes(2 * MemoryFiles::kBlockBytes)), 2 * MemoryFiles::kBlockBytes);
  EXPECT_EQ(*file->WriteAt(10 * MemoryFiles::kBlockBytes, Bytes(2 * MemoryFiles::kBlockBytes)),
            MemoryFiles::kBlockBytes)
      << "a part of it fits";
  EXPECT_TRUE(absl::IsResourceExhausted(file->WriteAt(90'000, Bytes(1)).status()));
  EXPECT_TRUE(file->WriteAt(100, Bytes(1000)).ok()) << "over what is there";
  auto other = Make("b");
  EXPECT_FALSE(other->WriteAt(0, Bytes(1)).ok());
  ASSERT_TRUE(device_.Remove("a").ok());
  EXPECT_TRUE(other->WriteAt(0, Bytes(1)).ok());
}

TEST(TestEnvironmentTest, TimePasses) {
  TestEnvironment test;
  const Environment environment = test.environment();
  const std::int64_t begin = environment.clock->NowMicroseconds();
  EXPECT_GT(environment.clock->NowMicroseconds(), begin);
  const std::int64_t date = environment.clock->UnixSeconds();
  test.clock.Advance(5'000'000);
  EXPECT_EQ(environment.clock->UnixSeconds(), date + 5);
  EXPECT_THAT(*environment.device->List("."), IsEmpty());
}

}  // namespace
}  // namespace tornleaf

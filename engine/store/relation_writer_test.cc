#include "engine/store/relation_writer.h"

#include <gtest/gtest.h>

#include <map>

namespace tornleaf {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Files in memory that remember whether they were synced, and a step that fails.
class FakeDevice final : public Device {
 public:
  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode) override {
    if (path == "folder") return absl::FailedPreconditionError("folder: Is a directory");
    if (!files.contains(path)) return absl::NotFoundError(path);
    return std::make_unique<FakeFile>(this, path);
  }
  absl::StatusOr<std::unique_ptr<File>> Create(const std::string& path) override {
    if (path.starts_with("nowhere/")) return absl::NotFoundError(path);
    if (files.contains(path)) return absl::AlreadyExistsError(path);
    files[path].clear();
    return std::make_unique<FakeFile>(this, path);
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    CHECK(files.contains(from));
    if (!synced.contains(from)) return absl::InternalError("renamed before it was durable");
    files[to] = files[from];
    files.erase(from);
    steps.push_back(to);
    return absl::OkStatus();
  }
  absl::Status Remove(const std::string& path) override {
    return files.erase(path) == 1 ? absl::OkStatus() : absl::NotFoundError(path);
  }
  absl::Status MakeDirectory(const std::string&) override { return NotNeeded(); }
  absl::StatusOr<std::vector<std::string>> List(const std::string&) override { return NotNeeded(); }
  absl::StatusOr<std::unique_ptr<DeviceLock>> Lock(const std::string&) override {
    return NotNeeded();
  }
  absl::Status SyncDirectory(const std::string& path) override {
    steps.push_back("sync " + path);
    return absl::OkStatus();
  }

  std::map<std::string, Bytes> files;
  std::map<std::string, bool> synced;
  std::vector<std::string> steps;
  bool refuse_writes = false;
  bool refuse_sync = false;
  int writes = 0;

 private:
  static absl::Status NotNeeded() { return absl::UnimplementedError("not needed"); }

  class FakeFile final : public File {
   public:
    FakeFile(FakeDevice* device, std::string path) : device_(device), path_(std::move(path)) {}
    absl::StatusOr<std::size_t> ReadAt(std::uint64_t, MutableBytes) override { return NotNeeded(); }
    absl::Status Resize(std::uint64_t) override { return NotNeeded(); }
    absl::StatusOr<std::size_t> WriteAt(std::uint64_t offset, ByteView bytes) override {
      if (device_->refuse_writes) return absl::ResourceExhaustedError("No space left on device");
      ++device_->writes;
      bytes = bytes.first(std::min<std::size_t>(bytes.size(), 700));
      Bytes& file = device_->files[path_];
      file.resize(std::max(file.size(), offset + bytes.size()));
      std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(offset));
      device_->synced.erase(path_);
      return bytes.size();
    }
    absl::Status Sync() override {
      if (device_->refuse_sync) return absl::UnknownError("Input/output error");
      device_->synced[path_] = true;
      return absl::OkStatus();
    }
    absl::StatusOr<std::uint64_t> Size() override { return device_->files[path_].size(); }

   private:
    FakeDevice* device_;
    std::string path_;
  };
};

constexpr std::uint32_t kPageSize = 512;

Bytes Page(std::uint8_t fill) { return Bytes(kPageSize, fill); }

// Writes `count` pages, page 0 last, as a build does.
absl::Status WritePages(RelationWriter* writer, std::uint8_t count) {
  for (std::uint8_t block = 1; block < count; ++block) {
    const absl::Status status = writer->WritePage(block, Page(block));
    if (!status.ok()) return status;
  }
  return writer->WritePage(0, Page(100));
}

TEST(RelationWriterTest, TheFileAppearsWithCommit) {
  FakeDevice device;
  auto writer = RelationWriter::Create(&device, "dir/index", kPageSize, false);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(WritePages(writer->get(), 5).ok());
  EXPECT_FALSE(device.files.contains("dir/index"));
  ASSERT_TRUE((*writer)->Commit().ok());
  EXPECT_EQ(device.steps, (std::vector<std::string>{"dir/index", "sync dir"}));
  ASSERT_EQ(device.files.size(), 1U);
  const Bytes& file = device.files["dir/index"];
  ASSERT_EQ(file.size(), 5 * kPageSize);
  for (std::uint32_t block = 0; block < 5; ++block) {
    EXPECT_EQ(file[block * kPageSize + 7], block == 0 ? 100 : block);
  }
  EXPECT_EQ(device.writes, 4) << "neighbouring pages are written together, 700 bytes at a time";
}

TEST(RelationWriterTest, SegmentsGetTheirNamesLastToFirst) {
  FakeDevice device;
  auto writer = RelationWriter::Create(&device, "index", kPageSize, false, 2 * kPageSize);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(WritePages(writer->get(), 5).ok());
  ASSERT_TRUE((*writer)->Commit().ok());
  EXPECT_EQ(device.steps, (std::vector<std::string>{"index.2", "index.1", "index", "sync ."}));
  EXPECT_EQ(device.files["index"].size(), 2 * kPageSize);
  EXPECT_EQ(device.files["index.1"], [] {
    Bytes bytes = Page(2);
    bytes.insert(bytes.end(), kPageSize, 3);
    return bytes;
  }());
  EXPECT_EQ(device.files["index.2"], Page(4));
}

TEST(RelationWriterTest, WhatExistsIsReplacedOnlyWhenAsked) {
  FakeDevice device;
  device.files["index"] = Page(9);
  EXPECT_TRUE(
      absl::IsAlreadyExists(RelationWriter::Create(&device, "index", kPageSize, false).status()));
  device.files = {{"index", Page(9)}, {"index.1", Page(9)}, {"index.2", Page(8)}};

  auto writer = RelationWriter::Create(&device, "index", kPageSize, true, kPageSize);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(WritePages(writer->get(), 1).ok());
  EXPECT_EQ(device.files["index"], Page(9));
  ASSERT_TRUE((*writer)->Commit().ok());
  EXPECT_EQ(device.files, (std::map<std::string, Bytes>{{"index", Page(100)}}))
      << "segments of the old index would become part of the new one";
}

// Whatever index.1 is, it is no segment of an index that does not fill its first one.
TEST(RelationWriterTest, AFileThatOnlyLooksLikeASegmentIsLeftAlone) {
  FakeDevice device;
  const std::map<std::string, Bytes> before = {{"index", Page(9)}, {"index.1", Page(7)}};
  device.files = before;
  EXPECT_TRUE(absl::IsFailedPrecondition(
      RelationWriter::Create(&device, "index", kPageSize, true, 2 * kPageSize).status()));
  EXPECT_EQ(device.files, before);
}

TEST(RelationWriterTest, APartialFileBelongsToSomebodyElse) {
  FakeDevice device;
  device.files["index.partial"] = Page(9);
  device.files["large.1.partial"] = Page(8);
  const std::map<std::string, Bytes> before = device.files;
  EXPECT_TRUE(absl::IsFailedPrecondition(
      RelationWriter::Create(&device, "index", kPageSize, true).status()));
  auto writer = RelationWriter::Create(&device, "large", kPageSize, true, 2 * kPageSize);
  ASSERT_TRUE(writer.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(WritePages(writer->get(), 5)));
  writer->reset();
  EXPECT_EQ(device.files, before);
}

TEST(RelationWriterTest, AFolderIsNeverReplaced) {
  FakeDevice device;
  EXPECT_TRUE(absl::IsFailedPrecondition(
      RelationWriter::Create(&device, "folder", kPageSize, true).status()));
  EXPECT_TRUE(
      absl::IsNotFound(RelationWriter::Create(&device, "nowhere/x", kPageSize, true).status()));
}

TEST(RelationWriterTest, FailuresLeaveWhatWasThere) {
  FakeDevice device;
  const std::map<std::string, Bytes> before = {{"index", Page(9)}};
  device.files = before;
  {
    auto writer = RelationWriter::Create(&device, "index", kPageSize, true);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(WritePages(writer->get(), 3).ok());
  }
  EXPECT_EQ(device.files, before) << "never committed";
  {
    device.refuse_sync = true;
    auto writer = RelationWriter::Create(&device, "index", kPageSize, true);
    ASSERT_TRUE(WritePages(writer->get(), 3).ok());
    EXPECT_EQ((*writer)->Commit().message(), "Input/output error");
  }
  EXPECT_EQ(device.files, before);
  {
    device.refuse_writes = true;
    auto writer = RelationWriter::Create(&device, "index", kPageSize, true);
    ASSERT_TRUE((*writer)->WritePage(1, Page(1)).ok());
    EXPECT_TRUE(absl::IsResourceExhausted((*writer)->WritePage(0, Page(0))));
  }
  EXPECT_EQ(device.files, before);
}

}  // namespace
}  // namespace tornleaf

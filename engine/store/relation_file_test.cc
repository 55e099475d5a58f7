#include "engine/store/relation_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "engine/format/nbtree_v4.h"
#include "engine/page/slotted_page_v4.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using Bytes = std::vector<std::uint8_t>;

// Files in memory, whose reads are short and may fail.
class FakeDevice final : public Device {
 public:
  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode) override {
    const auto found = files.find(path);
    if (found == files.end()) return absl::NotFoundError(path + ": No such file or directory");
    return std::make_unique<FakeFile>(this, &found->second);
  }
  absl::StatusOr<std::unique_ptr<File>> Create(const std::string&) override { return ReadOnly(); }
  absl::Status Rename(const std::string&, const std::string&) override { return ReadOnly(); }
  absl::Status Remove(const std::string&) override { return ReadOnly(); }
  absl::Status MakeDirectory(const std::string&) override { return ReadOnly(); }
  absl::StatusOr<std::vector<std::string>> List(const std::string&) override { return ReadOnly(); }
  absl::Status SyncDirectory(const std::string&) override { return ReadOnly(); }
  absl::StatusOr<std::unique_ptr<DeviceLock>> Lock(const std::string&) override {
    return ReadOnly();
  }

  std::map<std::string, Bytes> files;
  std::optional<std::uint64_t> bad_offset;  // a read that touches it fails
  int reads = 0;

 private:
  static constexpr std::size_t kReadMax = 5000;

  class FakeFile final : public File {
   public:
    FakeFile(FakeDevice* device, const Bytes* bytes) : device_(device), bytes_(bytes) {}
    absl::StatusOr<std::size_t> ReadAt(std::uint64_t offset, MutableBytes buffer) override {
      ++device_->reads;
      if (offset >= bytes_->size()) return 0;
      const std::size_t count = std::min({buffer.size(), bytes_->size() - offset, kReadMax});
      const auto bad = device_->bad_offset;
      if (bad && *bad >= offset && *bad < offset + count) {
        return absl::UnknownError("index: Input/output error");
      }
      std::memcpy(buffer.data(), bytes_->data() + offset, count);
      return count;
    }
    absl::StatusOr<std::size_t> WriteAt(std::uint64_t, ByteView) override { return ReadOnly(); }
    absl::Status Resize(std::uint64_t) override { return ReadOnly(); }
    absl::Status Sync() override { return ReadOnly(); }
    absl::StatusOr<std::uint64_t> Size() override { return bytes_->size(); }

   private:
    FakeDevice* device_;
    const Bytes* bytes_;
  };

  static absl::Status ReadOnly() { return absl::PermissionDeniedError("opened read-only"); }
};

constexpr std::uint32_t kPage = 8192;
constexpr std::uint64_t kSmallSegment = 4 * kPage;

class RelationFileTest : public ::testing::Test {
 protected:
  // Opens what stands in `device_` under "index".
  absl::StatusOr<std::unique_ptr<RelationFile>> Open(std::uint64_t segment = kSegmentBytes) {
    return RelationFile::Open(&device_, "index", segment);
  }

  // The error of opening a file with these bytes.
  absl::Status ErrorOf(Bytes bytes) {
    device_.files = {{"index", std::move(bytes)}};
    return Open().status();
  }

  // Cuts the fixture into small segments.
  void PutSegments() {
    device_.files.clear();
    for (std::size_t at = 0, number = 0; at < index_.size(); at += kSmallSegment, ++number) {
      const std::size_t end = std::min<std::size_t>(index_.size(), at + kSmallSegment);
      device_.files[SegmentPath("index", static_cast<std::uint32_t>(number))] =
          Bytes(index_.begin() + static_cast<std::ptrdiff_t>(at),
                index_.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }

  void ExpectPage(RelationFile* file, BlockNumber block) {
    Bytes buffer(file->page_size());
    const ByteView page = file->Read(block, buffer);
    ASSERT_EQ(page.size(), kPage) << file->status();
    EXPECT_EQ(std::memcmp(page.data(), index_.data() + std::size_t{block} * kPage, kPage), 0)
        << block;
  }

  FakeDevice device_;
  const Bytes index_ = LoadFixture("three-levels").index;
};

TEST_F(RelationFileTest, ReadsEveryPageInAnyOrder) {
  device_.files["index"] = index_;
  auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  const BlockNumber count = (*file)->block_count();
  ASSERT_EQ(count, index_.size() / kPage);
  EXPECT_EQ((*file)->page_size(), kPage);
  EXPECT_EQ((*file)->trailing_bytes(), 0u);
  for (BlockNumber block = 0; block < count; ++block) ExpectPage(file->get(), block);
  for (BlockNumber step = 0; step < count; ++step) ExpectPage(file->get(), step * 7 % count);
}

TEST_F(RelationFileTest, SegmentsAreOneIndex) {
  PutSegments();
  auto file = Open(kSmallSegment);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->block_count(), index_.size() / kPage);
  EXPECT_EQ((*file)->segment_count(), (index_.size() + kSmallSegment - 1) / kSmallSegment);
  for (BlockNumber block = 0; block < (*file)->block_count(); ++block) {
    ExpectPage(file->get(), block);
  }
  EXPECT_EQ(FirstSegmentPath(&device_, "index.2", kSmallSegment), "index");
  EXPECT_EQ(FirstSegmentPath(&device_, "index.02", kSmallSegment), "index.02");
  EXPECT_EQ(FirstSegmentPath(&device_, "index.old", kSmallSegment), "index.old");
  EXPECT_EQ(FirstSegmentPath(&device_, "other.2", kSmallSegment), "other.2");
}

TEST_F(RelationFileTest, ACopyBesideAShortFileIsNoSegment) {
  device_.files["index"] = index_;
  device_.files["index.1"] = index_;
  EXPECT_EQ(FirstSegmentPath(&device_, "index.1"), "index.1");
  auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->segment_count(), 1u);
}

TEST_F(RelationFileTest, AMissingSegmentIsDamage) {
  PutSegments();
  device_.files.erase("index.1");
  const absl::Status status = Open(kSmallSegment).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              StartsWith("index.1: segment missing, while index.2 is there"));
}

TEST_F(RelationFileTest, TruncationIsDamage) {
  device_.files["index"] = index_;
  device_.files["index"].resize(index_.size() - 100);
  auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->trailing_bytes(), kPage - 100u);
  EXPECT_EQ((*file)->block_count(), index_.size() / kPage - 1);

  const absl::Status status = ErrorOf(Bytes(index_.begin(), index_.begin() + 100));
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              StartsWith("index: truncated: 100 bytes, less than the metapage of 8192"));
}

TEST_F(RelationFileTest, SaysWhatAFileIsThatIsNoIndex) {
  const auto expect = [&](Bytes bytes, const char* text) {
    const absl::Status status = ErrorOf(std::move(bytes));
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  };
  expect({}, "index: not a B-tree index: the file is empty (0 bytes)");
  expect(Bytes(kPage, 0), "it begins with zeros");
  expect(Bytes(kPage, 'x'), "it does not begin with a PostgreSQL page");
  expect(Bytes(10, 'x'), "it does not begin with a PostgreSQL page");
  expect(Bytes(index_.begin() + kPage, index_.begin() + 3 * kPage),
         "a B-tree page but not the metapage");

  Bytes heap(kPage);
  PageWriter(heap).Initialize(0);
  expect(heap, "it is a table (heap)");

  Bytes gist(kPage);
  PageWriter(gist).Initialize(16);
  StoreLittleEndian<std::uint16_t>(gist.data() + kPage - 2, 0xFF81);
  expect(gist, "a GiST index");

  Bytes big_endian(kPage, 0);
  big_endian[18] = 0x20;
  big_endian[19] = 0x04;
  expect(big_endian, "big-endian machine (pd_pagesize_version is stored as 20 04)");

  Bytes odd_size(kPage, 0);
  StoreLittleEndian<std::uint16_t>(odd_size.data() + 18, 0x2104);
  expect(odd_size, "page size 8448 is none of 512, 1024");

  Bytes old_layout = heap;
  StoreLittleEndian<std::uint16_t>(old_layout.data() + 18, 0x2003);
  expect(old_layout, "page layout version 3");

  Bytes other_version = index_;
  Store(other_version.data(), nbtree::kMetaVersion, std::uint32_t{5});
  expect(other_version, "metapage version 5 is not supported, only 2 to 4");
}

TEST_F(RelationFileTest, RecognisesADamagedMetapage) {
  const auto opens = [&](auto damage) {
    Bytes bytes = index_;
    damage(bytes.data());
    device_.files = {{"index", bytes}};
    const auto file = Open();
    return file.ok() && (*file)->page_size() == kPage;
  };
  using Page = std::uint8_t*;
  EXPECT_TRUE(opens([](Page page) { Store(page, nbtree::kMetaMagic, 7U); }));
  EXPECT_TRUE(opens([](Page page) { Store(page, nbtree::kMetaVersion, 0x40000004U); }));
  EXPECT_TRUE(opens([](Page page) { std::memset(page, 0, 24); }));
  for (int bit = 0; bit < 16; ++bit) {
    EXPECT_TRUE(opens([&](Page page) { page[18 + bit / 8] ^= 1 << bit % 8; })) << bit;
    EXPECT_TRUE(opens([&](Page page) { page[16 + bit / 8] ^= 1 << bit % 8; })) << bit;
  }
}

TEST_F(RelationFileTest, AnyPageSizeIsReadFromTheFile) {
  for (std::uint32_t size = slotted_v4::kPageSizeMin; size <= slotted_v4::kPageSizeMax; size *= 2) {
    Bytes bytes(size);
    PageWriter(bytes).Initialize(nbtree::kOpaqueSize);
    Store(bytes.data(), nbtree::kMetaMagic, nbtree::kMagicNumber);
    Store(bytes.data(), nbtree::kMetaVersion, nbtree::kVersionMax);
    device_.files = {{"index", bytes}};
    auto file = Open();
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->page_size(), size);
  }
}

TEST_F(RelationFileTest, AReadErrorNamesFileBlockAndReason) {
  device_.files["index"] = index_;
  auto file = Open();
  ASSERT_TRUE(file.ok()) << file.status();
  device_.bad_offset = 20 * kPage + 17;
  Bytes buffer(kPage);
  for (BlockNumber block = 0; block < 20; ++block) ExpectPage(file->get(), block);
  EXPECT_TRUE((*file)->Read(20, buffer).empty());
  EXPECT_EQ((*file)->status().message(), "cannot read block 20: index: Input/output error");
  EXPECT_FALSE(absl::IsDataLoss((*file)->status()));
  ExpectPage(file->get(), 21);
}

TEST_F(RelationFileTest, AFileThatShrinksIsARefusalNotACrash) {
  device_.files["index"] = index_;
  auto file = Open();
  ASSERT_TRUE(file.ok());
  device_.files["index"].resize(10 * kPage);
  Bytes buffer(kPage);
  EXPECT_TRUE((*file)->Read(30, buffer).empty());
  EXPECT_EQ((*file)->status().message(),
            "cannot read block 30: index: the file has become shorter");
}

}  // namespace
}  // namespace tornleaf

#include "engine/wal/record/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lz4.h>
#include <rapidcheck/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "engine/base/crc32c.h"
#include "engine/base/prng.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/wal/record/names.h"
#include "engine/wal/record/record_v15.h"

namespace tornleaf {
namespace wal {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kPageSize = 8192;

Bytes RandomBytes(Prng* prng, std::size_t size) {
  Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(prng->Next());
  return bytes;
}

// A standard page whose hole is [lower, upper), of zeros; all else is random.
Bytes RandomPage(Prng* prng, std::uint16_t lower, std::uint16_t upper) {
  Bytes page = RandomBytes(prng, kPageSize);
  std::fill(page.begin() + lower, page.begin() + upper, std::uint8_t{0});
  Store(page.data(), slotted_v4::kLower, lower);
  Store(page.data(), slotted_v4::kUpper, upper);
  return page;
}

// A draft that owns what its views show.
struct OwnedDraft {
  RecordDraft draft;
  std::vector<std::unique_ptr<Bytes>> pieces;
  std::uint64_t with_image = 0;

  ByteView Own(Bytes bytes) {
    pieces.push_back(std::make_unique<Bytes>(std::move(bytes)));
    return *pieces.back();
  }
};

std::unique_ptr<OwnedDraft> RandomDraft(Prng* prng) {
  auto owned = std::make_unique<OwnedDraft>();
  RecordDraft& draft = owned->draft;
  draft.manager = prng->Chance(1, 2) ? ResourceManager::kBtree : ResourceManager::kXlog;
  draft.info = static_cast<std::uint8_t>(prng->Below(16) << 4);
  draft.xid = static_cast<Xid>(prng->Next());
  const std::uint64_t main_pieces = prng->Below(3);
  for (std::uint64_t piece = 0; piece < main_pieces; ++piece) {
    draft.main_data.push_back(owned->Own(RandomBytes(prng, prng->Below(300))));
  }
  std::uint64_t id = prng->Below(2);
  while (id <= kMaxBlockId && prng->Chance(3, 4)) {
    BlockChange& block = draft.blocks.emplace_back();
    block.id = static_cast<std::uint8_t>(id);
    block.relation = {1663, 5, 16384 + static_cast<std::uint32_t>(prng->Below(2))};
    block.fork = static_cast<std::uint8_t>(prng->Below(4));
    block.block = static_cast<BlockNumber>(prng->Next());
    block.flags = static_cast<std::uint8_t>(prng->Below(4));
    const auto lower = static_cast<std::uint16_t>(prng->Between(24, kPageSize));
    block.page = owned->Own(
        RandomPage(prng, lower, static_cast<std::uint16_t>(prng->Between(lower, kPageSize))));
    const std::uint64_t pieces = prng->Below(3);
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      block.data.push_back(owned->Own(RandomBytes(prng, prng->Below(200))));
    }
    if (prng->Chance(1, 3)) owned->with_image |= std::uint64_t{1} << (draft.blocks.size() - 1);
    id += prng->Between(1, 4);
  }
  return owned;
}

Bytes Joined(const Pieces& pieces) {
  Bytes joined;
  for (const ByteView piece : pieces) joined.insert(joined.end(), piece.begin(), piece.end());
  return joined;
}

Bytes ToBytes(ByteView view) { return {view.begin(), view.end()}; }

void ExpectBlock(const OwnedDraft& owned, std::size_t index, const DecodedRecord& record) {
  const BlockChange& change = owned.draft.blocks[index];
  ASSERT_TRUE(record.has_block(change.id));
  const DecodedBlock& block = record.blocks[change.id];
  EXPECT_EQ(block.relation, change.relation);
  EXPECT_EQ(block.fork, change.fork);
  EXPECT_EQ(block.block, change.block);
  EXPECT_EQ(block.will_init, (change.flags & kWillInit) != 0);
  const bool with_image = (owned.with_image >> index & 1) != 0;
  ASSERT_EQ(block.has_image, with_image);
  const bool with_data = !with_image || block.will_init;
  EXPECT_EQ(ToBytes(block.data), with_data ? Joined(change.data) : Bytes());
  if (!with_image) return;
  EXPECT_TRUE(block.apply_image);
  Bytes restored(kPageSize, 0xAA);
  ASSERT_EQ(RestoreImage(block, restored), RecordError::kNone);
  EXPECT_TRUE(std::ranges::equal(restored, change.page));
}

TEST(RecordTest, RandomDraftsComeBack) {
  Prng prng(1, "drafts");
  Bytes bytes;
  for (int round = 0; round < 2000; ++round) {
    const auto owned = RandomDraft(&prng);
    bytes.assign(3, 0xEE);  // a record is appended, whatever stands before it
    const Lsn previous = prng.Next();
    const std::uint32_t length = EncodeRecord(owned->draft, previous, owned->with_image, &bytes);
    ASSERT_EQ(bytes.size(), length + 3);
    const ByteView encoded = ByteView(bytes).subspan(3);
    DecodedRecord record;
    ASSERT_EQ(DecodeRecord(encoded, &record), RecordError::kNone);
    EXPECT_TRUE(CheckRecordCrc(encoded));
    EXPECT_EQ(record.total_length, length);
    EXPECT_EQ(record.previous, previous);
    EXPECT_EQ(record.xid, owned->draft.xid);
    EXPECT_EQ(record.info, owned->draft.info);
    EXPECT_EQ(record.manager, static_cast<std::uint8_t>(owned->draft.manager));
    EXPECT_EQ(ToBytes(record.main_data), Joined(owned->draft.main_data));
    std::size_t in_use = 0;
    for (std::uint32_t id = 0; id < record.block_count; ++id) in_use += record.has_block(id);
    EXPECT_EQ(in_use, owned->draft.blocks.size());
    for (std::size_t index = 0; index < owned->draft.blocks.size(); ++index) {
      ExpectBlock(*owned, index, record);
    }
  }
}

// ASan stands guard: the bytes are an allocation of exactly their size.
RC_GTEST_PROP(RecordProperties, MutatedRecordsAreNeverReadOutside, ()) {
  Prng prng(*rc::gen::arbitrary<std::uint64_t>(), "mutations");
  const auto owned = RandomDraft(&prng);
  Bytes bytes;
  EncodeRecord(owned->draft, 0, owned->with_image, &bytes);
  for (std::uint64_t change = prng.Between(1, 8); change > 0; --change) {
    // Mostly headers, where a change leads somewhere.
    const std::size_t limit =
        prng.Chance(3, 4) ? std::min<std::size_t>(bytes.size(), 80) : bytes.size();
    bytes[prng.Below(limit)] = static_cast<std::uint8_t>(prng.Next());
  }
  if (prng.Chance(1, 4)) bytes.resize(prng.Below(bytes.size() + 1));
  if (bytes.size() >= 4) {
    StoreLittleEndian(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  }
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  DecodedRecord record;
  if (DecodeRecord(exact, &record) != RecordError::kNone) return;
  Bytes page(kPageSize);
  for (std::uint32_t id = 0; id < record.block_count; ++id) {
    if (!record.has_block(id)) continue;
    const DecodedBlock& block = record.blocks[id];
    RC_ASSERT(block.data.size() <= exact.size());
    if (block.has_image && RestoreImage(block, page) == RecordError::kNone) {
      RC_ASSERT(HoleLength(block, kPageSize) + block.hole_offset <= kPageSize);
    }
  }
}

RC_GTEST_PROP(RecordProperties, AnyBytesGiveAnAnswer, (Bytes bytes)) {
  if (bytes.size() >= 4) {
    StoreLittleEndian(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  }
  DecodedRecord record;
  const RecordError error = DecodeRecord(bytes, &record);
  RC_ASSERT(error == RecordError::kNone || RecordErrorText(error)[0] != '\0');
}

// A record of one block reference with data, as bytes to change.
Bytes SmallRecord() {
  const Bytes data{1, 2, 3};
  RecordDraft draft;
  draft.main_data = {data};
  BlockChange& block = draft.blocks.emplace_back();
  block.relation = {1663, 5, 16384};
  block.data = {data};
  Bytes bytes;
  EncodeRecord(draft, 40, 0, &bytes);
  return bytes;
}

RecordError ErrorAfter(std::size_t offset, std::uint8_t byte) {
  Bytes bytes = SmallRecord();
  bytes[offset] = byte;
  DecodedRecord record;
  return DecodeRecord(bytes, &record);
}

TEST(RecordTest, SaysWhatIsWrong) {
  constexpr std::size_t kBlock = kRecordHeaderSize;
  EXPECT_EQ(ErrorAfter(0, 23), RecordError::kLength);
  EXPECT_EQ(ErrorAfter(kBlock, 33), RecordError::kBlockOrder);
  EXPECT_EQ(ErrorAfter(kBlock + 1, 0), RecordError::kBlockHeader);
  EXPECT_EQ(ErrorAfter(kBlock + 1, v15::kHasData | v15::kSameRelation), RecordError::kNoRelation);
  EXPECT_EQ(ErrorAfter(kBlock + 2, 2), RecordError::kLength);
  // The relation's bytes become an image header with a hole flag and no offset.
  EXPECT_EQ(ErrorAfter(kBlock + 1, v15::kHasData | v15::kHasImage), RecordError::kImageHeader);
  Bytes bytes = SmallRecord();
  EXPECT_TRUE(CheckRecordCrc(bytes));
  bytes.back() ^= 1;
  EXPECT_FALSE(CheckRecordCrc(bytes));
  DecodedRecord record;
  EXPECT_EQ(DecodeRecord(ByteView(bytes).first(23), &record), RecordError::kLength);
}

// Written by hand from src/include/access/xlogrecord.h.
TEST(RecordTest, LaysOutBytesAsPostgresDoes) {
  const Bytes bytes = SmallRecord();
  const Bytes expected{
      24 + 20 + 2 + 3 + 3, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0};
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 20), expected);
  const Bytes block{0, 0x20, 3, 0, 0x7F, 6, 0, 0, 5, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Bytes(bytes.begin() + 24, bytes.begin() + 44), block);
  EXPECT_EQ(Bytes(bytes.begin() + 44, bytes.end()), Bytes({255, 3, 1, 2, 3, 1, 2, 3}));
}

TEST(RecordTest, TakesTransactionMetadataAndGaps) {
  Bytes bytes = SmallRecord();
  const Bytes origin{253, 7, 7, 252, 9, 9, 9, 9};
  bytes.insert(bytes.begin() + 44, origin.begin(), origin.end());
  bytes[kRecordHeaderSize] = 5;
  StoreLittleEndian(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
  DecodedRecord record;
  ASSERT_EQ(DecodeRecord(bytes, &record), RecordError::kNone);
  EXPECT_EQ(record.block_count, 6U);
  EXPECT_FALSE(record.has_block(0));
  EXPECT_FALSE(record.has_block(6));
  ASSERT_TRUE(record.has_block(5));
  EXPECT_EQ(record.blocks[5].data.size(), 3U);
  EXPECT_EQ(record.main_data.size(), 3U);
}

struct CompressionCase {
  const char* name;
  std::uint8_t flag;
  Bytes (*compress)(ByteView raw);
};

Bytes CompressLz4(ByteView raw) {
  Bytes stored(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
  const int size = LZ4_compress_default(
      reinterpret_cast<const char*>(raw.data()), reinterpret_cast<char*>(stored.data()),
      static_cast<int>(raw.size()), static_cast<int>(stored.size()));
  stored.resize(static_cast<std::size_t>(size));
  return stored;
}

Bytes CompressZstd(ByteView raw) {
  Bytes stored(ZSTD_compressBound(raw.size()));
  stored.resize(ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), 1));
  return stored;
}

// Literals only, which is a valid way to write pglz.
Bytes CompressPglz(ByteView raw) {
  Bytes stored;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (at % 8 == 0) stored.push_back(0);
    stored.push_back(raw[at]);
  }
  return stored;
}

class CompressedImage : public ::testing::TestWithParam<CompressionCase> {};

TEST_P(CompressedImage, IsRestoredWithAndWithoutHole) {
  for (const bool has_hole : {false, true}) {
    Bytes page(kPageSize, 7);
    const std::uint16_t hole = has_hole ? 1000 : 0;
    std::fill_n(page.begin() + 100, hole, std::uint8_t{0});
    Bytes raw = page;
    raw.erase(raw.begin() + 100, raw.begin() + 100 + hole);
    Bytes stored = GetParam().compress(raw);
    DecodedBlock block;
    block.has_image = true;
    block.image_info = v15::kApply | GetParam().flag | (has_hole ? v15::kHasHole : 0);
    block.hole_offset = has_hole ? 100 : 0;
    block.hole_length = hole;
    block.image = stored;
    Bytes restored(kPageSize, 0xAA);
    ASSERT_EQ(RestoreImage(block, restored), RecordError::kNone);
    EXPECT_EQ(restored, page);
    Bytes smaller_page(kPageSize / 2);
    EXPECT_EQ(RestoreImage(block, smaller_page), RecordError::kImage);
    block.image = ByteView(stored).first(stored.size() / 2);
    EXPECT_EQ(RestoreImage(block, restored), RecordError::kImage);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, CompressedImage,
                         ::testing::Values(CompressionCase{"pglz", v15::kPglz, CompressPglz},
                                           CompressionCase{"lz4", v15::kLz4, CompressLz4},
                                           CompressionCase{"zstd", v15::kZstd, CompressZstd}),
                         [](const auto& test) { return test.param.name; });

TEST(NamesTest, AreThoseOfPgWaldump) {
  EXPECT_STREQ(ResourceManagerName(0).c_str(), "XLOG");
  EXPECT_STREQ(ResourceManagerName(11).c_str(), "Btree");
  EXPECT_STREQ(ResourceManagerName(22).c_str(), "unknown");
  EXPECT_STREQ(ResourceManagerName(128).c_str(), "custom128");
  EXPECT_STREQ(OperationName(11, 0xB0).c_str(), "MARK_PAGE_HALFDEAD");
  EXPECT_STREQ(OperationName(0, 0xC0).c_str(), "UNKNOWN (c0)");
  EXPECT_STREQ(OperationName(128, 0x10).c_str(), "RESET_DEAD_ROWS");
  EXPECT_STREQ(OperationName(129, 0x10).c_str(), "UNKNOWN (10)");
  EXPECT_STREQ(OperationName(1, 0x80).c_str(), "COMMIT");
  EXPECT_STREQ(OperationName(20, 0).c_str(), "Generic");
}

TEST(RecordDeathTest, RefusesDraftsThatCannotBeWritten) {
  RecordDraft draft;
  draft.blocks.emplace_back().id = 1;
  draft.blocks.emplace_back().id = 1;
  Bytes bytes;
  EXPECT_DEATH(EncodeRecord(draft, 0, 0, &bytes), "CHECK");
  draft.blocks.clear();
  const Bytes big(65536);
  draft.blocks.emplace_back().data = {ByteView(big)};
  EXPECT_DEATH(EncodeRecord(draft, 0, 0, &bytes), "CHECK");
}

}  // namespace
}  // namespace wal
}  // namespace tornleaf

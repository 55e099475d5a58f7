// Main data and page data of records: layouts and round trips of all of them.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/base/prng.h"
#include "engine/wal/record/control_v1.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {
namespace wal {
namespace {

// Encodes, checks the size, decodes, encodes again: the same bytes. One byte more or less is
// refused.
template <typename T>
Bytes RoundTrip(const T& record, std::size_t size) {
  Bytes bytes;
  record.Encode(&bytes);
  EXPECT_EQ(bytes.size(), size);
  T decoded;
  EXPECT_TRUE(T::Decode(bytes, &decoded));
  Bytes again;
  decoded.Encode(&again);
  EXPECT_EQ(again, bytes);
  EXPECT_FALSE(T::Decode(ByteView(bytes).first(size - 1), &decoded));
  again.push_back(0);
  EXPECT_FALSE(T::Decode(again, &decoded));
  return bytes;
}

TEST(NbtreeRecords, HaveTheSizesOfNbtxlog) {
  EXPECT_EQ(RoundTrip(InsertRecord{0x0102}, 2), Bytes({2, 1}));
  EXPECT_EQ(RoundTrip(SplitRecord{1, 2, 3, 4}, 10), Bytes({1, 0, 0, 0, 2, 0, 3, 0, 4, 0}));
  RoundTrip(DedupRecord{9}, 2);
  EXPECT_EQ(RoundTrip(MarkHalfDeadRecord{1, 2, 3, 4, 5}, 20),
            Bytes({1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0}));
  const Bytes unlink = RoundTrip(UnlinkRecord{1, 2, 3, 0x0807060504030201, 5, 6, 7}, 36);
  EXPECT_EQ(unlink[8], 3);
  EXPECT_EQ(unlink[16], 1);
  EXPECT_EQ(unlink[24], 5);
  EXPECT_EQ(unlink[32], 7);
  RoundTrip(NewRootRecord{3, 1}, 8);
  const Bytes reuse = RoundTrip(ReusePageRecord{{1663, 5, 16384}, 7, 1000}, 24);
  EXPECT_EQ(reuse[12], 7);
}

TEST(NbtreeRecords, DeleteHasAHorizonAndVacuumHasNone) {
  const DeleteRecord record{77, 2, 1};
  for (const bool with_horizon : {false, true}) {
    Bytes bytes;
    record.Encode(with_horizon, &bytes);
    EXPECT_EQ(bytes.size(), with_horizon ? 8U : 4U);
    DeleteRecord decoded;
    ASSERT_TRUE(DeleteRecord::Decode(bytes, with_horizon, &decoded));
    EXPECT_EQ(decoded.latest_removed_xid, with_horizon ? 77U : 0U);
    EXPECT_EQ(decoded.deleted_count, 2);
    EXPECT_EQ(decoded.updated_count, 1);
    EXPECT_FALSE(DeleteRecord::Decode(bytes, !with_horizon, &decoded));
  }
}

TEST(NbtreeRecords, DeletePayloadListsSlotsBeforeUpdates) {
  DeletePayload payload;
  payload.deleted = {3, 9};
  payload.updates = {{5, {0, 2}}, {7, {1}}};
  Bytes bytes;
  payload.Encode(&bytes);
  EXPECT_EQ(bytes, Bytes({3, 0, 9, 0, 5, 0, 7, 0, 2, 0, 0, 0, 2, 0, 1, 0, 1, 0}));
  DeletePayload decoded;
  ASSERT_TRUE(DeletePayload::Decode(bytes, {0, 2, 2}, &decoded));
  EXPECT_EQ(decoded.deleted, payload.deleted);
  ASSERT_EQ(decoded.updates.size(), 2U);
  EXPECT_EQ(decoded.updates[0].slot, 5);
  EXPECT_EQ(decoded.updates[0].removed, payload.updates[0].removed);
  EXPECT_EQ(decoded.updates[1].slot, 7);
  EXPECT_EQ(decoded.updates[1].removed, payload.updates[1].removed);
  EXPECT_FALSE(DeletePayload::Decode(bytes, {0, 2, 1}, &decoded));
  EXPECT_FALSE(DeletePayload::Decode(ByteView(bytes).first(16), {0, 2, 2}, &decoded));
  EXPECT_FALSE(DeletePayload::Decode(bytes, {0, 65535, 65535}, &decoded));
}

TEST(NbtreeRecords, IntervalsComeBack) {
  const std::vector<nbtree::DedupInterval> intervals{{1, 3}, {4, 2}};
  Bytes bytes;
  EncodeIntervals(intervals, &bytes);
  EXPECT_EQ(bytes, Bytes({1, 0, 3, 0, 4, 0, 2, 0}));
  std::vector<nbtree::DedupInterval> decoded;
  ASSERT_TRUE(DecodeIntervals(bytes, 2, &decoded));
  EXPECT_EQ(decoded[1].base, 4);
  EXPECT_EQ(decoded[1].item_count, 2);
  EXPECT_FALSE(DecodeIntervals(bytes, 1, &decoded));
  EXPECT_FALSE(DecodeIntervals(bytes, 3, &decoded));
}

TEST(NbtreeRecords, MetaComesBack) {
  nbtree::MetaPage meta;
  meta.version = 4;
  meta.root = 3;
  meta.level = 2;
  meta.fast_root = 5;
  meta.fast_level = 1;
  meta.last_cleanup_deleted_pages = 8;
  meta.all_equal_image = true;
  Bytes bytes;
  EncodeMeta(meta, &bytes);
  EXPECT_EQ(bytes.size(), 28U);
  nbtree::MetaPage decoded;
  ASSERT_TRUE(DecodeMeta(bytes, &decoded));
  EXPECT_EQ(decoded.magic, nbtree::kMagicNumber);
  EXPECT_EQ(decoded.root, 3U);
  EXPECT_EQ(decoded.fast_level, 1U);
  EXPECT_EQ(decoded.last_cleanup_deleted_pages, 8U);
  EXPECT_TRUE(decoded.all_equal_image);
  EXPECT_FALSE(DecodeMeta(ByteView(bytes).first(27), &decoded));
}

RC_GTEST_PROP(PayloadProperties, AnyBytesGiveAnAnswer, (Bytes bytes)) {
  DeletePayload payload;
  const auto deleted = *rc::gen::arbitrary<std::uint16_t>();
  const DeleteRecord record{0, static_cast<std::uint16_t>(deleted % 4), 2};
  if (DeletePayload::Decode(bytes, record, &payload)) {
    Bytes again;
    payload.Encode(&again);
    RC_ASSERT(again == bytes);
  }
  std::vector<nbtree::DedupInterval> intervals;
  RC_ASSERT(!DecodeIntervals(bytes, 3, &intervals) || bytes.size() == 12U);
}

ControlData SomeControl() {
  ControlData data;
  data.sequence = 9;
  data.system_identifier = 0x1234567890;
  data.clean = true;
  data.checkpoint = 5000;
  data.redo = 4000;
  data.next_xid = 77;
  data.page_size = 8192;
  data.log_page_bytes = 512;
  data.log_segment_bytes = 2048;
  data.relation_segment_bytes = 1U << 30;
  data.index_pages = 70000;
  data.dead_rows_pages = 6;
  data.full_page_images = true;
  return data;
}

TEST(ControlTest, ComesBack) {
  Bytes copy(kControlCopySize, 0xFF);
  EncodeControl(SomeControl(), copy);
  EXPECT_TRUE(AllZero(ByteView(copy).subspan(control_v1::kSize)));
  ControlData data;
  ASSERT_TRUE(DecodeControl(copy, &data));
  EXPECT_EQ(data.sequence, 9U);
  EXPECT_EQ(data.system_identifier, 0x1234567890U);
  EXPECT_TRUE(data.clean);
  EXPECT_EQ(data.checkpoint, 5000U);
  EXPECT_EQ(data.redo, 4000U);
  EXPECT_EQ(data.next_xid, 77U);
  EXPECT_EQ(data.page_size, 8192U);
  EXPECT_EQ(data.log_page_bytes, 512U);
  EXPECT_EQ(data.log_segment_bytes, 2048U);
  EXPECT_EQ(data.relation_segment_bytes, 1U << 30);
  EXPECT_EQ(data.index_pages, 70000U);
  EXPECT_EQ(data.dead_rows_pages, 6U);
  EXPECT_FALSE(data.checksums);
  EXPECT_TRUE(data.full_page_images);
}

TEST(ControlTest, EveryDamagedByteIsNoticed) {
  Bytes copy(kControlCopySize);
  EncodeControl(SomeControl(), copy);
  ControlData data;
  for (std::size_t offset = 0; offset < control_v1::kSize; ++offset) {
    copy[offset] ^= 0x10;
    EXPECT_FALSE(DecodeControl(copy, &data)) << offset;
    copy[offset] ^= 0x10;
  }
  EXPECT_FALSE(DecodeControl(ByteView(copy).first(control_v1::kSize - 1), &data));
  EXPECT_TRUE(DecodeControl(copy, &data));
}

TEST(ControlDeathTest, RefusesWhatItCouldNotRead) {
  Bytes copy(kControlCopySize);
  ControlData data = SomeControl();
  data.redo = data.checkpoint + 1;
  EXPECT_DEATH(EncodeControl(data, copy), "CHECK");
}

}  // namespace
}  // namespace wal
}  // namespace tornleaf

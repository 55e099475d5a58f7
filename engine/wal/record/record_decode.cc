#include "engine/base/crc32c.h"
#include "engine/wal/record/cursor.h"
#include "engine/wal/record/record.h"
#include "engine/wal/record/record_v15.h"

namespace tornleaf {
namespace wal {

namespace {

// What the headers say about lengths; the data itself stands behind the last of them.
struct Lengths {
  std::uint32_t images[kMaxBlockId + 1];
  std::uint32_t data[kMaxBlockId + 1];
  std::uint32_t main = 0;
  std::uint64_t total = 0;
};

bool IsImageSound(const DecodedBlock& block) {
  const bool has_hole = (block.image_info & v15::kHasHole) != 0;
  const std::uint8_t methods = block.image_info & v15::kCompressed;
  if ((block.image_info & ~(v15::kHasHole | v15::kApply | v15::kCompressed)) != 0) return false;
  if ((methods & (methods - 1)) != 0) return false;
  if (has_hole != (block.hole_offset != 0)) return false;
  return methods == 0 || has_hole == (block.hole_length != 0);
}

RecordError DecodeImageHeader(Cursor* cursor, DecodedBlock* block, std::uint32_t* length) {
  ByteView header;
  if (!cursor->Take(v15::kImageHeaderSize, &header)) return RecordError::kLength;
  *length = Load(header.data(), v15::kImageLength);
  block->hole_offset = Load(header.data(), v15::kHoleOffset);
  block->image_info = Load(header.data(), v15::kImageInfo);
  block->has_image = true;
  block->apply_image = (block->image_info & v15::kApply) != 0;
  const bool states_hole =
      (block->image_info & v15::kHasHole) != 0 && (block->image_info & v15::kCompressed) != 0;
  if (states_hole && !cursor->TakeNumber(&block->hole_length)) return RecordError::kLength;
  return IsImageSound(*block) ? RecordError::kNone : RecordError::kImageHeader;
}

bool DecodeRelation(Cursor* cursor, RelationId* relation) {
  return cursor->TakeNumber(&relation->tablespace) && cursor->TakeNumber(&relation->database) &&
         cursor->TakeNumber(&relation->relation);
}

// The header of block reference `id`, whose id has been taken. `previous` is the reference before
// it, or null.
RecordError DecodeBlockHeader(Cursor* cursor, std::uint8_t id, const DecodedBlock* previous,
                              DecodedRecord* record, Lengths* lengths) {
  DecodedBlock* const block = &record->blocks[id];
  *block = DecodedBlock();
  std::uint8_t flags = 0;
  std::uint16_t data_length = 0;
  if (!cursor->TakeNumber(&flags) || !cursor->TakeNumber(&data_length)) return RecordError::kLength;
  block->in_use = true;
  block->fork = flags & v15::kForkMask;
  block->will_init = (flags & v15::kWillInitPage) != 0;
  block->has_data = (flags & v15::kHasData) != 0;
  if (block->has_data != (data_length != 0)) return RecordError::kBlockHeader;
  lengths->data[id] = data_length;
  lengths->images[id] = 0;
  if ((flags & v15::kHasImage) != 0) {
    const RecordError error = DecodeImageHeader(cursor, block, &lengths->images[id]);
    if (error != RecordError::kNone) return error;
  }
  if ((flags & v15::kSameRelation) == 0) {
    if (!DecodeRelation(cursor, &block->relation)) return RecordError::kLength;
  } else {
    if (previous == nullptr) return RecordError::kNoRelation;
    block->relation = previous->relation;
  }
  if (!cursor->TakeNumber(&block->block)) return RecordError::kLength;
  lengths->total += lengths->data[id] + lengths->images[id];
  return RecordError::kNone;
}

// Everything between the fixed header and the data. Ends with the main data's header, or where the
// rest is data.
RecordError DecodeHeaders(Cursor* cursor, DecodedRecord* record, Lengths* lengths) {
  const DecodedBlock* previous = nullptr;
  while (cursor->left() > lengths->total) {
    std::uint8_t id = 0;
    if (!cursor->TakeNumber(&id)) return RecordError::kLength;
    if (id == v15::kIdMainShort || id == v15::kIdMainLong) {
      std::uint8_t length = 0;
      const bool taken =
          id == v15::kIdMainLong ? cursor->TakeNumber(&lengths->main) : cursor->TakeNumber(&length);
      if (!taken) return RecordError::kLength;
      lengths->main += length;
      lengths->total += lengths->main;
      return RecordError::kNone;
    }
    if (id == v15::kIdOrigin || id == v15::kIdTopLevelXid) {
      ByteView skipped;
      if (!cursor->Take(id == v15::kIdOrigin ? 2 : 4, &skipped)) return RecordError::kLength;
      continue;
    }
    if (id > kMaxBlockId || id < record->block_count) return RecordError::kBlockOrder;
    for (std::uint32_t gap = record->block_count; gap < id; ++gap) {
      record->blocks[gap].in_use = false;
    }
    record->block_count = id + 1U;
    const RecordError error = DecodeBlockHeader(cursor, id, previous, record, lengths);
    if (error != RecordError::kNone) return error;
    previous = &record->blocks[id];
  }
  return RecordError::kNone;
}

}  // namespace

RecordError DecodeRecord(ByteView bytes, DecodedRecord* record) {
  record->block_count = 0;
  record->main_data = {};
  if (bytes.size() < kRecordHeaderSize) return RecordError::kLength;
  record->total_length = Load(bytes.data(), v15::kTotalLength);
  if (record->total_length != bytes.size()) return RecordError::kLength;
  if (record->total_length > kMaxRecordLength) return RecordError::kLength;
  record->xid = Load(bytes.data(), v15::kXid);
  record->previous = Load(bytes.data(), v15::kPrevious);
  record->raw_info = Load(bytes.data(), v15::kInfo);
  record->info = record->raw_info & kInfoOperation;
  record->manager = Load(bytes.data(), v15::kManager);

  Cursor cursor(bytes.subspan(kRecordHeaderSize));
  Lengths lengths;
  const RecordError error = DecodeHeaders(&cursor, record, &lengths);
  if (error != RecordError::kNone) return error;
  if (cursor.left() != lengths.total) return RecordError::kLength;
  // That the parts add up has just been checked, so every Take() finds its bytes.
  for (std::uint32_t id = 0; id < record->block_count; ++id) {
    if (!record->blocks[id].in_use) continue;
    CHECK(cursor.Take(lengths.images[id], &record->blocks[id].image));
    CHECK(cursor.Take(lengths.data[id], &record->blocks[id].data));
  }
  CHECK(cursor.Take(lengths.main, &record->main_data));
  return RecordError::kNone;
}

bool CheckRecordCrc(ByteView bytes) {
  CHECK(bytes.size() >= kRecordHeaderSize);
  std::uint32_t state = ExtendCrc32c(kCrc32cStart, bytes.subspan(kRecordHeaderSize));
  state = ExtendCrc32c(state, bytes.first(v15::kCrc.offset));
  return FinishCrc32c(state) == Load(bytes.data(), v15::kCrc);
}

const char* RecordErrorText(RecordError error) {
  switch (error) {
    case RecordError::kNone:
      return "sound";
    case RecordError::kLength:
      return "lengths do not add up";
    case RecordError::kCrc:
      return "wrong CRC";
    case RecordError::kBlockOrder:
      return "block reference out of order, or of an unknown kind";
    case RecordError::kBlockHeader:
      return "flags and data length of a block reference disagree";
    case RecordError::kImageHeader:
      return "impossible hole or compression of a full-page image";
    case RecordError::kNoRelation:
      return "first block reference names no relation";
    case RecordError::kImage:
      return "full-page image cannot be restored";
  }
  return "";
}

}  // namespace wal
}  // namespace tornleaf

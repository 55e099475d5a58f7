#include "engine/wal/record/control_v1.h"

#include <algorithm>

#include "engine/base/crc32c.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/wal/record/record_v15.h"

namespace tornleaf {
namespace wal {

namespace {

bool IsPossible(const ControlData& data) {
  return slotted_v4::IsPageSize(data.page_size) && v15::IsPageBytes(data.log_page_bytes) &&
         v15::IsSegmentBytes(data.log_segment_bytes, data.log_page_bytes) &&
         data.relation_segment_bytes != 0 && data.relation_segment_bytes % data.page_size == 0 &&
         data.redo <= data.checkpoint;
}

// A flag in one byte; false if it is neither 0 nor 1.
bool LoadFlag(const std::uint8_t* copy, const FieldOf<std::uint8_t>& field, bool* flag) {
  const std::uint8_t stored = Load(copy, field);
  *flag = stored == 1;
  return stored <= 1;
}

}  // namespace

void EncodeControl(const ControlData& data, MutableBytes copy) {
  CHECK(copy.size() == kControlCopySize);
  CHECK(IsPossible(data));
  std::fill(copy.begin(), copy.end(), std::uint8_t{0});
  std::uint8_t* const to = copy.data();
  Store(to, control_v1::kMagic, control_v1::kMagicNumber);
  Store(to, control_v1::kVersion, control_v1::kVersionNumber);
  Store(to, control_v1::kSequence, data.sequence);
  Store(to, control_v1::kSystemIdentifier, data.system_identifier);
  Store(to, control_v1::kCheckpointLsn, data.checkpoint);
  Store(to, control_v1::kRedo, data.redo);
  Store(to, control_v1::kNextXid, data.next_xid);
  Store(to, control_v1::kRelationSegmentBytes, data.relation_segment_bytes);
  Store(to, control_v1::kPageSize, data.page_size);
  Store(to, control_v1::kLogPageBytes, data.log_page_bytes);
  Store(to, control_v1::kLogSegmentBytes, data.log_segment_bytes);
  Store(to, control_v1::kIndexPages, data.index_pages);
  Store(to, control_v1::kDeadRowsPages, data.dead_rows_pages);
  Store(to, control_v1::kClean, std::uint8_t{data.clean});
  Store(to, control_v1::kChecksums, std::uint8_t{data.checksums});
  Store(to, control_v1::kFullPageImages, std::uint8_t{data.full_page_images});
  Store(to, control_v1::kCrc, Crc32c(copy.first(control_v1::kCrc.offset)));
}

bool DecodeControl(ByteView copy, ControlData* data) {
  if (copy.size() < control_v1::kSize) return false;
  const std::uint8_t* const from = copy.data();
  if (Load(from, control_v1::kMagic) != control_v1::kMagicNumber) return false;
  if (Load(from, control_v1::kVersion) != control_v1::kVersionNumber) return false;
  if (Load(from, control_v1::kCrc) != Crc32c(copy.first(control_v1::kCrc.offset))) return false;
  data->sequence = Load(from, control_v1::kSequence);
  data->system_identifier = Load(from, control_v1::kSystemIdentifier);
  data->checkpoint = Load(from, control_v1::kCheckpointLsn);
  data->redo = Load(from, control_v1::kRedo);
  data->next_xid = Load(from, control_v1::kNextXid);
  data->relation_segment_bytes = Load(from, control_v1::kRelationSegmentBytes);
  data->page_size = Load(from, control_v1::kPageSize);
  data->log_page_bytes = Load(from, control_v1::kLogPageBytes);
  data->log_segment_bytes = Load(from, control_v1::kLogSegmentBytes);
  data->index_pages = Load(from, control_v1::kIndexPages);
  data->dead_rows_pages = Load(from, control_v1::kDeadRowsPages);
  return LoadFlag(from, control_v1::kClean, &data->clean) &&
         LoadFlag(from, control_v1::kChecksums, &data->checksums) &&
         LoadFlag(from, control_v1::kFullPageImages, &data->full_page_images) && IsPossible(*data);
}

}  // namespace wal
}  // namespace tornleaf

#include "engine/wal/record/xlog_records.h"

namespace tornleaf {
namespace wal {

namespace {

// Offsets within CheckPoint.
constexpr std::size_t kRedo = 0;
constexpr std::size_t kThisTimeline = 8;
constexpr std::size_t kPreviousTimeline = 12;
constexpr std::size_t kFullPageWrites = 16;
constexpr std::size_t kNextXid = 24;
constexpr std::size_t kNextObject = 32;
constexpr std::size_t kNextMulti = 36;
constexpr std::size_t kOldestXid = 44;
constexpr std::size_t kOldestXidDatabase = 48;
constexpr std::size_t kOldestMulti = 52;
constexpr std::size_t kOldestMultiDatabase = 56;
constexpr std::size_t kTime = 64;
constexpr std::size_t kCheckpointSize = 88;
constexpr std::size_t kOverwriteSize = 16;  // the position, and when it was noticed

constexpr std::uint32_t kFirstUserObject = 16384;
constexpr std::uint32_t kFirstNormalXid = 3;
constexpr std::uint32_t kFirstMulti = 1;
constexpr std::uint32_t kTemplateDatabase = 1;

}  // namespace

void CheckpointRecord::Encode(std::vector<std::uint8_t>* bytes) const {
  const std::size_t at = bytes->size();
  bytes->resize(at + kCheckpointSize);
  std::uint8_t* const to = bytes->data() + at;
  StoreLittleEndian(to + kRedo, redo);
  StoreLittleEndian(to + kThisTimeline, timeline);
  StoreLittleEndian(to + kPreviousTimeline, timeline);
  to[kFullPageWrites] = full_page_images ? 1 : 0;
  StoreLittleEndian(to + kNextXid, next_xid);
  StoreLittleEndian(to + kNextObject, kFirstUserObject);
  StoreLittleEndian(to + kNextMulti, kFirstMulti);
  StoreLittleEndian(to + kOldestXid, kFirstNormalXid);
  StoreLittleEndian(to + kOldestXidDatabase, kTemplateDatabase);
  StoreLittleEndian(to + kOldestMulti, kFirstMulti);
  StoreLittleEndian(to + kOldestMultiDatabase, kTemplateDatabase);
  StoreLittleEndian(to + kTime, unix_seconds);
}

bool CheckpointRecord::Decode(ByteView bytes, CheckpointRecord* record) {
  if (bytes.size() != kCheckpointSize) return false;
  record->redo = LoadLittleEndian<Lsn>(bytes.data() + kRedo);
  record->timeline = LoadLittleEndian<std::uint32_t>(bytes.data() + kThisTimeline);
  record->full_page_images = bytes[kFullPageWrites] != 0;
  record->next_xid = LoadLittleEndian<std::uint64_t>(bytes.data() + kNextXid);
  record->unix_seconds = LoadLittleEndian<std::int64_t>(bytes.data() + kTime);
  return true;
}

bool OverwriteContrecordRecord::Decode(ByteView bytes, OverwriteContrecordRecord* record) {
  if (bytes.size() != kOverwriteSize) return false;
  record->overwritten = LoadLittleEndian<Lsn>(bytes.data());
  return true;
}

}  // namespace wal
}  // namespace tornleaf

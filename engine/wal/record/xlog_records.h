// Records of the log about itself: resource manager kXlog, as PostgreSQL 15 lays them out
// (src/include/catalog/pg_control.h).

#ifndef TORNLEAF_ENGINE_WAL_RECORD_XLOG_RECORDS_H_
#define TORNLEAF_ENGINE_WAL_RECORD_XLOG_RECORDS_H_

#include <cstdint>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"

namespace tornleaf {
namespace wal {

// xl_info of ResourceManager::kXlog. Images (kFpi, kFpiForHint) have no main data; redo restores
// every block.
enum XlogOperation : std::uint8_t {
  kCheckpointShutdown = 0x00,
  kCheckpointOnline = 0x10,
  kNoop = 0x20,
  kNextOid = 0x30,
  kSwitch = 0x40,
  kBackupEnd = 0x50,
  kParameterChange = 0x60,
  kRestorePoint = 0x70,
  kFpwChange = 0x80,
  kEndOfRecovery = 0x90,
  kFpiForHint = 0xA0,
  kFpi = 0xB0,
  kOverwriteContrecord = 0xD0,
};
// "CHECKPOINT_ONLINE" and so on, as pg_waldump prints them; null for an unknown one.
const char* XlogOperationName(std::uint8_t info);

// Main data of both kinds of checkpoint, 88 bytes. What an index has no use for (numbers of
// objects, multixacts, commit times) is written as a new server has it, and not read.
struct CheckpointRecord {
  Lsn redo = 0;  // where replay starts
  std::uint32_t timeline = 1;
  bool full_page_images = true;
  std::uint64_t next_xid = 0;
  std::int64_t unix_seconds = 0;  // when it was made

  // Appends the bytes.
  void Encode(std::vector<std::uint8_t>* bytes) const;
  // False where the bytes are not exactly one.
  static bool Decode(ByteView bytes, CheckpointRecord* record);
};

// Main data of OVERWRITE_CONTRECORD, which only servers write: where a record begins whose
// continuation was lost, and which no reader shall look for.
struct OverwriteContrecordRecord {
  Lsn overwritten = 0;

  // False where the bytes are not exactly one.
  static bool Decode(ByteView bytes, OverwriteContrecordRecord* record);
};

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_XLOG_RECORDS_H_

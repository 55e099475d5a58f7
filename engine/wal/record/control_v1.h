// The control file of a database directory: where recovery starts, and what the files look like.
//
// Two copies, each in a sector of its own and written in turn, so that a torn write leaves the
// other one whole. The valid copy with the higher sequence number counts.
//
//        0 +-----------------------------+
//          | copy A: fields, CRC-32C     |
//     4096 +-----------------------------+
//          | copy B                      |
//     8192 +-----------------------------+

#ifndef TORNLEAF_ENGINE_WAL_RECORD_CONTROL_V1_H_
#define TORNLEAF_ENGINE_WAL_RECORD_CONTROL_V1_H_

#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"

namespace tornleaf {
namespace wal {

// What is needed to open a database. The schema stands in a text file beside it.
struct ControlData {
  std::uint64_t sequence = 0;
  std::uint64_t system_identifier = 0;
  bool clean = false;          // closed in order: nothing to replay after the checkpoint
  Lsn checkpoint = 0;          // start of the last checkpoint's record
  Lsn redo = 0;                // where replay starts
  std::uint64_t next_xid = 0;  // at that checkpoint
  std::uint32_t page_size = 0;
  std::uint32_t log_page_bytes = 0;
  std::uint32_t log_segment_bytes = 0;
  std::uint64_t relation_segment_bytes = 0;
  bool checksums = false;
  bool full_page_images = false;
};

inline constexpr std::uint32_t kControlFileSize = 8192;
inline constexpr std::uint32_t kControlCopyOffset[2] = {0, 4096};

// Fills one copy, kControlCopyOffset[1] bytes, of which the tail is zero.
void EncodeControl(const ControlData& data, MutableBytes copy);
// False if the copy is damaged, of another version, or says what cannot be.
bool DecodeControl(ByteView copy, ControlData* data);

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_CONTROL_V1_H_

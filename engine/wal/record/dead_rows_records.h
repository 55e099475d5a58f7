// What the log says about the list of dead rows: records of ResourceManager::kTornleaf.
//
//   ADD_DEAD_ROWS     rows are appended to one page. Main data: AddDeadRowsRecord. Block 0: the row
//                     addresses, 6 bytes each; will_init if they are the page's first ones, so that
//                     a page that is used again needs no image.
//   RESET_DEAD_ROWS   a page is emptied. No main data; block 0 will_init and without data.
//
// Images replace block 0 of ADD_DEAD_ROWS as they do in nbtree's records. Redo is deterministic:
// format/dead_rows_v1.h has the changes of pages as functions.

#ifndef TORNLEAF_ENGINE_WAL_RECORD_DEAD_ROWS_RECORDS_H_
#define TORNLEAF_ENGINE_WAL_RECORD_DEAD_ROWS_RECORDS_H_

#include <cstdint>
#include <vector>

#include "engine/base/bytes.h"

namespace tornleaf {
namespace wal {

// xl_info of ResourceManager::kTornleaf.
enum DeadRowsOperation : std::uint8_t {
  kAddDeadRows = 0x00,
  kResetDeadRows = 0x10,
};
// "ADD_DEAD_ROWS" and so on; null for an unknown one.
const char* DeadRowsOperationName(std::uint8_t info);

struct AddDeadRowsRecord {
  std::uint16_t first = 0;  // rows that the page holds before
  std::uint16_t count = 0;  // rows that are appended: block 0 has as many addresses

  // Appends the four bytes of the main data.
  void Encode(std::vector<std::uint8_t>* bytes) const;
  // False where the bytes are not exactly one.
  static bool Decode(ByteView bytes, AddDeadRowsRecord* record);
};

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_DEAD_ROWS_RECORDS_H_

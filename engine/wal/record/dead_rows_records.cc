#include "engine/wal/record/dead_rows_records.h"

namespace tornleaf {
namespace wal {

namespace {

constexpr std::size_t kAddSize = 4;

}  // namespace

const char* DeadRowsOperationName(std::uint8_t info) {
  switch (info) {
    case kAddDeadRows:
      return "ADD_DEAD_ROWS";
    case kResetDeadRows:
      return "RESET_DEAD_ROWS";
    default:
      return nullptr;
  }
}

void AddDeadRowsRecord::Encode(std::vector<std::uint8_t>* bytes) const {
  const std::size_t at = bytes->size();
  bytes->resize(at + kAddSize);
  StoreLittleEndian(bytes->data() + at, first);
  StoreLittleEndian(bytes->data() + at + sizeof(first), count);
}

bool AddDeadRowsRecord::Decode(ByteView bytes, AddDeadRowsRecord* record) {
  if (bytes.size() != kAddSize) return false;
  record->first = LoadLittleEndian<std::uint16_t>(bytes.data());
  record->count = LoadLittleEndian<std::uint16_t>(bytes.data() + sizeof(record->first));
  return true;
}

}  // namespace wal
}  // namespace tornleaf

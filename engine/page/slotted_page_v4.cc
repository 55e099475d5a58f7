#include "engine/page/slotted_page_v4.h"

#include <cstring>

namespace tornleaf {

void PageWriter::Initialize(std::uint32_t special_size) {
  CHECK(special_size < size() - slotted_v4::kHeaderSize);
  std::memset(data(), 0, size());
  const std::uint32_t special = size() - MaxAlign(special_size);
  set_lower(slotted_v4::kHeaderSize);
  set_upper(special);
  Store(data(), slotted_v4::kSpecial, static_cast<std::uint16_t>(special));
  Store(data(), slotted_v4::kPageSizeVersion,
        static_cast<std::uint16_t>(size() | slotted_v4::kLayoutVersion));
}

void PageWriter::set_lsn(Lsn lsn) {
  Store(data(), slotted_v4::kLsnHigh, static_cast<std::uint32_t>(lsn >> 32));
  Store(data(), slotted_v4::kLsnLow, static_cast<std::uint32_t>(lsn));
}

void PageWriter::set_lower(std::uint32_t lower) {
  CHECK(lower >= slotted_v4::kHeaderSize);
  CHECK(lower <= size());
  Store(data(), slotted_v4::kLower, static_cast<std::uint16_t>(lower));
}

void PageWriter::set_upper(std::uint32_t upper) {
  CHECK(upper <= size());
  Store(data(), slotted_v4::kUpper, static_cast<std::uint16_t>(upper));
}

void PageWriter::set_line_pointer(OffsetNumber slot, LinePointer pointer) {
  CHECK(slot >= 1);
  CHECK(slot <= view().item_count());
  CHECK(pointer.end() <= size());
  StoreLittleEndian(data() + PageView::LinePointerOffset(slot), pointer.Encode());
}

std::uint32_t PageWriter::FreeSpace() const {
  const std::uint32_t lower = view().lower();
  const std::uint32_t upper = view().upper();
  if (upper < lower + slotted_v4::kLinePointerSize) return 0;
  return upper - lower - slotted_v4::kLinePointerSize;
}

void PageWriter::AppendItem(ByteView tuple) {
  const auto length = static_cast<std::uint32_t>(tuple.size());
  CHECK(MaxAlign(length) <= FreeSpace());
  const std::uint32_t offset = view().upper() - MaxAlign(length);
  std::memcpy(data() + offset, tuple.data(), length);
  set_lower(view().lower() + slotted_v4::kLinePointerSize);
  set_upper(offset);
  set_line_pointer(view().item_count(), {offset, length, LineFlags::kNormal});
}

}  // namespace tornleaf

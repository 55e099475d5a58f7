#include "corpus/rejects/generate/workpiece.h"

#include <algorithm>
#include <cstdio>

#include "engine/base/check.h"

namespace tornleaf {

namespace {

std::string Hex(std::uint64_t value, int digits) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

std::string LineText(LinePointer pointer) {
  return "offset " + std::to_string(pointer.offset) + " length " + std::to_string(pointer.length) +
         " flags " + std::to_string(static_cast<unsigned>(pointer.flags));
}

}  // namespace

std::string Workpiece::Whole(const Field& field, std::uint64_t value) {
  const bool hex = field.kind == FieldKind::kHex || field.kind == FieldKind::kFlags ||
                   field.kind == FieldKind::kPadding;
  return hex ? Hex(value, 2 * field.size) : std::to_string(value);
}

std::string Workpiece::Fraction(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

PageView Workpiece::page(BlockNumber block) const {
  CHECK(block < page_count());
  return PageView(ByteView(image_).subspan(std::size_t{block} * page_size_, page_size_));
}

TupleView Workpiece::tuple(BlockNumber block, OffsetNumber slot) const {
  return nbtree::NbtreePage(page(block)).tuple(slot);
}

std::uint8_t* Workpiece::block_bytes(BlockNumber block) {
  CHECK(block < page_count());
  return image_.data() + std::size_t{block} * page_size_;
}

std::uint8_t* Workpiece::tuple_bytes(BlockNumber block, OffsetNumber slot) {
  CHECK(slot >= 1);
  CHECK(slot <= page(block).item_count());
  return block_bytes(block) + page(block).line_pointer(slot).offset;
}

void Workpiece::SetLine(BlockNumber block, OffsetNumber slot, LinePointer pointer) {
  const LinePointer before = page(block).line_pointer(slot);
  StoreLittleEndian(block_bytes(block) + PageView::LinePointerOffset(slot), pointer.Encode());
  Note(Where(block) + " line pointer " + std::to_string(slot) + ": " + LineText(before) +
       " becomes " + LineText(pointer));
}

void Workpiece::SetTupleByte(BlockNumber block, OffsetNumber slot, std::uint32_t offset,
                             std::uint8_t value) {
  std::uint8_t* byte = tuple_bytes(block, slot) + offset;
  CHECK(*byte != value);
  Note(Where(block, slot) + ": byte " + std::to_string(offset) + " " + Hex(*byte, 2) + " becomes " +
       Hex(value, 2));
  *byte = value;
}

void Workpiece::SetByte(BlockNumber block, std::uint32_t offset, std::uint8_t value) {
  std::uint8_t* byte = block_bytes(block) + offset;
  CHECK(*byte != value);
  Note(Where(block) + ": byte " + std::to_string(offset) + " " + Hex(*byte, 2) + " becomes " +
       Hex(value, 2));
  *byte = value;
}

std::vector<TupleBytes> Workpiece::Items(BlockNumber block) const {
  std::vector<TupleBytes> items;
  for (OffsetNumber slot = 1; slot <= page(block).item_count(); ++slot) {
    const ByteView bytes = tuple(block, slot).bytes();
    items.emplace_back(bytes.begin(), bytes.end());
  }
  return items;
}

void Workpiece::SetItems(BlockNumber block, const std::vector<TupleBytes>& items,
                         const std::string& edit) {
  PageWriter writer(MutableBytes(block_bytes(block), page_size_));
  const std::uint32_t special = writer.view().special();
  std::memset(writer.data() + slotted_v4::kHeaderSize, 0, special - slotted_v4::kHeaderSize);
  writer.set_lower(slotted_v4::kHeaderSize);
  writer.set_upper(special);
  for (const TupleBytes& item : items) writer.AppendItem(item);
  Note(Where(block) + ": " + edit);
}

void Workpiece::CopyPage(BlockNumber from, BlockNumber to) {
  std::copy_n(block_bytes(from), page_size_, block_bytes(to));
  Note(Where(to) + ": becomes a copy of block " + std::to_string(from));
}

void Workpiece::SwapLines(BlockNumber block, OffsetNumber a, OffsetNumber b) {
  const LinePointer first = page(block).line_pointer(a);
  const LinePointer second = page(block).line_pointer(b);
  StoreLittleEndian(block_bytes(block) + PageView::LinePointerOffset(a), second.Encode());
  StoreLittleEndian(block_bytes(block) + PageView::LinePointerOffset(b), first.Encode());
  Note(Where(block) + ": line pointers " + std::to_string(a) + " and " + std::to_string(b) +
       " change places");
}

void Workpiece::ZeroPage(BlockNumber block) {
  std::fill_n(block_bytes(block), page_size_, std::uint8_t{0});
  Note(Where(block) + ": becomes zeroes");
}

BlockNumber Workpiece::AppendZeroPage() {
  image_.resize(image_.size() + page_size_);
  return page_count() - 1;
}

BlockNumber Workpiece::AppendCopy(BlockNumber from) {
  const BlockNumber block = AppendZeroPage();
  CopyPage(from, block);
  return block;
}

void Workpiece::AppendBytes(std::uint32_t count) {
  image_.resize(image_.size() + count);
  Note(std::to_string(count) + " zero bytes behind the last page");
}

void Workpiece::CutPages(BlockNumber count) {
  CHECK(count < page_count());
  image_.resize(image_.size() - std::size_t{count} * page_size_);
  Note("the last " + std::to_string(count) + " pages are gone");
}

void Workpiece::FixChecksums() {
  checksums_ = true;
  for (BlockNumber block = 0; block < page_count(); ++block) {
    if (!page(block).is_new()) SetChecksum({block_bytes(block), page_size_}, block);
  }
}

}  // namespace tornleaf

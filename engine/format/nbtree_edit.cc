#include "engine/format/nbtree_edit.h"

#include <cstring>

#include "engine/format/edit_checks.h"

namespace tornleaf {
namespace nbtree {

namespace {

// Shifts the tuples between pd_upper and `end` by `distance`, towards higher offsets if positive,
// and every line pointer that leads to one of them.
void ShiftTuples(PageWriter page, std::uint32_t end, std::int32_t distance) {
  const std::uint32_t upper = page.view().upper();
  const auto to = static_cast<std::uint32_t>(static_cast<std::int32_t>(upper) + distance);
  std::memmove(page.data() + to, page.data() + upper, end - upper);
  page.set_upper(to);
  const OffsetNumber count = page.view().item_count();
  for (std::uint32_t slot = 1; slot <= count; ++slot) {
    LinePointer pointer = page.view().line_pointer(static_cast<OffsetNumber>(slot));
    if (pointer.offset >= end) continue;
    pointer.offset =
        static_cast<std::uint32_t>(static_cast<std::int32_t>(pointer.offset) + distance);
    page.set_line_pointer(static_cast<OffsetNumber>(slot), pointer);
  }
}

// Takes one line pointer out of the array.
void RemoveLinePointer(PageWriter page, OffsetNumber slot) {
  const std::uint32_t begin = PageView::LinePointerOffset(slot);
  const std::uint32_t next = begin + slotted_v4::kLinePointerSize;
  std::memmove(page.data() + begin, page.data() + next, page.view().lower() - next);
  page.set_lower(page.view().lower() - slotted_v4::kLinePointerSize);
}

// Deletes three items or more at once: what is left is laid out anew from the special area
// downwards in item order, whatever order it had.
void DeleteAndLayOut(PageWriter page, std::span<const OffsetNumber> slots) {
  const std::vector<std::uint8_t> before(page.bytes().begin(), page.bytes().end());
  const PageView old{ByteView(before)};
  std::uint32_t offset = old.special();
  std::uint32_t kept = 0;
  std::size_t next = 0;
  for (std::uint32_t slot = 1; slot <= old.item_count(); ++slot) {
    if (next < slots.size() && slots[next] == slot) {
      ++next;
      continue;
    }
    LinePointer pointer = old.line_pointer(static_cast<OffsetNumber>(slot));
    offset -= pointer.length;
    std::memcpy(page.data() + offset, old.data() + pointer.offset, pointer.length);
    pointer.offset = offset;
    page.set_line_pointer(static_cast<OffsetNumber>(++kept), pointer);
  }
  page.set_lower(slotted_v4::kHeaderSize + kept * slotted_v4::kLinePointerSize);
  page.set_upper(offset);
}

void DeleteOne(PageWriter page, OffsetNumber slot) {
  const LinePointer pointer = page.view().line_pointer(slot);
  RemoveLinePointer(page, slot);
  ShiftTuples(page, pointer.offset, static_cast<std::int32_t>(pointer.length));
}

}  // namespace

const char* EditErrorText(EditError error) {
  switch (error) {
    case EditError::kNone:
      return "no error";
    case EditError::kNoSuchSlot:
      return "no such item";
    case EditError::kNoRoom:
      return "the page has no room for it";
    case EditError::kBadTuple:
      return "the tuple's size or kind is impossible";
    case EditError::kNotPosting:
      return "the tuple has no posting list";
    case EditError::kBadPosting:
      return "the posting list cannot be changed so";
    case EditError::kBadLayout:
      return "the page's layout is not what the change needs";
  }
  return "unknown";
}

EditError InsertItem(PageWriter page, OffsetNumber slot, ByteView tuple) {
  const PageView view = page.view();
  if (!HasItemLayout(view)) return EditError::kBadLayout;
  if (!HasOwnSize(tuple)) return EditError::kBadTuple;
  const std::uint32_t count = view.item_count();
  if (slot < 1 || slot > count + 1) return EditError::kNoSuchSlot;
  const auto size = static_cast<std::uint32_t>(tuple.size());
  const std::uint32_t lower = view.lower() + slotted_v4::kLinePointerSize;
  if (lower > view.upper() || size > view.upper() - lower) return EditError::kNoRoom;

  const std::uint32_t offset = view.upper() - size;
  std::memcpy(page.data() + offset, tuple.data(), size);
  const std::uint32_t place = PageView::LinePointerOffset(slot);
  std::memmove(page.data() + place + slotted_v4::kLinePointerSize, page.data() + place,
               view.lower() - place);
  page.set_lower(lower);
  page.set_upper(offset);
  page.set_line_pointer(slot, {offset, size, LineFlags::kNormal});
  return EditError::kNone;
}

EditError OverwriteItem(PageWriter page, OffsetNumber slot, ByteView tuple) {
  const PageView view = page.view();
  if (!HasItemLayout(view)) return EditError::kBadLayout;
  if (!HasOwnSize(tuple)) return EditError::kBadTuple;
  if (!HasItem(view, slot)) return EditError::kNoSuchSlot;
  LinePointer pointer = view.line_pointer(slot);
  const auto size = static_cast<std::uint32_t>(tuple.size());
  if (size > pointer.length + (view.upper() - view.lower())) return EditError::kNoRoom;

  const auto distance = static_cast<std::int32_t>(pointer.length) - static_cast<std::int32_t>(size);
  if (distance != 0) ShiftTuples(page, pointer.offset, distance);
  pointer.offset = static_cast<std::uint32_t>(static_cast<std::int32_t>(pointer.offset) + distance);
  pointer.length = size;
  page.set_line_pointer(slot, pointer);
  std::memcpy(page.data() + pointer.offset, tuple.data(), size);
  return EditError::kNone;
}

EditError DeleteItem(PageWriter page, OffsetNumber slot) { return DeleteItems(page, {&slot, 1}); }

EditError DeleteItems(PageWriter page, std::span<const OffsetNumber> slots) {
  if (!HasItemLayout(page.view())) return EditError::kBadLayout;
  if (!AscendWithinPage(page.view(), slots)) return EditError::kNoSuchSlot;
  // The server deletes one or two items without laying out the others anew; which of the two ways
  // was taken shows in the bytes.
  constexpr std::size_t kOneByOne = 2;
  if (slots.size() > kOneByOne) {
    if (!AllReadable(page.view())) return EditError::kBadLayout;
    DeleteAndLayOut(page, slots);
    return EditError::kNone;
  }
  for (std::size_t index = slots.size(); index > 0; --index) DeleteOne(page, slots[index - 1]);
  return EditError::kNone;
}

}  // namespace nbtree
}  // namespace tornleaf

#include "tools/page_items.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/key/value_text.h"
#include "engine/page/page_check.h"

namespace tornleaf {
namespace {

using nbtree::NbtreePage;
using nbtree::TupleKind;

// Finds the key's bytes and the row addresses of a posting list.
void ReadPosting(PageItem* item) {
  const std::uint32_t offset = nbtree::PostingOffset(item->tuple);
  const std::uint32_t count = nbtree::PostingCount(item->tuple);
  const std::uint32_t size = item->tuple.stored_size();
  if (offset < item->tuple.data_offset() || offset > size ||
      count > (size - offset) / index_tuple::kTidSize) {
    item->damage =
        absl::StrFormat("posting list of %u row addresses at %u leaves the tuple", count, offset);
    return;
  }
  item->data =
      item->tuple.bytes().subspan(item->tuple.data_offset(), offset - item->tuple.data_offset());
  for (std::uint32_t index = 0; index < count; ++index) {
    item->tids.push_back(nbtree::PostingTid(item->tuple, index));
  }
  if (!item->tids.empty()) item->heap_tid = item->tids.front();
}

void ReadPivot(PageItem* item) {
  const std::uint32_t begin = item->tuple.data_offset();
  std::uint32_t end = item->tuple.stored_size();
  if (nbtree::PivotHasHeapTid(item->tuple)) {
    const std::uint32_t tid_space = MaxAlign(index_tuple::kTidSize);
    if (end < begin + tid_space) {
      item->damage = "no room for the row address that the pivot says it has";
      return;
    }
    item->heap_tid = nbtree::PivotHeapTid(item->tuple);
    end -= tid_space;
  }
  item->data = item->tuple.bytes().subspan(begin, end - begin);
}

void ReadTuple(PageView page, PageItem* item) {
  const LinePointer pointer = item->pointer;
  if (pointer.flags != LineFlags::kNormal && pointer.flags != LineFlags::kDead) {
    item->damage = absl::StrFormat("line pointer flags %u, neither normal nor dead",
                                   static_cast<unsigned>(pointer.flags));
    return;
  }
  if (pointer.end() > page.size() || pointer.length < index_tuple::kHeaderSize) {
    item->damage = absl::StrFormat("[%u,%u) holds no tuple on a page of %u bytes", pointer.offset,
                                   pointer.end(), page.size());
    return;
  }
  if (!IsReadable(page, pointer)) {
    item->damage = absl::StrFormat("[%u,%u) is not inside the tuples [%u,%u)", pointer.offset,
                                   pointer.end(), page.upper(), page.special());
  }
  // Like the server, trust the size that the tuple tells, as far as the page goes.
  TupleView stored(page.bytes().subspan(pointer.offset, pointer.length));
  std::uint32_t size = stored.size();
  if (size != pointer.length) {
    item->damage =
        absl::StrFormat("the tuple says %u bytes, its line pointer %u", size, pointer.length);
    size = std::clamp(size, index_tuple::kHeaderSize, page.size() - pointer.offset);
  }
  item->tuple = TupleView(page.bytes().subspan(pointer.offset, size));
  item->has_tuple = true;
  item->kind = nbtree::KindOf(item->tuple);
  if (item->tuple.data_offset() > size) {
    item->damage = "no room for the null bitmap that the tuple says it has";
    return;
  }
  if (item->kind == TupleKind::kPosting) {
    ReadPosting(item);
  } else if (item->kind == TupleKind::kPivot) {
    ReadPivot(item);
  } else {
    item->data = item->tuple.bytes().subspan(item->tuple.data_offset());
    // Before version 4 a pivot looks like a plain tuple, and its address says nothing.
    if (!item->in_pivot_place) item->heap_tid = item->tuple.tid();
  }
}

const char* NameOf(DeformError error) {
  switch (error) {
    case DeformError::kNone:
      return "";
    case DeformError::kShortHeader:
      return "<no room for the null bitmap>";
    case DeformError::kNullBitmap:
      return "<bad null bitmap>";
    case DeformError::kPadding:
      return "<padding is not zero>";
    case DeformError::kPastEnd:
      return "<runs past the tuple>";
    case DeformError::kVarlenaHeader:
      return "<impossible varlena header>";
    case DeformError::kCompressedValue:
      return "<damaged compressed value>";
    case DeformError::kTrailingBytes:
      return "<bytes left over>";
    case DeformError::kVarWidthFlag:
      return "<INDEX_VAR_MASK is wrong>";
  }
  return "<damaged>";
}

}  // namespace

PageKind KindOfPage(PageView page, BlockNumber block) {
  if (page.is_new()) return PageKind::kNew;
  if (page.special() != page.size() - nbtree::kOpaqueSize) return PageKind::kDamaged;
  const NbtreePage nbtree_page(page);
  if (block == nbtree::kMetaBlock || nbtree_page.is_meta()) return PageKind::kMeta;
  if (nbtree_page.is_deleted()) return PageKind::kDeleted;
  if (nbtree_page.is_half_dead()) return PageKind::kHalfDead;
  return nbtree_page.is_leaf() ? PageKind::kLeaf : PageKind::kInternal;
}

const char* NameOf(PageKind kind) {
  switch (kind) {
    case PageKind::kNew:
      return "new";
    case PageKind::kDamaged:
      return "damaged";
    case PageKind::kMeta:
      return "meta";
    case PageKind::kLeaf:
      return "leaf";
    case PageKind::kInternal:
      return "internal";
    case PageKind::kHalfDead:
      return "half-dead";
    case PageKind::kDeleted:
      return "deleted";
  }
  return "?";
}

std::vector<PageItem> ItemsOf(PageView page, BlockNumber block) {
  std::vector<PageItem> items;
  const PageKind kind = KindOfPage(page, block);
  if (kind != PageKind::kLeaf && kind != PageKind::kInternal && kind != PageKind::kHalfDead) {
    return items;
  }
  const NbtreePage nbtree_page(page);
  items.resize(page.item_count());
  // Tuples of a sound page share nothing. Where many line pointers name the same bytes, following
  // them all would make gigabytes of a page.
  const std::uint32_t bytes_max = 2 * page.size();
  std::uint32_t bytes = 0;
  for (OffsetNumber slot = 1; slot <= page.item_count(); ++slot) {
    PageItem& item = items[slot - 1U];
    item.slot = slot;
    item.pointer = page.line_pointer(slot);
    item.is_high_key = slot == 1 && !nbtree_page.is_rightmost();
    item.is_minus_infinity = !nbtree_page.is_leaf() && slot == nbtree_page.first_data_slot();
    item.in_pivot_place = item.is_high_key || !nbtree_page.is_leaf();
    if (bytes > bytes_max) {
      item.damage = "left out: the items before it are larger than two pages";
      continue;
    }
    ReadTuple(page, &item);
    if (item.has_tuple) bytes += item.tuple.stored_size();
  }
  return items;
}

std::uint32_t PageItem::AttributeCount(const Schema& schema) const {
  if (is_minus_infinity) return 0;
  if (kind != TupleKind::kPivot)
    return in_pivot_place ? schema.key_count() : schema.attribute_count();
  return std::min(nbtree::PivotAttributeCount(tuple), schema.attribute_count());
}

std::vector<std::string> KeyTexts(const PageItem& item, const Schema& schema,
                                  std::size_t size_max) {
  std::vector<std::string> texts;
  if (!item.has_tuple) return texts;
  const std::uint32_t wanted = item.AttributeCount(schema);
  if (wanted == 0) return texts;
  const auto end = static_cast<std::uint32_t>(item.tuple.data_offset() + item.data.size());
  if (end > item.tuple.stored_size()) return texts;
  DeformedTuple deformed;
  const DeformResult result = deformed.Deform(schema, item.tuple, wanted, end);
  for (std::uint32_t index = 0; index < deformed.count(); ++index) {
    const Value& value = deformed.value(index);
    std::string text;
    if (value.is_null) {
      text = "\\N";
    } else {
      AppendValueText(schema.attribute(index).type, value, &text, size_max);
    }
    texts.push_back(std::move(text));
  }
  if (!result.ok()) texts.emplace_back(NameOf(result.error));
  return texts;
}

std::string TidText(ItemPointer tid) { return absl::StrCat("(", tid.block, ",", tid.offset, ")"); }

std::string LsnText(Lsn lsn) {
  return absl::StrFormat("%X/%X", static_cast<std::uint32_t>(lsn >> 32),
                         static_cast<std::uint32_t>(lsn));
}

std::string FlagsText(std::uint32_t flags, std::span<const FlagBit> names) {
  if (flags == 0) return "0";
  std::string text;
  for (const FlagBit& name : names) {
    if ((flags & name.bit) == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : "|", name.name);
    flags &= ~std::uint32_t{name.bit};
  }
  if (flags != 0) absl::StrAppend(&text, text.empty() ? "" : "|", absl::StrFormat("0x%04x", flags));
  return text;
}

}  // namespace tornleaf

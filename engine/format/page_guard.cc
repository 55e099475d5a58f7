#include "engine/format/page_guard.h"

#include <algorithm>

#include "engine/page/page_check.h"

namespace tornleaf {
namespace nbtree {

namespace {

// Which parts of the tuple region items lie on, one bit for each eight bytes.
class Occupied {
 public:
  // False if some of it is taken already. `pointer` is MAXALIGNed and inside a page.
  bool Take(LinePointer pointer) {
    std::uint32_t begin = pointer.offset / kMaxAlign;
    const std::uint32_t end = pointer.end() / kMaxAlign;
    while (begin < end) {
      const std::uint32_t bit = begin % kWordBits;
      const std::uint32_t count = std::min(end - begin, kWordBits - bit);
      const std::uint64_t ones = count == kWordBits ? ~0ULL : (1ULL << count) - 1;
      std::uint64_t& word = words_[begin / kWordBits];
      if ((word & ones << bit) != 0) return false;
      word |= ones << bit;
      begin += count;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kWordBits = 64;
  std::uint64_t words_[slotted_v4::kPageSizeMax / kMaxAlign / kWordBits] = {};
};

const char* CheckHeader(PageView page) {
  if (page.page_size_version() != (page.size() | slotted_v4::kLayoutVersion)) {
    return "page size or layout version";
  }
  if ((page.flags() & ~slotted_v4::kKnownPageFlags) != 0) return "unknown page flags";
  const bool in_order = slotted_v4::kHeaderSize <= page.lower() && page.lower() <= page.upper() &&
                        page.upper() <= page.special();
  if (!in_order) return "page regions out of order";
  if (page.special() != page.size() - kOpaqueSize) return "size of the special area";
  if (!IsMaxAligned(page.upper())) return "pd_upper not aligned";
  if ((page.lower() - slotted_v4::kHeaderSize) % slotted_v4::kLinePointerSize != 0) {
    return "part of a line pointer";
  }
  return nullptr;
}

const char* CheckMeta(PageView page) {
  const std::uint32_t version = Load(page.data(), kMetaVersion);
  if (page.lower() < kMetaEndV2) return "metapage cut short";
  if (Load(page.data(), kMetaMagic) != kMagicNumber) return "not the metapage of a B-tree";
  if (version < kVersionMin || version > kVersionMax) return "unknown B-tree version";
  return nullptr;
}

const char* CheckPivot(TupleView tuple, const Schema* schema) {
  if (!tuple.alt_tid() || KindOf(tuple) != TupleKind::kPivot) return "no pivot tuple";
  if ((tuple.tid().offset & kStatusBits & ~kPivotHeapTid) != 0) return "unknown pivot flags";
  const std::uint32_t count = PivotAttributeCount(tuple);
  if (count > (schema == nullptr ? kMaxAttributes : schema->key_count())) {
    return "too many attributes in a pivot";
  }
  if (!PivotHasHeapTid(tuple)) return nullptr;
  if (tuple.stored_size() < tuple.data_offset() + MaxAlign(index_tuple::kTidSize)) {
    return "pivot too short for a row address";
  }
  if (schema != nullptr && count != schema->key_count()) return "row address after a cut key";
  return nullptr;
}

const char* CheckDataItem(TupleView tuple) {
  switch (KindOf(tuple)) {
    case TupleKind::kPlain:
      return nullptr;
    case TupleKind::kPosting:
      if ((tuple.tid().offset & kStatusBits) != kPosting) return "unknown posting flags";
      return IsSoundPosting(tuple) ? nullptr : "posting list";
    case TupleKind::kPivot:
      break;
  }
  return "pivot tuple among a leaf's data";
}

// Whether the attributes can be read to the end.
const char* CheckAttributes(TupleView tuple, bool pivot, const Schema& schema,
                            DeformedTuple* values) {
  const std::uint32_t count = pivot ? PivotAttributeCount(tuple) : schema.attribute_count();
  return values->Deform(schema, tuple, count, KeyEnd(tuple)).ok() ? nullptr
                                                                  : "attributes cannot be read";
}

const char* CheckStorage(PageView page, LinePointer pointer, Occupied* occupied) {
  if (pointer.flags != LineFlags::kNormal && pointer.flags != LineFlags::kDead) {
    return "line pointer without an item";
  }
  if (!IsReadable(page, pointer)) return "line pointer outside the tuples";
  if (!IsMaxAligned(pointer.length)) return "length of an item not aligned";
  if (pointer.length > Limits{page.size()}.MaxItemSizeNoHeapTid()) return "item too large";
  if (!occupied->Take(pointer)) return "items overlap";
  return nullptr;
}

const char* CheckTuple(const NbtreePage& page, OffsetNumber slot, TupleView tuple,
                       const Schema* schema, DeformedTuple* values) {
  if (tuple.size() != tuple.stored_size()) return "size of a tuple";
  const bool pivot = !page.is_leaf() || slot < page.first_data_slot();
  const char* rule = pivot ? CheckPivot(tuple, schema) : CheckDataItem(tuple);
  if (rule != nullptr || schema == nullptr) return rule;
  return CheckAttributes(tuple, pivot, *schema, values);
}

}  // namespace

const char* GuardTuple(const NbtreePage& page, OffsetNumber slot, TupleView tuple,
                       const Schema* schema) {
  DeformedTuple values;
  return CheckTuple(page, slot, tuple, schema, &values);
}

GuardVerdict GuardPage(ByteView bytes, bool is_meta, const Schema* schema) {
  const PageView view(bytes);
  const char* rule = CheckHeader(view);
  if (rule != nullptr) return {rule, 0};
  const NbtreePage page(view);
  if (page.has_unknown_flags()) return {"unknown B-tree page flags", 0};
  if (page.is_meta() != is_meta)
    return {is_meta ? "no metapage" : "metapage in the wrong place", 0};
  if (is_meta) return {CheckMeta(view), 0};
  if (page.is_deleted()) {
    const bool short_page = page.has_full_xid() && view.lower() < kDeletedLower;
    return {short_page ? "deleted page without its transaction id" : nullptr, 0};
  }
  if (page.is_leaf() != (page.level() == 0)) return {"level of a leaf", 0};
  if (page.is_half_dead() && (!page.is_leaf() || page.is_rightmost())) {
    return {"half-dead page that cannot be deleted", 0};
  }
  const OffsetNumber least = page.is_leaf() ? static_cast<OffsetNumber>(page.first_data_slot() - 1)
                                            : page.first_data_slot();
  if (page.item_count() < least) return {"no high key, or no downlink", 0};

  Occupied occupied;
  DeformedTuple values;
  for (std::uint32_t number = 1; number <= page.item_count(); ++number) {
    const auto slot = static_cast<OffsetNumber>(number);
    rule = CheckStorage(view, view.line_pointer(slot), &occupied);
    if (rule == nullptr) rule = CheckTuple(page, slot, page.tuple(slot), schema, &values);
    if (rule != nullptr) return {rule, slot};
  }
  return {};
}

}  // namespace nbtree
}  // namespace tornleaf

#include "tests/checker_score/oracle.h"

#include <cmath>
#include <string_view>

#include "tests/checker_score/rules.h"

namespace tornleaf {
namespace checker_score {

namespace {

// A field as a little-endian number; only its first 8 bytes count.
std::uint64_t NumberOf(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof(number)));
  return number;
}

bool Is(const Mutation& mutation, const Field& field) {
  return std::string_view(mutation.field.name) == field.name;
}

// A table has at most 2^32 - 1 pages, each with at most MaxHeapOffset rows.
bool IsRowCount(double rows, const nbtree::Limits& limits) {
  if (rows == -1) return true;
  return rows >= 0 && rows <= 4294967295.0 * limits.MaxHeapOffset() && std::floor(rows) == rows;
}

}  // namespace

const Rule* Oracle::Excuse(const Mutation& mutation) const {
  switch (mutation.field.region) {
    case Region::kHeader:
      return ExcuseHeader(mutation);
    case Region::kLinePointers:
      return ExcuseLinePointer(mutation);
    case Region::kHole:
      return &rules::kHole;
    case Region::kTuple:
      return ExcuseTuple(mutation);
    case Region::kSpecial:
      return ExcuseSpecial(mutation);
    case Region::kMetaPage:
      return ExcuseMeta(mutation);
    case Region::kDeletedPage:
      if (!Is(mutation, nbtree::kSafeXid)) return &rules::kDeletedLeftover;
      return NumberOf(mutation.new_bytes) >= 3 ? &rules::kSafeXid : nullptr;
    case Region::kNewPage:
      return nullptr;
  }
  CHECK(false);
}

const Rule* Oracle::ExcuseHeader(const Mutation& mutation) const {
  if (index_.page(mutation.field.block).state == PageState::kNew) return nullptr;
  if (Is(mutation, slotted_v4::kLsnHigh) || Is(mutation, slotted_v4::kLsnLow)) return &rules::kLsn;
  if (Is(mutation, slotted_v4::kChecksum)) return &rules::kChecksum;
  const bool meta_end =
      mutation.field.block == nbtree::kMetaBlock && Is(mutation, slotted_v4::kLower);
  if (meta_end && NumberOf(mutation.new_bytes) == nbtree::kMetaEndV3 &&
      !index_.meta().all_equal_image) {
    return &rules::kMetaOlder;
  }
  return nullptr;
}

const Rule* Oracle::ExcuseLinePointer(const Mutation& mutation) const {
  const auto old_raw = static_cast<std::uint32_t>(NumberOf(mutation.old_bytes));
  const auto new_raw = static_cast<std::uint32_t>(NumberOf(mutation.new_bytes));
  LinePointer before = LinePointer::Decode(old_raw);
  const LinePointer after = LinePointer::Decode(new_raw);
  before.flags = after.flags;
  const bool flags_only = before.Encode() == after.Encode();
  const bool legal = after.flags == LineFlags::kNormal || after.flags == LineFlags::kDead;
  const bool leaf_data =
      index_.RoleOf(mutation.field.block, mutation.field.slot) == ItemRole::kLeafData;
  return flags_only && legal && leaf_data ? &rules::kDeadItem : nullptr;
}

const Rule* Oracle::ExcuseSpecial(const Mutation& mutation) const {
  const PageModel& model = index_.page(mutation.field.block);
  if (model.state == PageState::kMeta) return nullptr;
  const std::uint64_t value = NumberOf(mutation.new_bytes);
  if (Is(mutation, nbtree::kCycleId)) {
    return value <= nbtree::kMaxCycleId ? &rules::kCycleId : nullptr;
  }
  if (Is(mutation, nbtree::kFlags)) return ExcuseFlags(mutation);
  if (model.state != PageState::kDeleted) return nullptr;
  if (Is(mutation, nbtree::kLevel)) {
    const bool legal = !model.page.is_leaf() && value >= 1 && value < index_.meta().level;
    return legal ? &rules::kDeletedLevel : nullptr;
  }
  // The rightmost page of a level is never deleted, so there is always a right link.
  const bool legal = value < index_.block_count() && value != mutation.field.block &&
                     (value != 0 || Is(mutation, nbtree::kPrev));
  return legal ? &rules::kDeletedLink : nullptr;
}

const Rule* Oracle::ExcuseFlags(const Mutation& mutation) const {
  const nbtree::NbtreePage page = index_.page(mutation.field.block).page;
  const std::uint64_t changed = NumberOf(mutation.old_bytes) ^ NumberOf(mutation.new_bytes);
  // A split sets SPLIT_END on a page that has a right sibling; it keeps one for ever.
  const std::uint64_t hints =
      (page.is_rightmost() ? 0U : nbtree::kSplitEnd) | (page.is_leaf() ? nbtree::kHasGarbage : 0U);
  return (changed & ~hints) == 0 ? &rules::kHintFlags : nullptr;
}

const Rule* Oracle::ExcuseMeta(const Mutation& mutation) const {
  const std::uint64_t value = NumberOf(mutation.new_bytes);
  if (Is(mutation, nbtree::kMetaVersion)) return ExcuseVersion(static_cast<std::uint32_t>(value));
  if (Is(mutation, nbtree::kMetaDeletedPages)) return &rules::kMetaStatistics;
  if (Is(mutation, nbtree::kMetaHeapTuples)) {
    double rows = 0;
    std::memcpy(&rows, &value, sizeof(rows));
    const nbtree::Limits limits{index_.page_size()};
    return IsRowCount(rows, limits) ? &rules::kMetaStatistics : nullptr;
  }
  if (Is(mutation, nbtree::kMetaAllEqualImage)) {
    const bool schema_says_no = with_schema_ && !index_.schema().all_equal_image();
    if (value > 1 || (value == 1 && schema_says_no) || index_.has_posting_lists()) return nullptr;
    return &rules::kMetaEqualImage;
  }
  return nullptr;
}

// Version 2 has a shorter metapage. Version 3 knows no posting lists and truncates no key column;
// it marks pivots only where there are included columns to cut off.
const Rule* Oracle::ExcuseVersion(std::uint32_t version) const {
  if (version != 3 || index_.meta().all_equal_image) return nullptr;
  if (!index_.has_pivots()) return &rules::kMetaOlder;
  if (!with_schema_) return index_.pivots_are_uniform() ? &rules::kMetaOlder : nullptr;
  const bool as_before = index_.pivots_are_whole() && index_.schema().has_include();
  return as_before ? &rules::kMetaOlder : nullptr;
}

}  // namespace checker_score
}  // namespace tornleaf

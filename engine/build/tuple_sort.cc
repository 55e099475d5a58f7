#include "engine/build/tuple_sort.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "engine/key/compare.h"

namespace tornleaf {

namespace {

constexpr std::size_t kPieceSize = std::size_t{4} << 20;
static_assert(kPieceSize > index_tuple::kSizeMask);

// Tuples that FormTuple made always deform.
void Deform(const Schema& schema, TupleView tuple, DeformedTuple* values) {
  CHECK(values->Deform(schema, tuple, schema.attribute_count(), tuple.size()).ok());
}

}  // namespace

bool EqualKeysAllowed(const Schema& schema, const Value* values, ItemPointer a, ItemPointer b) {
  if (a == b) return false;
  if (!schema.unique()) return true;
  const bool has_null = std::any_of(values, values + schema.key_count(),
                                    [](const Value& value) { return value.is_null; });
  return has_null && !schema.nulls_not_distinct();
}

absl::Status EqualKeysError(const RowName& a, const RowName& b) {
  const auto [low, high] = std::minmax(a.number, b.number);
  return absl::InvalidArgumentError(
      a.tid == b.tid
          ? absl::StrCat("rows ", low, " and ", high, " are one row: equal keys, both at (",
                         a.tid.block, ",", a.tid.offset, ")")
          : absl::StrCat("rows ", low, " and ", high, " have the same key; the index is unique"));
}

TupleSort::TupleSort(const Schema& schema) : schema_(schema), abbreviation_(schema.attribute(0)) {
  CHECK(schema.order_known());
}

TupleView TupleSort::ViewOf(const std::uint8_t* tuple) {
  const auto info = Load(tuple, index_tuple::kInfo);
  return TupleView({tuple, std::size_t{info} & index_tuple::kSizeMask});
}

void TupleSort::Add(TupleView tuple, const Value* values) {
  CHECK(tuple.size() == tuple.stored_size());
  if (pieces_.empty() || kPieceSize - pieces_.back().used < tuple.size()) {
    pieces_.push_back({std::make_unique_for_overwrite<std::uint8_t[]>(kPieceSize)});
  }
  Piece& piece = pieces_.back();
  std::uint8_t* to = piece.bytes.get() + piece.used;
  std::memcpy(to, tuple.data(), tuple.size());
  piece.used += tuple.size();
  abbreviation_.Observe(values[0]);
  entries_.push_back({0, to});
}

TupleSort::Order TupleSort::Compare(const Entry& left, const Entry& right) {
  const TupleView left_tuple = ViewOf(left.tuple);
  const TupleView right_tuple = ViewOf(right.tuple);
  Order order;
  // Called for ties only, which may be known to mean equal keys.
  if (!abbreviation_.exact() || schema_.key_count() > 1) {
    Deform(schema_, left_tuple, &left_);
    Deform(schema_, right_tuple, &right_);
    order.by_key = CompareKeys(schema_, left_.values(), right_.values(), schema_.key_count());
  }
  order.by_key_and_tid = order.by_key;
  if (order.by_key == 0) {
    const auto by_tid = left_tuple.tid() <=> right_tuple.tid();
    order.by_key_and_tid = by_tid < 0 ? -1 : by_tid > 0 ? 1 : 0;
  }
  return order;
}

// The row's number is not kept: only messages need it, and tuples lie in the order of rows.
RowName TupleSort::NameOf(const Entry& entry) const {
  RowName name{0, ViewOf(entry.tuple).tid()};
  for (const Piece& piece : pieces_) {
    for (std::size_t at = 0; at < piece.used;) {
      const std::uint8_t* tuple = piece.bytes.get() + at;
      ++name.number;
      if (tuple == entry.tuple) return name;
      at += ViewOf(tuple).size();
    }
  }
  CHECK(!"an entry that points to no tuple");
}

// Says whether rows that tie are in order, and the first error among neighbours if they are.
absl::Status TupleSort::CheckTies(const Entry* begin, const Entry* end, bool* sorted) {
  *sorted = true;
  const Entry* refused = nullptr;
  for (const Entry* right = begin + 1; right < end; ++right) {
    const Order order = Compare(right[-1], *right);
    if (order.by_key_and_tid > 0) {
      *sorted = false;
      return absl::OkStatus();
    }
    if (order.by_key != 0 || refused != nullptr) continue;
    const bool same_row = order.by_key_and_tid == 0;
    if (!same_row && !schema_.unique()) continue;
    const TupleView tuple = ViewOf(right->tuple);
    Deform(schema_, tuple, &right_);
    const ItemPointer left_tid = ViewOf(right[-1].tuple).tid();
    if (!EqualKeysAllowed(schema_, right_.values(), left_tid, tuple.tid())) refused = right;
  }
  if (refused == nullptr) return absl::OkStatus();
  return EqualKeysError(NameOf(refused[-1]), NameOf(*refused));
}

absl::Status TupleSort::SortTies(Entry* begin, Entry* end) {
  bool sorted = false;
  absl::Status status = CheckTies(begin, end, &sorted);
  if (sorted) return status;
  std::sort(begin, end, [this](const Entry& left, const Entry& right) {
    return Compare(left, right).by_key_and_tid < 0;
  });
  status = CheckTies(begin, end, &sorted);
  CHECK(sorted);
  return status;
}

// Radix sort, least digit first: stable, and a few sequential passes over all rows. Digits in which
// all rows agree are left out.
void TupleSort::SortByAbbreviation() {
  constexpr std::size_t kDigits = sizeof(Entry::abbreviation);
  constexpr std::size_t kDigitValues = 256;
  const auto digit = [](const Entry& entry, std::size_t number) {
    return static_cast<std::uint8_t>(entry.abbreviation >> (8 * number));
  };
  std::array<std::array<std::size_t, kDigitValues>, kDigits> counts = {};
  for (const Entry& entry : entries_) {
    for (std::size_t number = 0; number < kDigits; ++number) ++counts[number][digit(entry, number)];
  }
  std::vector<Entry> sorted(entries_.size());
  for (std::size_t number = 0; number < kDigits && !entries_.empty(); ++number) {
    std::array<std::size_t, kDigitValues>& starts = counts[number];
    if (starts[digit(entries_.front(), number)] == entries_.size()) continue;
    std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), std::size_t{0});
    for (const Entry& entry : entries_) sorted[starts[digit(entry, number)]++] = entry;
    entries_.swap(sorted);
  }
}

absl::Status TupleSort::Sort() {
  for (Entry& entry : entries_) {
    Deform(schema_, ViewOf(entry.tuple), &left_);
    entry.abbreviation = abbreviation_.Of(left_.value(0));
  }
  SortByAbbreviation();
  Entry* const end = entries_.data() + entries_.size();
  for (Entry* run = entries_.data(); run != end;) {
    Entry* run_end = run + 1;
    while (run_end != end && run_end->abbreviation == run->abbreviation) ++run_end;
    if (run_end - run > 1) {
      const absl::Status status = SortTies(run, run_end);
      if (!status.ok()) return status;
    }
    run = run_end;
  }
  return absl::OkStatus();
}

}  // namespace tornleaf

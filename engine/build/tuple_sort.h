// Rows as formed index tuples, sorted by (key columns, row address) in memory.

#ifndef TORNLEAF_ENGINE_BUILD_TUPLE_SORT_H_
#define TORNLEAF_ENGINE_BUILD_TUPLE_SORT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "engine/build/abbreviation.h"
#include "engine/key/index_tuple.h"
#include "engine/key/schema.h"

namespace tornleaf {

// A row as messages name it: its number in the input, and its address.
struct RowName {
  std::uint64_t number = 0;
  ItemPointer tid;
};

// Whether two rows with equal keys, one of which is `values`, can stand in one index: not if they
// are the same row, and in a unique index only if a null in the key makes an exception.
bool EqualKeysAllowed(const Schema& schema, const Value* values, ItemPointer a, ItemPointer b);

// What to say if they cannot.
absl::Status EqualKeysError(const RowName& a, const RowName& b);

// Takes tuples in any order and gives them back sorted.
//
// Memory: the tuples (formed size each, in pieces of 4 MiB), 16 bytes a row, and while sorting
// another 16 bytes a row. 3,000,000 URL keys of 47 bytes take 192 MB and 96 MB.
//
// Rows are first sorted by eight bytes each (abbreviation.h), in linear time and so that rows which
// come in the order of their addresses keep it; those that tie are compared in full.
class TupleSort {
 public:
  // The order of the schema's key columns is known. `schema` outlives the sort.
  explicit TupleSort(const Schema& schema);

  // Copies a tuple, formed of `values`. The row's number is the count of tuples added so far.
  void Add(TupleView tuple, const Value* values);

  // Sorts. EqualKeysError for rows that cannot stand in one index; the order is unspecified then.
  absl::Status Sort();

  std::size_t size() const { return entries_.size(); }
  // In sorted order after Sort().
  TupleView tuple(std::size_t index) const { return ViewOf(entries_[index].tuple); }
  // Tuples in order lie anywhere in memory: asks for one that will be wanted soon.
  void Prefetch(std::size_t index) const { __builtin_prefetch(entries_[index].tuple); }

 private:
  struct Entry {
    std::uint64_t abbreviation;
    const std::uint8_t* tuple;
  };
  // Tuples one after the other. Full pieces stay where they are, so entries can point into them.
  struct Piece {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t used = 0;
  };
  // The order of two rows: by their keys, and by addresses too.
  struct Order {
    int by_key = 0;
    int by_key_and_tid = 0;
  };

  static TupleView ViewOf(const std::uint8_t* tuple);
  Order Compare(const Entry& left, const Entry& right);
  void SortByAbbreviation();
  absl::Status SortTies(Entry* begin, Entry* end);
  absl::Status CheckTies(const Entry* begin, const Entry* end, bool* sorted);
  RowName NameOf(const Entry& entry) const;

  const Schema& schema_;
  Abbreviation abbreviation_;
  std::vector<Piece> pieces_;
  std::vector<Entry> entries_;
  DeformedTuple left_;
  DeformedTuple right_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BUILD_TUPLE_SORT_H_

// Where a tuple stands in the order of its index, and whether its values are ones that their types
// can have: the oracle's own reading of a tuple.

#ifndef TORNLEAF_TESTS_CHECKER_SCORE_POSITION_H_
#define TORNLEAF_TESTS_CHECKER_SCORE_POSITION_H_

#include "engine/format/nbtree_tuple.h"
#include "engine/key/schema.h"

namespace tornleaf {
namespace checker_score {

// Reads a tuple whose geometry is in order. It keeps pointers into the tuple.
class Position {
 public:
  Position(const Schema& schema, TupleView tuple, bool is_pivot);

  // Whether the attributes can be read, and each is what its type's input function gives back for
  // the text of it.
  bool legal() const { return legal_; }
  // Whether all values have the same bytes.
  bool SameValues(const Position& other) const;
  // Whether the values of the key columns have the same bytes.
  bool SameKey(const Position& other) const;
  // Whether this stands before `other` by key columns, then row addresses; what a pivot lacks
  // stands below every value. The schema's order is known.
  bool Before(const Position& other) const { return Compare(other) < 0; }
  bool NotBehind(const Position& other) const { return Compare(other) <= 0; }

 private:
  int Compare(const Position& other) const;

  const Schema& schema_;
  DeformedTuple values_;
  std::uint32_t key_count_ = 0;  // key columns that it has
  bool has_tid_ = true;
  ItemPointer tid_min_;
  ItemPointer tid_max_;
  bool legal_ = false;
};

// Whether the value is one that its type's input function could have made.
bool IsValueOfType(TypeId type, const Value& value);

}  // namespace checker_score
}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_CHECKER_SCORE_POSITION_H_

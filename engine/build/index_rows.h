// The rows of an index, read back in index order: what was built, or what a server left.

#ifndef TORNLEAF_ENGINE_BUILD_INDEX_ROWS_H_
#define TORNLEAF_ENGINE_BUILD_INDEX_ROWS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"
#include "engine/page/page_source.h"

namespace tornleaf {

// Goes down to the leftmost leaf and then along the right links; posting lists give one row for
// each address. Items that the server marked dead are left out and counted. Reads each page once
// and no more pages than there are, whatever the links say.
class IndexRows {
 public:
  // `schema` and `pages` outlive the reader.
  IndexRows(const Schema& schema, PageSource* pages);

  // Moves to the next row; false at the end. DataLoss, with block and item, where the bytes cannot
  // be read as an index of this schema; InvalidArgument if block 0 is no metapage; Unavailable if
  // the source failed, which then knows more. Nothing may be asked for after an error.
  absl::StatusOr<bool> Next();

  // The row: valid until the next call of Next().
  const Value* values() const { return values_.values(); }
  ItemPointer tid() const { return tid_; }

  // Rows left out so far because their items are marked dead.
  std::uint64_t dead_rows() const { return dead_rows_; }

 private:
  absl::Status ExpectNoRows(const nbtree::MetaPage& meta);
  absl::Status FindLeftmostLeaf();
  absl::Status ReadNode(BlockNumber block, std::uint32_t level);
  absl::StatusOr<TupleView> ReadItem(OffsetNumber slot) const;
  absl::StatusOr<bool> NextItem();
  absl::StatusOr<bool> NextLeaf();
  absl::Status OpenItem(TupleView tuple);
  absl::Status Damage(std::string_view what, OffsetNumber slot = 0) const;

  const Schema& schema_;
  PageSource* pages_;
  std::vector<std::uint8_t> buffer_;

  // The page at hand: first the metapage, then down to a leaf. `slot_` is its item at hand.
  BlockNumber block_ = nbtree::kMetaBlock;
  nbtree::NbtreePage page_;
  OffsetNumber slot_ = 0;
  std::uint32_t item_bytes_ = 0;  // of the page's items up to that one
  BlockNumber leaves_seen_ = 0;
  bool started_ = false;
  bool ended_ = false;

  // The item at hand: one row, or as many as its posting list has addresses.
  TupleView tuple_;
  DeformedTuple values_;
  std::uint32_t tid_count_ = 0;
  std::uint32_t next_tid_ = 0;
  ItemPointer tid_;
  std::uint64_t dead_rows_ = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BUILD_INDEX_ROWS_H_

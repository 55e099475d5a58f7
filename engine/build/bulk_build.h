// Lays out the pages of a new index, given its rows in order, as PostgreSQL 15's CREATE INDEX does.
//
// Bottom up, with one page of each level in memory. A leaf is filled up to the fill factor; then
// its last item moves on to be the first of the next leaf and stays behind, cut to what separates,
// as the high key. The same key with the finished page's number goes to the level above. Pages are
// numbered in the order in which they are begun: block 1 is the first leaf, and the first page of
// a level gets its number when the second page below has got its own. A level's last page has no
// high key, and its line pointers move up by one to close the gap.
//
// Facts are those of src/backend/access/nbtree/nbtsort.c; the proof is byte identity with the
// files of a server (corpus/postgres).

#ifndef TORNLEAF_ENGINE_BUILD_BULK_BUILD_H_
#define TORNLEAF_ENGINE_BUILD_BULK_BUILD_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"

namespace tornleaf {

struct BuildOptions {
  std::uint32_t page_size = 8192;                         // bytes, a power of two, 512 to 32768
  std::uint32_t fillfactor = nbtree::kFillFactorDefault;  // percent, 10 to 100; leaves only
  bool deduplicate = true;  // make posting lists, where the schema allows them
  bool checksums = false;   // else pd_checksum is 0
  Lsn lsn = 0;              // pd_lsn of every page
};

// Takes finished pages. Each block is written once; not in the order of block numbers: the
// metapage, block 0, comes last, and pages of upper levels later than the pages below.
class PageSink {
 public:
  virtual ~PageSink() = default;
  virtual absl::Status WritePage(BlockNumber block, ByteView page) = 0;
};

// The largest tuple, in bytes, that a leaf of this page size takes: nbtree::Limits::MaxItemSize,
// and so small that the 8 bytes of a heap TID can be appended within the 13 bits of its size.
std::uint32_t MaxBuildTupleSize(std::uint32_t page_size);

class BulkBuild {
 public:
  // `schema` and `sink` outlive the build.
  BulkBuild(const Schema& schema, const BuildOptions& options, PageSink* sink);
  ~BulkBuild();

  // Adds a plain tuple of at most MaxBuildTupleSize() bytes that comes after the one before in the
  // order of (key columns, heap TID). Errors are the sink's.
  absl::Status Add(TupleView tuple);

  // Writes the pages still in memory, and the metapage. Nothing may be called afterwards.
  absl::Status Finish();

  // Pages begun so far, the metapage included.
  BlockNumber page_count() const { return page_count_; }

 private:
  struct Level;

  bool JoinsPending(TupleView tuple) const;
  absl::Status FlushPending();
  absl::Status AddToTree(std::size_t number, TupleView item, std::uint32_t posting_size);
  void AddLevel();
  void StartPage(Level* level);
  absl::Status FinishPage(Level* level);
  absl::Status WritePage(BlockNumber block, PageWriter page);

  static bool HasRoom(Level* level, std::uint32_t item_size);
  static void AppendItem(Level* level, TupleView item);

  const Schema& schema_;
  const BuildOptions options_;
  PageSink* sink_;
  BlockNumber page_count_ = 1;
  std::vector<std::unique_ptr<Level>> levels_;

  // Rows with the same key that wait to become one posting list.
  const bool collects_;
  std::vector<std::uint8_t> pending_;  // the first one's tuple
  std::vector<ItemPointer> pending_tids_;
  std::vector<std::uint8_t> posting_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BUILD_BULK_BUILD_H_

// Fills an empty index at once, from rows in index order: the pages that CREATE INDEX would make.
//
//   absl::StatusOr<BulkLoad> load = BulkLoad::Begin(&tree, LoadLog::kLogged);
//   BuildIndex(tree.schema(), load->options(), rows, &*load, &summary);   // or BulkBuild
//
// The metapage comes last, and its record is the moment at which all rows are in the index. A crash
// or an error before it leaves an index without rows, whose pages nothing leads to:
// RemoveUnfinishedLoad() makes them new pages again, which VACUUM finds free.
//
// Nobody else uses the tree meanwhile. A checkpoint may come at any time.

#ifndef TORNLEAF_ENGINE_TREE_BULK_LOAD_H_
#define TORNLEAF_ENGINE_TREE_BULK_LOAD_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/build/bulk_build.h"
#include "engine/tree/tree.h"

namespace tornleaf {

enum class LoadLog : std::uint8_t {
  kLogged,  // each page's image is logged
  // Pages are written and synced before the metapage, which is logged. Only where the index has no
  // other page yet, else as kLogged: images of pages that are in the log already would come back
  // over those of the load.
  kUnlogged,
};

class BulkLoad final : public PageSink {
 public:
  // FailedPrecondition if the tree has a root: there are rows in it, or were.
  static absl::StatusOr<BulkLoad> Begin(Tree* tree, LoadLog log);

  // What the tree wants of the build.
  BuildOptions options() const;
  // Each block once, the metapage last.
  absl::Status WritePage(BlockNumber block, ByteView page) override;

 private:
  BulkLoad(Tree* tree, LoadLog log) : tree_(tree), log_(log) {}

  absl::Status WriteMeta(ByteView page);

  Tree* tree_;
  LoadLog log_;
};

// Fills all pages of an index without a root with zeros, the metapage apart, and logs it. Nothing
// to do if there is a root. To be called when a database is opened, and after a load that failed.
absl::Status RemoveUnfinishedLoad(Tree* tree);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_BULK_LOAD_H_

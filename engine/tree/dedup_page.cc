#include "engine/tree/dedup_page.h"

#include <vector>

#include "engine/base/mark.h"
#include "engine/tree/dedup.h"
#include "engine/tree/node.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {

absl::Status DeduplicatePage(Tree* tree, PageRef* leaf, TupleView new_item,
                             std::uint32_t new_item_size, bool bottom_up) {
  const std::vector<nbtree::DedupInterval> intervals =
      PlanDedup(tree->schema(), NodeOf(*leaf), new_item, new_item_size, bottom_up);
  if (intervals.empty()) {
    MARK("dedup.nothing_to_merge");
    return absl::OkStatus();
  }
  const nbtree::EditError error = nbtree::ApplyDedup(leaf->writer(), intervals);
  if (error != nbtree::EditError::kNone) return RefusedEdit(leaf->block(), error);
  MARK("dedup.pass");
  wal::Bytes main;
  wal::DedupRecord{static_cast<std::uint16_t>(intervals.size())}.Encode(&main);
  wal::Bytes data;
  wal::EncodeIntervals(intervals, &data);
  LoggedChange change(tree->parts().log, wal::ResourceManager::kBtree, wal::kDedup);
  change.AddMain(main);
  change.AddPage(0, tree->parts().relation_id, leaf, wal::kStandardPage);
  change.AddData(data);
  change.Commit();
  return absl::OkStatus();
}

}  // namespace tornleaf

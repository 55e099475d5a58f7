#include "engine/tree/vacuum.h"

#include <set>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/mark.h"
#include "engine/tree/delete.h"
#include "engine/tree/leaf_rows.h"
#include "engine/tree/node.h"
#include "engine/tree/page_delete.h"
#include "engine/tree/page_links.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {

// The cycle of one VACUUM: while it lasts, pages that are split are marked with its id.
class VacuumCycle {
 public:
  // False if another one is running.
  bool Begin(Tree* tree) {
    const std::uint16_t last = tree->last_cycle_id_.load(std::memory_order_relaxed);
    const std::uint16_t id = last == 0 ? FirstId(*tree) : Next(last);
    std::uint16_t none = 0;
    if (!tree->cycle_id_.compare_exchange_strong(none, id, std::memory_order_acq_rel)) return false;
    tree->last_cycle_id_.store(id, std::memory_order_relaxed);
    tree_ = tree;
    id_ = id;
    return true;
  }
  VacuumCycle() = default;
  VacuumCycle(const VacuumCycle&) = delete;
  VacuumCycle& operator=(const VacuumCycle&) = delete;
  ~VacuumCycle() {
    if (tree_ != nullptr) tree_->cycle_id_.store(0, std::memory_order_release);
  }

  std::uint16_t id() const { return id_; }

 private:
  static std::uint16_t Next(std::uint64_t id) {
    return static_cast<std::uint16_t>(id % nbtree::kMaxCycleId + 1);
  }
  // Not the same after each start, since pages may still carry the id of a VACUUM that a crash has
  // ended: taken for a running one's, it would cost some steps back for nothing.
  static std::uint16_t FirstId(const Tree& tree) {
    const wal::Log* log = tree.parts().log;
    return Next(log == nullptr ? 0 : log->inserted() / kMaxAlign);
  }

  Tree* tree_ = nullptr;
  std::uint16_t id_ = 0;
};

namespace {

class VacuumRun {
 public:
  VacuumRun(Tree* tree, const VacuumRequest& request, std::uint16_t cycle_id)
      : tree_(tree), request_(request), cycle_id_(cycle_id) {}

  absl::Status Run();
  const VacuumSummary& summary() const { return summary_; }

 private:
  absl::StatusOr<PageRef> Pin(BlockNumber block) {
    return tree_->parts().pool->Pin(tree_->parts().relation, block, Hold::kShared);
  }
  absl::Status Visit(BlockNumber scan_block);
  absl::Status VisitPage(PageRef page, BlockNumber scan_block);
  absl::Status VisitLeaf(PageRef page, BlockNumber scan_block);
  absl::Status CleanLeaf(PageRef* page);
  absl::Status Delete(BlockNumber scan_block);
  void AddFree(const PageRef& page);
  absl::Status FreeNewlyDeleted();
  absl::Status SetCleanupInfo();

  Tree* tree_;
  const VacuumRequest& request_;
  std::uint16_t cycle_id_;
  VacuumSummary summary_;
  BlockNumber back_to_ = nbtree::kNoSibling;
  std::vector<DeletedPage> newly_deleted_;  // by ascending safexid
  std::set<BlockNumber> free_;
};

absl::Status VacuumRun::Run() {
  BlockNumber block = nbtree::kMetaBlock + 1;
  // Pages that are added meanwhile count: entries may have been moved there.
  while (true) {
    const BlockNumber count = BufferPool::block_count(tree_->parts().relation);
    if (block >= count) break;
    const absl::Status visited = Visit(block);
    if (!visited.ok()) return visited;
    ++block;
    if (request_.progress) request_.progress(block, count);
  }
  summary_.pages_scanned = block;
  const absl::Status freed = FreeNewlyDeleted();
  if (!freed.ok()) return freed;
  return SetCleanupInfo();
}

// One page, and those before it to which a split has moved entries of it since the run began.
absl::Status VacuumRun::Visit(BlockNumber scan_block) {
  back_to_ = nbtree::kNoSibling;
  absl::StatusOr<PageRef> page = Pin(scan_block);
  if (!page.ok()) return page.status();
  absl::Status visited = VisitPage(*std::move(page), scan_block);
  StepLimit limit(tree_);
  while (visited.ok() && back_to_ != nbtree::kNoSibling) {
    MARK("vacuum.goes_back");
    const BlockNumber block = std::exchange(back_to_, nbtree::kNoSibling);
    visited = limit.Step(block);
    if (!visited.ok()) break;
    absl::StatusOr<PageRef> earlier = Pin(block);
    if (!earlier.ok()) return earlier.status();
    if (earlier->view().is_new() || !NodeOf(*earlier).is_leaf() ||
        NodeOf(*earlier).is_half_dead()) {
      return Tree::Damage(block, "the right half of a leaf's split is no living leaf");
    }
    const nbtree::NbtreePage node = NodeOf(*earlier);
    // Seen already: since its split by this run, or deleted by this very step.
    if (node.is_deleted() || node.cycle_id() != cycle_id_) break;
    visited = VisitLeaf(*std::move(earlier), scan_block);
  }
  return visited;
}

absl::Status VacuumRun::VisitPage(PageRef page, BlockNumber scan_block) {
  if (tree_->IsFree(page)) {
    ++summary_.pages_deleted;
    AddFree(page);
    return absl::OkStatus();
  }
  const nbtree::NbtreePage node = NodeOf(page);
  if (node.is_deleted()) {
    MARK("vacuum.deleted_page_not_free_yet");
    ++summary_.pages_deleted;
    return absl::OkStatus();
  }
  if (node.is_half_dead()) {
    page.Drop();
    return Delete(scan_block);
  }
  if (node.is_leaf()) return VisitLeaf(std::move(page), scan_block);
  return absl::OkStatus();
}

absl::Status VacuumRun::VisitLeaf(PageRef page, BlockNumber scan_block) {
  // Even where nothing is to be removed: a scan that has given a row of this leaf may rely on its
  // address until it lets go of the leaf, and when the run is over the address may be used again.
  page.Release();
  page.HoldForCleanup();
  const nbtree::NbtreePage node = NodeOf(page);
  if (node.cycle_id() == cycle_id_ && (node.flags() & nbtree::kSplitEnd) == 0 &&
      !node.is_rightmost() && node.next() < scan_block) {
    back_to_ = node.next();
  }
  const absl::Status cleaned = CleanLeaf(&page);
  if (!cleaned.ok()) return cleaned;
  if (!IsEmpty(node)) return absl::OkStatus();
  if (page.block() != scan_block) {
    MARK("vacuum.empty_page_left_when_going_back");
    return absl::OkStatus();
  }
  // Deletion holds pages from left to right and up, so it begins without one. Who fills the leaf
  // meanwhile keeps it.
  page.Drop();
  return Delete(scan_block);
}

absl::Status VacuumRun::CleanLeaf(PageRef* page) {
  const nbtree::NbtreePage node = NodeOf(*page);
  std::vector<LeafRow> dead;
  for (OffsetNumber slot = node.first_data_slot(); slot <= node.item_count(); ++slot) {
    const TupleView item = node.tuple(slot);
    const std::uint32_t count = RowCountOf(item);
    for (std::uint32_t index = 0; index < count; ++index) {
      LeafRow row;
      row.tid = RowOf(item, index);
      if (!request_.is_dead(row.tid)) {
        ++summary_.rows_left;
        continue;
      }
      row.slot = slot;
      row.posting_index = static_cast<std::uint16_t>(index);
      row.dead = true;
      dead.push_back(row);
    }
  }
  if (!dead.empty()) {
    const LeafRemovals removals = RemovalsOf(node, dead);
    if (!removals.updates.empty()) MARK("vacuum.partly_dead_posting");
    summary_.rows_removed += dead.size();
    return RemoveFromLeaf(tree_, page, Remover::kVacuum, removals.deleted, removals.updates);
  }
  if (node.cycle_id() == cycle_id_) {
    // So that going back from another page stops here. Lost in a crash, it costs such a step.
    nbtree::SetCycleId(page->writer(), 0);
    FinishHint(tree_, page);
  }
  return absl::OkStatus();
}

absl::Status VacuumRun::Delete(BlockNumber scan_block) {
  const std::size_t before = newly_deleted_.size();
  const absl::Status deleted = DeletePage(tree_, scan_block, &newly_deleted_);
  for (std::size_t index = before; index < newly_deleted_.size(); ++index) {
    ++summary_.pages_deleted_now;
    // Those ahead are counted when the run comes to them.
    if (newly_deleted_[index].block <= scan_block) ++summary_.pages_deleted;
  }
  return deleted;
}

// The page is held, so that nobody can have taken it, filled it and let go of it when the map says
// that it is free.
void VacuumRun::AddFree(const PageRef& page) {
  tree_->parts().free_pages->Add(page.block());
  if (free_.insert(page.block()).second) ++summary_.pages_free;
}

absl::Status VacuumRun::FreeNewlyDeleted() {
  const FullXid horizon = tree_->parts().transactions->horizon();
  for (const DeletedPage& deleted : newly_deleted_) {
    if (deleted.safe_xid >= horizon) {
      MARK("vacuum.newly_deleted_not_free_yet");
      break;
    }
    if (free_.contains(deleted.block)) continue;
    absl::StatusOr<PageRef> page = Pin(deleted.block);
    if (!page.ok()) return page.status();
    if (tree_->IsFree(*page)) AddFree(*page);
  }
  return absl::OkStatus();
}

// The metapage says how many deleted pages wait for a later VACUUM.
absl::Status VacuumRun::SetCleanupInfo() {
  const std::uint32_t waiting = summary_.pages_deleted - summary_.pages_free;
  absl::StatusOr<PageRef> page = tree_->Pin(nbtree::kMetaBlock, Hold::kExclusive);
  if (!page.ok()) return page.status();
  nbtree::MetaPage meta = nbtree::MetaPage::Load(page->view());
  if (meta.last_cleanup_deleted_pages == waiting) return absl::OkStatus();
  meta.last_cleanup_deleted_pages = waiting;
  WriteMeta(&*page, meta);
  wal::Bytes data;
  wal::EncodeMeta(meta, &data);
  LoggedChange change(tree_->parts().log, wal::ResourceManager::kBtree, wal::kMetaCleanup);
  change.AddPage(0, tree_->parts().relation_id, &*page,
                 static_cast<std::uint8_t>(wal::kWillInit | wal::kStandardPage));
  change.AddData(data);
  change.Commit();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VacuumSummary> Vacuum(Tree* tree, const VacuumRequest& request) {
  CHECK(request.is_dead != nullptr);
  VacuumCycle cycle;
  if (!cycle.Begin(tree)) {
    return absl::FailedPreconditionError("another VACUUM of this index is running");
  }
  VacuumRun run(tree, request, cycle.id());
  const absl::Status done = run.Run();
  if (!done.ok()) return done;
  return run.summary();
}

}  // namespace tornleaf

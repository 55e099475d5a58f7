// Pages in memory: pins, latches, eviction by clock sweep, and the rule of the log.
//
// A page is reached through a PageRef. While it exists the page is pinned: it stays where it is. To
// read the page one holds it shared or exclusively; to change it, exclusively. A change goes
//
//   hold exclusively -> change bytes -> MarkDirty() -> Log::Insert() -> set_lsn()
//
// in this order (LoggedChange does the last three). MarkDirty() comes before the insertion, so that
// a checkpoint whose redo position is after the record cannot overlook the page.
//
// A dirty page is written only after the log is durable up to its LSN, and never once the log has
// failed. Its checksum is computed on a copy at that moment. A page read from disk is checked
// before anybody sees it: its checksum, and then what the relation's PageGuard demands, so that the
// tree can rely on the geometry of every page it holds.
//
// Hints are changes, too: bytes change under an exclusive hold only. Who holds a page shared and
// would leave a hint on it lets go, tries TryHoldExclusive(), makes sure by the LSN that nothing
// has changed meanwhile, and does without the hint if any of this fails. (PostgreSQL sets hints
// under a shared lock: in C++ two tasks that do so race.)
//
// When every frame is pinned, Pin() lets others run for a while and then gives ResourceExhausted;
// it never waits for a frame while it has others, and so cannot deadlock. Operations that pin
// several pages at once keep clear of this by taking a share of budget() before they begin. Pages
// that stay pinned from one operation to the next, as cursors pin them, come on top: a pool should
// have two more frames than that. A task may pin a page several times, yet not hold it twice.

#ifndef TORNLEAF_ENGINE_STORE_BUFFER_POOL_H_
#define TORNLEAF_ENGINE_STORE_BUFFER_POOL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/store/frame_budget.h"
#include "engine/store/relation.h"
#include "engine/wal/log.h"

namespace tornleaf {

// Says whether a page that was read may be used: its geometry, not its place in the tree.
class PageGuard {
 public:
  virtual ~PageGuard() = default;
  // OK, or DataLoss that names block, slot and rule. All-zero pages are never asked about.
  virtual absl::Status Check(ByteView page, BlockNumber block) = 0;
};

class BufferPool;
class FrameTable;
struct BufferFrame;

// One relation as the pool knows it. Made by BufferPool::Attach().
struct PooledRelation;

enum class Hold : std::uint8_t { kNone, kShared, kExclusive };

// A pinned page, perhaps held. Moves; lets go of hold and pin when it dies.
class PageRef {
 public:
  PageRef() = default;
  PageRef(PageRef&& other) noexcept { Swap(&other); }
  PageRef& operator=(PageRef&& other) noexcept {
    PageRef taken(std::move(other));
    Swap(&taken);
    return *this;
  }
  PageRef(const PageRef&) = delete;
  PageRef& operator=(const PageRef&) = delete;
  ~PageRef() {
    if (frame_ != nullptr) Drop();
  }

  bool valid() const { return frame_ != nullptr; }
  BlockNumber block() const { return block_; }
  Hold hold() const { return hold_; }

  // Waits. The page must be pinned and not held.
  void HoldShared();
  void HoldExclusive();
  bool TryHoldExclusive();
  // Exclusively, with this as the only pin of the page (PostgreSQL's cleanup lock): nobody is
  // between two items of it. By one task at a time for a page.
  void HoldForCleanup();
  // Gives up the hold and keeps the pin.
  void Release();
  // Gives up everything; not valid() afterwards.
  void Drop();

  // The bytes; held in any way. The span stays the same while the page is pinned.
  PageView view() const { return PageView(bytes_); }
  ByteView bytes() const { return bytes_; }
  // All of these: held exclusively.
  PageWriter writer();
  void MarkDirty();
  // A page of zeros stays one: it has no LSN.
  void set_lsn(Lsn lsn);
  // In place of set_lsn() where there is no log: a number that is greater each time.
  void set_unlogged_lsn();
  // A hint was set that no record describes. The caller has logged an image first where
  // Log::HintNeedsImage() demands it.
  void MarkDirtyHint();

 private:
  friend class BufferPool;

  PageRef(FrameTable* frames, BufferFrame* frame, MutableBytes bytes, BlockNumber block)
      : frames_(frames), frame_(frame), bytes_(bytes), block_(block) {}
  void Swap(PageRef* other) noexcept {
    std::swap(frames_, other->frames_);
    std::swap(frame_, other->frame_);
    std::swap(bytes_, other->bytes_);
    std::swap(block_, other->block_);
    std::swap(hold_, other->hold_);
  }
  void HoldAs(Hold hold);

  FrameTable* frames_ = nullptr;
  BufferFrame* frame_ = nullptr;
  MutableBytes bytes_;
  BlockNumber block_ = 0;
  Hold hold_ = Hold::kNone;
};

struct PoolStatistics {
  std::uint64_t hits = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t evictions = 0;
};

inline constexpr std::uint32_t kFramesMin = 8;

class BufferPool {
 public:
  // `frames`, at least 8, pages of `page_size`. `log` may be null: then pages are written without
  // looking at LSNs (redo, and tests).
  BufferPool(const Environment& environment, std::uint32_t frames, std::uint32_t page_size,
             wal::Log* log);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // `relation` and `guard` (may be null) outlive the pool.
  PooledRelation* Attach(Relation* relation, PageGuard* guard);
  void SetLog(wal::Log* log);
  // Where the log ended when it was opened. From then on a page that is read and has an LSN beyond
  // the log's end is damage: DataLoss.
  void SetLogEnd(Lsn end);

  // Pins a page, reading it if it is not there, and holds it as asked. DataLoss, with file and
  // block, if its bytes are damaged or there is no such block; ResourceExhausted if every frame is
  // pinned; else the device's error, or the log's if a dirty page had to be written to make room.
  // A page that could not be written stays dirty and in memory.
  absl::StatusOr<PageRef> Pin(PooledRelation* relation, BlockNumber block, Hold hold);
  // The same, held exclusively, without looking at what is on disk: redo makes the page anew, or
  // restores an image. The bytes are zero unless the page was in memory, and the page is dirty in
  // any case: it is what counts now. Extends the relation as far as needed.
  absl::StatusOr<PageRef> PinForRestore(PooledRelation* relation, BlockNumber block);
  // Adds a page of zeros at the end, held exclusively from before others can find it. Errors as
  // those of Pin(); the relation is then as long as before.
  absl::StatusOr<PageRef> Extend(PooledRelation* relation);

  // Writes every page that was dirty when the call began, in the order of blocks, each held shared
  // while it is written; then syncs the relations. One that has failed to sync fails for ever.
  // Uses one frame that the budget does not count.
  absl::Status WriteAll();
  // Forgets every page. None may be pinned. Dirty pages are lost: for tests, and after a failure.
  void DiscardAll();

  std::uint32_t page_size() const { return page_size_; }
  // What the relation's guard says about bytes that are to become a page of it; OK if it has none.
  static absl::Status Guard(const PooledRelation* relation, ByteView page, BlockNumber block);
  // Where the page's bytes are at the moment, null if they are not in memory. Nothing keeps them
  // there: only for fetching cache lines that will be wanted.
  const std::uint8_t* AddressOf(const PooledRelation* relation, BlockNumber block) const;
  // Its first file, for messages.
  static const std::string& path(const PooledRelation* relation);
  // How many pages the relation has now.
  static BlockNumber block_count(const PooledRelation* relation);
  // What operations may have pinned at once: see the top of this file and frame_budget.h. At least
  // 6 frames.
  FrameBudget* budget();
  // `hits` is about right where tasks are threads.
  PoolStatistics statistics() const;

 private:
  struct Impl;

  PageRef RefTo(BufferFrame* frame, BlockNumber block);
  absl::StatusOr<PageRef> ClaimFor(PooledRelation* relation, BlockNumber block);
  absl::StatusOr<PageRef> Load(PooledRelation* relation, BlockNumber block, Hold hold);

  std::uint32_t page_size_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_BUFFER_POOL_H_

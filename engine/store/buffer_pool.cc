#include "engine/store/buffer_pool.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/store/frame_table.h"
#include "engine/store/page_transfer.h"
#include "engine/wal/segment.h"

namespace tornleaf {
namespace {

// How often a task lets others run before it reports that every frame is pinned.
constexpr int kRoundsWithoutFrame = 100;
// Frames that the budget leaves: one for WriteAll(), one for pins of a moment.
constexpr std::uint32_t kFramesUncounted = 2;

}  // namespace

struct BufferPool::Impl {
  Impl(const Environment& environment, std::uint32_t frame_count, std::uint32_t page_size,
       wal::Log* the_log)
      : executor(environment.executor),
        log(the_log),
        frames(executor, frame_count, page_size),
        budget(executor, frame_count - kFramesUncounted),
        map_latch(executor->NewLatch("pool.map")) {}

  absl::StatusOr<BufferFrame*> ClaimUnmapped();
  absl::Status WriteIfDirty(BufferFrame* frame);
  bool MapClaimed(BufferFrame* frame, PooledRelation* relation, BlockNumber block);
  void UnmapFailed(BufferFrame* frame);
  bool UnmapUnused(BufferFrame* frame);
  absl::Status CheckLsn(const PooledRelation& relation, BlockNumber block, ByteView bytes) const;

  Executor* executor;
  wal::Log* log;
  Lsn log_end = UINT64_MAX;  // at its opening; not known yet
  FrameTable frames;
  FrameBudget budget;
  std::unique_ptr<Latch> map_latch;  // held by who maps or unmaps a frame
  std::vector<std::unique_ptr<PooledRelation>> relations;

  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> writes{0};
  std::atomic<std::uint64_t> evictions{0};
};

// Writes a page that is pinned and held in any way.
absl::Status BufferPool::Impl::WriteIfDirty(BufferFrame* frame) {
  if (!frame->has(frame_state::kDirty)) return absl::OkStatus();
  const absl::Status status =
      WritePage(*frame->relation.load(std::memory_order_relaxed),
                frame->block.load(std::memory_order_relaxed), frames.bytes(*frame), log);
  if (status.ok()) {
    // Nobody can have changed the page since: that takes an exclusive hold.
    frame->state.fetch_and(~frame_state::kDirty, std::memory_order_acq_rel);
    writes.fetch_add(1, std::memory_order_relaxed);
  } else {
    // Another task may have written it at the same time and believes it clean; who knows what the
    // failed write has left on the disk.
    frame->state.fetch_or(frame_state::kDirty, std::memory_order_acq_rel);
  }
  return status;
}

// Gives the claimed frame to a block; false if the block has one.
bool BufferPool::Impl::MapClaimed(BufferFrame* frame, PooledRelation* relation, BlockNumber block) {
  const std::unique_lock<Latch> lock(*map_latch);
  if (relation->table.Make(block)->load(std::memory_order_relaxed) != 0) return false;
  frames.Map(frame, relation, block);
  return true;
}

void BufferPool::Impl::UnmapFailed(BufferFrame* frame) {
  const std::unique_lock<Latch> lock(*map_latch);
  frames.UnmapFailed(frame);
}

bool BufferPool::Impl::UnmapUnused(BufferFrame* frame) {
  const std::unique_lock<Latch> lock(*map_latch);
  return frames.UnmapUnused(frame);
}

// A page is written after the log up to its LSN: none can be ahead of the log.
absl::Status BufferPool::Impl::CheckLsn(const PooledRelation& relation, BlockNumber block,
                                        ByteView bytes) const {
  const Lsn lsn = PageView(bytes).lsn();
  if (lsn <= log_end || (log != nullptr && lsn <= log->inserted())) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      relation.relation->options().path, ": block ", block, ": its LSN ", wal::LsnText(lsn),
      " lies beyond the log, which ended at ", wal::LsnText(log_end),
      " when it was opened: its last part was lost; restore it, or the directory from a backup"));
}

// A frame without a page, pinned once and held exclusively.
absl::StatusOr<BufferFrame*> BufferPool::Impl::ClaimUnmapped() {
  for (int round = 0; round < kRoundsWithoutFrame;) {
    BufferFrame* frame = frames.Claim();
    if (frame == nullptr) {
      MARK("pool.all_pinned");
      ++round;
      executor->Yield();
      continue;
    }
    if (frame->has(frame_state::kMapped)) {
      // Somebody may have pinned and held it a moment ago: then it is no victim.
      if (!frame->latch->try_lock_shared()) {
        MARK("pool.victim.held");
        frames.Unpin(frame);
        continue;
      }
      const absl::Status status = WriteIfDirty(frame);
      frame->latch->unlock_shared();
      if (!status.ok() || !UnmapUnused(frame)) {
        frames.Unpin(frame);
        if (!status.ok()) return status;
        MARK("pool.victim.wanted_again");
        continue;
      }
      evictions.fetch_add(1, std::memory_order_relaxed);
    }
    CHECK(frame->latch->try_lock());  // Only who has it pinned can hold it.
    return frame;
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("all ", frames.count(), " pages of the buffer pool are in use"));
}

BufferPool::BufferPool(const Environment& environment, std::uint32_t frames,
                       std::uint32_t page_size, wal::Log* log)
    : page_size_(page_size) {
  CHECK(frames >= kFramesMin);
  CHECK(slotted_v4::IsPageSize(page_size));
  impl_ = std::make_unique<Impl>(environment, frames, page_size, log);
}

BufferPool::~BufferPool() = default;

PooledRelation* BufferPool::Attach(Relation* relation, PageGuard* guard) {
  CHECK(relation->page_size() == page_size_);
  auto pooled = std::make_unique<PooledRelation>();
  pooled->relation = relation;
  pooled->guard = guard;
  pooled->number = static_cast<std::uint32_t>(impl_->relations.size());
  pooled->extension = impl_->executor->NewLatch("pool.extension");
  impl_->relations.push_back(std::move(pooled));
  return impl_->relations.back().get();
}

void BufferPool::SetLog(wal::Log* log) { impl_->log = log; }

void BufferPool::SetLogEnd(Lsn end) { impl_->log_end = end; }

const std::string& BufferPool::path(const PooledRelation* relation) {
  return relation->relation->options().path;
}

BlockNumber BufferPool::block_count(const PooledRelation* relation) {
  return relation->relation->block_count();
}

absl::Status BufferPool::Guard(const PooledRelation* relation, ByteView page, BlockNumber block) {
  return relation->guard == nullptr ? absl::OkStatus() : relation->guard->Check(page, block);
}

FrameBudget* BufferPool::budget() { return &impl_->budget; }

absl::StatusOr<PageRef> BufferPool::Pin(PooledRelation* relation, BlockNumber block, Hold hold) {
  for (;;) {
    BufferFrame* frame = impl_->frames.Pin(*relation, block, frame_state::kUse);
    if (frame == nullptr) {
      absl::StatusOr<PageRef> page = Load(relation, block, hold);
      if (!page.ok() || page->valid()) return page;
      continue;
    }
    // Frame, latch and page lie apart: their cache lines are fetched at the same time. A page's
    // header is at its start, and what its users look at next at its end.
    __builtin_prefetch(frame->latch, /*rw=*/1);
    __builtin_prefetch(frame->bytes);
    __builtin_prefetch(frame->bytes + page_size_ - 1);
    PageRef page = RefTo(frame, block);
    if (!frame->has(frame_state::kValid)) {
      // Who loads it holds it exclusively.
      page.HoldShared();
      const bool loaded = frame->has(frame_state::kValid);
      page.Release();
      if (!loaded) continue;
    }
    page.HoldAs(hold);
    return page;
  }
}

const std::uint8_t* BufferPool::AddressOf(const PooledRelation* relation, BlockNumber block) const {
  const PageTable::Entry* entry = relation->table.Find(block);
  if (entry == nullptr) return nullptr;
  const std::uint32_t number = entry->load(std::memory_order_relaxed);
  return number == 0 ? nullptr : impl_->frames.frame(number - 1)->bytes;
}

PageRef BufferPool::RefTo(BufferFrame* frame, BlockNumber block) {
  return PageRef(&impl_->frames, frame, impl_->frames.bytes(*frame), block);
}

// Claims a frame for a block that has none, mapped and not yet valid. An invalid reference: the
// block has got a frame meanwhile.
absl::StatusOr<PageRef> BufferPool::ClaimFor(PooledRelation* relation, BlockNumber block) {
  absl::StatusOr<BufferFrame*> frame = impl_->ClaimUnmapped();
  if (!frame.ok()) return frame.status();
  PageRef page = RefTo(*frame, block);
  page.hold_ = Hold::kExclusive;
  if (impl_->MapClaimed(*frame, relation, block)) return page;
  MARK("pool.load.lost_race");
  return PageRef();
}

absl::StatusOr<PageRef> BufferPool::Load(PooledRelation* relation, BlockNumber block, Hold hold) {
  if (block >= relation->relation->block_count()) {
    return absl::DataLossError(absl::StrCat(relation->relation->options().path, ": block ", block,
                                            ": beyond the end, there are ",
                                            relation->relation->block_count()));
  }
  absl::StatusOr<PageRef> page = ClaimFor(relation, block);
  if (!page.ok() || !page->valid()) return page;
  impl_->reads.fetch_add(1, std::memory_order_relaxed);
  absl::Status status = ReadPage(*relation, block, page->bytes_);
  if (status.ok()) status = impl_->CheckLsn(*relation, block, page->bytes_);
  if (!status.ok()) {
    impl_->UnmapFailed(page->frame_);
    return status;
  }
  page->frame_->state.fetch_or(frame_state::kValid, std::memory_order_acq_rel);
  if (hold == Hold::kExclusive) return page;
  page->Release();
  page->HoldAs(hold);
  return page;
}

absl::StatusOr<PageRef> BufferPool::PinForRestore(PooledRelation* relation, BlockNumber block) {
  CHECK(block < kInvalidBlock);
  if (block >= relation->relation->block_count()) {
    const std::unique_lock<Latch> lock(*relation->extension);
    const absl::Status status = relation->relation->Extend(block + 1);
    if (!status.ok()) return status;
  }
  for (;;) {
    BufferFrame* frame = impl_->frames.Pin(*relation, block, frame_state::kUse);
    if (frame != nullptr) {
      PageRef page = RefTo(frame, block);
      page.HoldExclusive();
      if (!frame->has(frame_state::kValid)) continue;
      page.MarkDirty();
      return page;
    }
    absl::StatusOr<PageRef> page = ClaimFor(relation, block);
    if (!page.ok()) return page;
    if (!page->valid()) continue;
    std::memset(page->bytes_.data(), 0, page_size_);
    page->frame_->state.fetch_or(frame_state::kValid, std::memory_order_acq_rel);
    page->MarkDirty();
    return page;
  }
}

absl::StatusOr<PageRef> BufferPool::Extend(PooledRelation* relation) {
  absl::StatusOr<BufferFrame*> frame = impl_->ClaimUnmapped();
  if (!frame.ok()) return frame.status();
  const std::unique_lock<Latch> lock(*relation->extension);
  const BlockNumber block = relation->relation->block_count();
  PageRef page = RefTo(*frame, block);
  page.hold_ = Hold::kExclusive;
  if (block >= kInvalidBlock - 1) {
    return absl::ResourceExhaustedError(
        absl::StrCat(relation->relation->options().path, ": there are no more block numbers"));
  }
  // Mapped first: nobody else finds the page on the file before it is held here.
  CHECK(impl_->MapClaimed(*frame, relation, block));
  const absl::Status status = relation->relation->Extend(block + 1);
  if (!status.ok()) {
    impl_->UnmapFailed(*frame);
    return status;
  }
  std::memset(page.bytes_.data(), 0, page_size_);
  (*frame)->state.fetch_or(frame_state::kValid, std::memory_order_acq_rel);
  return page;
}

absl::Status BufferPool::WriteAll() {
  struct Place {
    std::uint32_t relation;
    BlockNumber block;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> dirty;
  for (std::uint32_t i = 0; i < impl_->frames.count(); ++i) {
    BufferFrame* frame = impl_->frames.frame(i);
    if (!frame->has(frame_state::kDirty)) continue;
    dirty.push_back({frame->relation.load(std::memory_order_relaxed)->number,
                     frame->block.load(std::memory_order_relaxed)});
  }
  std::sort(dirty.begin(), dirty.end());
  for (const Place& place : dirty) {
    BufferFrame* frame =
        impl_->frames.Pin(*impl_->relations[place.relation], place.block, /*use=*/0);
    if (frame == nullptr) continue;  // evicted, and so written
    PageRef page = RefTo(frame, place.block);
    page.HoldShared();
    const absl::Status status = impl_->WriteIfDirty(frame);
    if (!status.ok()) return status;
  }
  for (const auto& relation : impl_->relations) {
    const absl::Status status = relation->relation->Sync();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void BufferPool::DiscardAll() {
  for (std::uint32_t i = 0; i < impl_->frames.count(); ++i) {
    BufferFrame* frame = impl_->frames.frame(i);
    CHECK(frame_state::Pins(frame->state.load()) == 0);
    if (frame->has(frame_state::kMapped)) impl_->UnmapFailed(frame);
    frame->state.store(0);
  }
}

PoolStatistics BufferPool::statistics() const {
  PoolStatistics statistics;
  for (std::uint32_t i = 0; i < impl_->frames.count(); ++i) {
    statistics.hits += impl_->frames.frame(i)->hits.load(std::memory_order_relaxed);
  }
  statistics.reads = impl_->reads.load(std::memory_order_relaxed);
  statistics.writes = impl_->writes.load(std::memory_order_relaxed);
  statistics.evictions = impl_->evictions.load(std::memory_order_relaxed);
  return statistics;
}

}  // namespace tornleaf

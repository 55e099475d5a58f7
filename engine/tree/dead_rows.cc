#include "engine/tree/dead_rows.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "engine/base/check.h"
#include "engine/base/mark.h"
#include "engine/format/dead_rows_v1.h"
#include "engine/store/logged_change.h"
#include "engine/wal/record/dead_rows_records.h"

namespace tornleaf {

namespace {

absl::Status Damage(BlockNumber block, const char* what) {
  return absl::DataLossError(absl::StrFormat("list of dead rows, block %u: %s", block, what));
}

void MakeEmpty(PageRef* page) { dead_rows_v1::InitializePage(page->writer()); }

}  // namespace

absl::Status DeadRowsPageGuard::Check(ByteView page, BlockNumber block) {
  const char* rule = dead_rows_v1::GuardPage(page);
  return rule == nullptr ? absl::OkStatus() : Damage(block, rule);
}

// Two latches: Add(), Seal() and Clear() take turns on the pages, and whoever asks waits for none
// of them, but only for the moment in which the table changes.
struct DeadRows::State {
  BufferPool* pool;
  PooledRelation* relation;
  RelationId id;
  wal::Log* log;

  std::unique_ptr<Latch> pages_latch;
  std::map<BlockNumber, std::uint64_t>
      used;                    // page with rows -> the seal that it is under, 0: none
  std::set<BlockNumber> open;  // of these: rows may be added
  std::set<BlockNumber> empty;
  std::uint64_t last_seal = 0;

  std::unique_ptr<Latch> rows_latch;
  absl::flat_hash_map<PackedTid, Lsn> rows;  // row -> what the log must be durable up to
  std::atomic<std::size_t> row_count{0};
};

DeadRows::DeadRows(Executor* executor, BufferPool* pool, PooledRelation* relation, RelationId id,
                   wal::Log* log)
    : state_(std::make_unique<State>()) {
  state_->pool = pool;
  state_->relation = relation;
  state_->id = id;
  state_->log = log;
  state_->pages_latch = executor->NewLatch("dead rows: pages");
  state_->rows_latch = executor->NewLatch("dead rows: table");
}

DeadRows::~DeadRows() = default;

absl::Status DeadRows::Load() {
  const std::unique_lock<Latch> pages(*state_->pages_latch);
  CHECK(state_->used.empty());
  CHECK(state_->empty.empty());
  const BlockNumber count = BufferPool::block_count(state_->relation);
  for (BlockNumber block = 0; block < count; ++block) {
    const absl::Status loaded = LoadPage(block);
    if (!loaded.ok()) return loaded;
  }
  return absl::OkStatus();
}

absl::Status DeadRows::LoadPage(BlockNumber block) {
  absl::StatusOr<PageRef> page = state_->pool->Pin(state_->relation, block, Hold::kShared);
  if (!page.ok()) return page.status();
  const PageView view = page->view();
  const std::uint32_t count = view.is_new() ? 0 : dead_rows_v1::RowCount(view);
  if (count == 0) {
    state_->empty.insert(block);
    return absl::OkStatus();
  }
  const std::unique_lock<Latch> rows(*state_->rows_latch);
  for (std::uint32_t index = 0; index < count; ++index) {
    const PackedTid row = PackTid(dead_rows_v1::RowAt(view, index));
    if (!state_->rows.emplace(row, view.lsn()).second)
      return Damage(block, "a row is listed twice");
  }
  state_->row_count.store(state_->rows.size(), std::memory_order_release);
  state_->used[block] = 0;
  if (count < dead_rows_v1::Capacity(view.size())) state_->open.insert(block);
  return absl::OkStatus();
}

bool DeadRows::Knows(ItemPointer tid) {
  const std::shared_lock<Latch> rows(*state_->rows_latch);
  return state_->rows.contains(PackTid(tid));
}

bool DeadRows::IsDead(ItemPointer tid) { return AnyDead() && Knows(tid); }

bool DeadRows::IsSafelyDead(ItemPointer tid) {
  if (!AnyDead()) return false;
  const std::shared_lock<Latch> rows(*state_->rows_latch);
  const auto found = state_->rows.find(PackTid(tid));
  if (found == state_->rows.end()) return false;
  return state_->log == nullptr || found->second <= state_->log->durable();
}

bool DeadRows::AnyDead() { return size() != 0; }

std::size_t DeadRows::size() const { return state_->row_count.load(std::memory_order_acquire); }

absl::StatusOr<PageRef> DeadRows::PageWithRoom() {
  if (!state_->open.empty()) {
    return state_->pool->Pin(state_->relation, *state_->open.begin(), Hold::kExclusive);
  }
  if (!state_->empty.empty()) {
    MARK("dead_rows.page_reused");
    return state_->pool->Pin(state_->relation, *state_->empty.begin(), Hold::kExclusive);
  }
  return state_->pool->Extend(state_->relation);
}

// The page has room: it would not be open otherwise.
Lsn DeadRows::Append(PageRef* page, ItemPointer tid) {
  if (page->view().is_new()) MakeEmpty(page);
  const std::uint32_t first = dead_rows_v1::RowCount(page->view());
  std::uint8_t stored[index_tuple::kTidSize];
  StoreTid(stored, tid);
  CHECK(dead_rows_v1::AppendRows(page->writer(), first, stored));

  std::vector<std::uint8_t> main_data;
  wal::AddDeadRowsRecord{static_cast<std::uint16_t>(first), 1}.Encode(&main_data);
  LoggedChange change(state_->log, wal::ResourceManager::kTornleaf, wal::kAddDeadRows);
  change.AddMain(main_data);
  const std::uint8_t init = first == 0 ? wal::kWillInit : 0;
  change.AddPage(0, state_->id, page, static_cast<std::uint8_t>(wal::kStandardPage | init));
  change.AddData(stored);
  const Lsn lsn = change.Commit();

  const BlockNumber block = page->block();
  state_->empty.erase(block);
  state_->used.emplace(block, 0);
  if (first + 1 < dead_rows_v1::Capacity(page->view().size())) {
    state_->open.insert(block);
  } else {
    state_->open.erase(block);
  }
  return lsn;
}

absl::StatusOr<bool> DeadRows::Add(ItemPointer tid) {
  if (tid.offset == 0) return absl::InvalidArgumentError("a row address has no offset number 0");
  const std::unique_lock<Latch> pages(*state_->pages_latch);
  if (Knows(tid)) return false;
  absl::StatusOr<PageRef> page = PageWithRoom();
  if (!page.ok()) return page.status();
  const Lsn lsn = Append(&*page, tid);
  page->Drop();

  const std::unique_lock<Latch> rows(*state_->rows_latch);
  state_->rows.emplace(PackTid(tid), lsn);
  state_->row_count.store(state_->rows.size(), std::memory_order_release);
  return true;
}

absl::StatusOr<DeadRows::Batch> DeadRows::Seal() {
  Batch batch;
  {
    const std::unique_lock<Latch> pages(*state_->pages_latch);
    batch.seal_ = ++state_->last_seal;
    state_->open.clear();
    for (auto& [block, seal] : state_->used) {
      seal = batch.seal_;
      batch.pages_.push_back(block);
    }
  }
  // Nobody adds to these pages any more, so they may be read one by one.
  for (const BlockNumber block : batch.pages_) {
    absl::StatusOr<PageRef> page = state_->pool->Pin(state_->relation, block, Hold::kShared);
    if (!page.ok()) return page.status();
    const std::uint32_t count = dead_rows_v1::RowCount(page->view());
    for (std::uint32_t index = 0; index < count; ++index) {
      batch.tids_.insert(PackTid(dead_rows_v1::RowAt(page->view(), index)));
    }
  }
  return batch;
}

absl::Status DeadRows::EmptyPage(BlockNumber block) {
  absl::StatusOr<PageRef> page = state_->pool->Pin(state_->relation, block, Hold::kExclusive);
  if (!page.ok()) return page.status();
  std::vector<PackedTid> forgotten;
  const std::uint32_t count = dead_rows_v1::RowCount(page->view());
  for (std::uint32_t index = 0; index < count; ++index) {
    forgotten.push_back(PackTid(dead_rows_v1::RowAt(page->view(), index)));
  }
  MakeEmpty(&*page);
  LoggedChange change(state_->log, wal::ResourceManager::kTornleaf, wal::kResetDeadRows);
  change.AddPage(0, state_->id, &*page,
                 static_cast<std::uint8_t>(wal::kStandardPage | wal::kWillInit));
  change.Commit();
  page->Drop();
  state_->used.erase(block);
  state_->empty.insert(block);

  // Only after the record is in the log: from here on a row may come under this address, and its
  // records must be later than the one that frees it.
  const std::unique_lock<Latch> rows(*state_->rows_latch);
  for (const PackedTid row : forgotten) state_->rows.erase(row);
  state_->row_count.store(state_->rows.size(), std::memory_order_release);
  return absl::OkStatus();
}

absl::Status DeadRows::Clear(const Batch& batch) {
  for (const BlockNumber block : batch.pages_) {
    const std::unique_lock<Latch> pages(*state_->pages_latch);
    const auto used = state_->used.find(block);
    if (used == state_->used.end() || used->second != batch.seal_) {
      MARK("dead_rows.sealed_again");
      continue;
    }
    const absl::Status emptied = EmptyPage(block);
    if (!emptied.ok()) return emptied;
  }
  return absl::OkStatus();
}

bool RedoDeadRows(const wal::DecodedRecord& record, PageWriter page) {
  if (!record.has_block(0)) return false;
  const wal::DecodedBlock& block = record.blocks[0];
  if (record.info == wal::kResetDeadRows) {
    if (!block.will_init) return false;
    dead_rows_v1::InitializePage(page);
    return true;
  }
  wal::AddDeadRowsRecord add;
  if (record.info != wal::kAddDeadRows) return false;
  if (!wal::AddDeadRowsRecord::Decode(record.main_data, &add)) return false;
  if (block.data.size() != add.count * std::size_t{index_tuple::kTidSize}) return false;
  if (block.will_init != (add.first == 0)) return false;
  if (!block.will_init && dead_rows_v1::GuardPage(page.bytes()) != nullptr) return false;
  if (block.will_init) {
    // Built beside the page, which stays as it is if the addresses are none.
    std::vector<std::uint8_t> fresh(page.size());
    dead_rows_v1::InitializePage(PageWriter(fresh));
    if (!dead_rows_v1::AppendRows(PageWriter(fresh), 0, block.data)) return false;
    std::copy(fresh.begin(), fresh.end(), page.data());
    return true;
  }
  return dead_rows_v1::AppendRows(page, add.first, block.data);
}

}  // namespace tornleaf

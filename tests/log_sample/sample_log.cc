#include "tests/log_sample/sample_log.h"

#include <array>
#include <vector>

#include "engine/base/prng.h"
#include "engine/format/nbtree_v4.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/wal/record/dead_rows_records.h"
#include "engine/wal/record/nbtree_records.h"
#include "engine/wal/record/xlog_records.h"

namespace tornleaf {

namespace {

using wal::Bytes;

constexpr RelationId kIndex{1663, 5, 16384};
constexpr RelationId kDeadRows{1663, 5, 16385};
constexpr std::int64_t kTime = 1'700'000'000;

class Sampler {
 public:
  Sampler(wal::Log* log, std::uint32_t page_size) : log_(log), prng_(15, "sample log") {
    for (Bytes& page : pages_) {
      page.resize(page_size);
      PageWriter writer(page);
      writer.Initialize(nbtree::kOpaqueSize);
      writer.AppendItem(Random(prng_.Between(1, 6) * 40));
    }
  }

  void Round() {
    Checkpoint(wal::kCheckpointOnline);
    Inserts();
    Splits();
    Removals();
    Deletions();
    DeadRows();
    Xlog();
  }
  void Checkpoint(wal::XlogOperation operation) {
    wal::CheckpointRecord checkpoint;
    checkpoint.redo = log_->BeginCheckpoint();
    checkpoint.next_xid = 1000;
    checkpoint.unix_seconds = kTime;
    Begin(wal::ResourceManager::kXlog, operation, Encoded(checkpoint));
    Insert();
  }

 private:
  Bytes Random(std::size_t size) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(prng_.Next());
    return bytes;
  }
  template <typename Record>
  static Bytes Encoded(const Record& record) {
    Bytes bytes;
    record.Encode(&bytes);
    return bytes;
  }

  // A record is begun, gets blocks, and is inserted; then its pages bear its LSN.
  void Begin(wal::ResourceManager manager, std::uint8_t info, Bytes main) {
    main_ = std::move(main);
    data_.clear();
    data_.reserve(wal::kMaxBlockId + 1);
    draft_ = wal::RecordDraft();
    draft_.manager = manager;
    draft_.info = info;
    draft_.xid = static_cast<wal::Xid>(prng_.Between(700, 800));
    draft_.main_data = {ByteView(main_)};
  }
  void Block(std::uint8_t id, const RelationId& relation, Bytes data, std::uint8_t flags) {
    wal::BlockChange& block = draft_.blocks.emplace_back();
    block.id = id;
    block.relation = relation;
    block.block = id + 1U;
    block.flags = flags;
    block.page = pages_[id];
    if (data.empty()) return;
    data_.push_back(std::move(data));
    block.data = {ByteView(data_.back())};
  }
  void Btree(wal::BtreeOperation operation, Bytes main) {
    Begin(wal::ResourceManager::kBtree, operation, std::move(main));
  }
  void Changed(std::uint8_t id, Bytes data) {
    Block(id, kIndex, std::move(data), wal::kStandardPage);
  }
  void Made(std::uint8_t id, Bytes data) {
    Block(id, kIndex, std::move(data), wal::kStandardPage | wal::kWillInit);
  }
  void Insert() {
    const Lsn lsn = log_->Insert(draft_);
    for (const wal::BlockChange& block : draft_.blocks) PageWriter(pages_[block.id]).set_lsn(lsn);
  }

  static Bytes Meta() {
    nbtree::MetaPage meta;
    meta.version = nbtree::kVersionHeapTidIsKey;
    meta.root = 3;
    meta.fast_root = 3;
    meta.last_cleanup_deleted_pages = 6;
    Bytes bytes;
    wal::EncodeMeta(meta, &bytes);
    return bytes;
  }

  void Inserts() {
    const Bytes main = Encoded(wal::InsertRecord{5});
    Btree(wal::kInsertLeaf, main);
    Changed(0, Random(16));
    Insert();
    Btree(wal::kInsertUpper, main);
    Changed(0, Random(24));
    Changed(1, {});
    Insert();
    Btree(wal::kInsertMeta, main);
    Changed(0, Random(24));
    Changed(1, {});
    Made(2, Meta());
    Insert();
    Btree(wal::kInsertPosting, main);
    Changed(0, Random(18));
    Insert();
  }
  void Splits() {
    for (const wal::BtreeOperation operation : {wal::kSplitLeft, wal::kSplitRight}) {
      Btree(operation, Encoded(wal::SplitRecord{0, 7, 9, 0}));
      Changed(0, Random(40));
      Made(1, Random(prng_.Between(1, 10) * 16));
      Changed(2, {});
      Insert();
    }
    Btree(wal::kNewRoot, Encoded(wal::NewRootRecord{1, 1}));
    Made(0, Random(32));
    Changed(1, {});
    Made(2, Meta());
    Insert();
  }
  void Removals() {
    Btree(wal::kDedup, Encoded(wal::DedupRecord{2}));
    Bytes intervals;
    const std::array<nbtree::DedupInterval, 2> merged{{{1, 3}, {4, 2}}};
    wal::EncodeIntervals(merged, &intervals);
    Changed(0, intervals);
    Insert();
    wal::DeletePayload payload;
    payload.deleted = {3, 9};
    payload.updates = {{5, {0, 2}}};
    for (const bool with_horizon : {true, false}) {
      Bytes main;
      wal::DeleteRecord{777, 2, 1}.Encode(with_horizon, &main);
      Btree(with_horizon ? wal::kDelete : wal::kVacuum, main);
      Changed(0, Encoded(payload));
      Insert();
    }
  }
  void Deletions() {
    Btree(wal::kMarkPageHalfDead, Encoded(wal::MarkHalfDeadRecord{2, 1, 0, 4, kInvalidBlock}));
    Made(0, {});
    Changed(1, {});
    Insert();
    const Bytes unlink = Encoded(wal::UnlinkRecord{0, 4, 0, 0x100000400, 0, 4, kInvalidBlock});
    Btree(wal::kUnlinkPage, unlink);
    Made(0, {});
    Changed(2, {});
    Insert();
    Btree(wal::kUnlinkPageMeta, unlink);
    Made(0, {});
    Changed(1, {});
    Changed(2, {});
    Made(3, {});
    Made(4, Meta());
    Insert();
    Btree(wal::kReusePage, Encoded(wal::ReusePageRecord{kIndex, 1, 0x100000400}));
    Insert();
    Btree(wal::kMetaCleanup, {});
    Made(0, Meta());
    Insert();
  }
  void DeadRows() {
    Begin(wal::ResourceManager::kTornleaf, wal::kAddDeadRows,
          Encoded(wal::AddDeadRowsRecord{0, 2}));
    Block(5, kDeadRows, Random(12), wal::kStandardPage);
    Insert();
    Begin(wal::ResourceManager::kTornleaf, wal::kResetDeadRows, {});
    Block(5, kDeadRows, {}, wal::kStandardPage | wal::kWillInit);
    Insert();
  }
  void Xlog() {
    Begin(wal::ResourceManager::kXlog, wal::kNoop, {0});
    Insert();
    Begin(wal::ResourceManager::kXlog, wal::kFpiForHint, {});
    Block(0, kIndex, {}, wal::kStandardPage | wal::kForceImage);
    Insert();
    Begin(wal::ResourceManager::kXlog, wal::kFpi, {});
    for (std::uint8_t id = 0; id < 4; ++id) Block(id, kIndex, {}, wal::kForceImage);
    Insert();
  }

  wal::Log* log_;
  Prng prng_;
  std::array<Bytes, 6> pages_;
  wal::RecordDraft draft_;
  Bytes main_;
  std::vector<Bytes> data_;
};

}  // namespace

absl::StatusOr<wal::RecordCounts> WriteSampleLog(const Environment& environment,
                                                 const wal::LogOptions& options,
                                                 std::uint32_t page_size, std::uint32_t rounds) {
  auto log = wal::Log::Open(environment, options, 0, 0, 0);
  if (!log.ok()) return log.status();
  Sampler sampler(log->get(), page_size);
  for (std::uint32_t round = 0; round < rounds; ++round) sampler.Round();
  sampler.Checkpoint(wal::kCheckpointShutdown);
  if (absl::Status status = (*log)->Sync(); !status.ok()) return status;
  return (*log)->counts();
}

}  // namespace tornleaf

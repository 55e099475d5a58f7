#include "engine/wal/log.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/wal/log_buffer.h"
#include "engine/wal/record/log_page.h"
#include "engine/wal/segment.h"
#include "engine/wal/segment_writer.h"

namespace tornleaf {
namespace wal {

namespace {

constexpr std::size_t kManagers = 256;
constexpr std::size_t kOperations = 16;

LogShape ShapeOf(const LogOptions& options) {
  return {.page_bytes = options.page_bytes,
          .segment_bytes = options.segment_bytes,
          .timeline = options.timeline,
          .system_identifier = options.system_identifier};
}

bool NeedsImage(const BlockChange& block, bool full_page_images, Lsn redo) {
  if ((block.flags & kForceImage) != 0) return true;
  if ((block.flags & (kNoImage | kWillInit)) != 0) return false;
  return full_page_images && PageView(block.page).lsn() <= redo;
}

std::uint64_t ImagesOf(const RecordDraft& draft, bool full_page_images, Lsn redo) {
  std::uint64_t with_image = 0;
  for (std::size_t index = 0; index < draft.blocks.size(); ++index) {
    if (NeedsImage(draft.blocks[index], full_page_images, redo)) {
      with_image |= std::uint64_t{1} << index;
    }
  }
  return with_image;
}

// Latches: who holds both took flush_latch_ first. Positions are written under insert_latch_ and
// may be read at any time.
class LogWriter final : public Log {
 public:
  LogWriter(const Environment& environment, const LogOptions& options)
      : shape_(ShapeOf(options)),
        full_page_images_(options.full_page_images),
        flush_latch_(environment.executor->NewLatch("log flush")),
        insert_latch_(environment.executor->NewLatch("log insert")),
        segments_(environment.device, options.folder, shape_),
        buffer_(shape_, options.buffer_bytes),
        flushed_tail_(options.page_bytes) {}

  absl::Status Start(Lsn end, Lsn last_record, Lsn redo) {
    inserted_ = written_ = end;
    durable_ = end;
    last_record_ = last_record;
    redo_ = redo;
    return segments_.CutAt(end, buffer_.Page(shape_.PageOf(end)));
  }

  Lsn Insert(const RecordDraft& draft, Lsn* start) override;
  absl::Status Flush(Lsn lsn) override;
  absl::Status Sync() override { return Flush(inserted()); }
  absl::Status Recycle(Lsn lsn) override;
  Lsn BeginCheckpoint() override;

  absl::Status status() const override {
    // Asked before every operation.
    if (!failed_) return absl::OkStatus();
    const std::lock_guard insert(*insert_latch_);
    return failure_;
  }
  Lsn inserted() const override { return inserted_; }
  Lsn durable() const override { return durable_; }
  Lsn redo() const override { return redo_; }
  Lsn last_record() const override { return last_record_; }
  RecordCounts counts() const override;

 private:
  enum class Durability : bool { kWritten, kDurable };

  bool HasRoomFor(std::uint32_t length) const {
    return buffer_.Fits(written_, shape_.EndOf(shape_.StartAfter(inserted_), length));
  }
  void MakeRoomFor(std::uint32_t length);
  absl::Status WriteOut(Durability durability);
  absl::Status WritePages(Lsn from, Lsn end);
  absl::Status Fail(absl::Status status);

  const LogShape shape_;
  const bool full_page_images_;

  std::unique_ptr<Latch> flush_latch_;   // one writes, syncs or recycles
  std::unique_ptr<Latch> insert_latch_;  // one lays out a record

  SegmentWriter segments_;                  // under flush_latch_
  LogBuffer buffer_;                        // see WriteOut
  std::vector<std::uint8_t> flushed_tail_;  // under flush_latch_: the page that is not full yet
  std::vector<std::uint8_t> record_;        // under insert_latch_: the one that is laid out
  std::array<std::array<std::uint64_t, kOperations>, kManagers> counts_{};  // under insert_latch_
  absl::Status failure_;                                                    // under insert_latch_
  Lsn written_ = 0;  // changed under both: handed to the device up to here
  std::atomic<Lsn> inserted_ = 0;
  std::atomic<Lsn> durable_ = 0;
  std::atomic<Lsn> last_record_ = 0;
  std::atomic<Lsn> redo_ = 0;
  std::atomic<bool> failed_ = false;  // failure_ is not ok
};

Lsn LogWriter::Insert(const RecordDraft& draft, Lsn* start) {
  std::unique_lock insert(*insert_latch_);
  while (true) {
    record_.clear();
    EncodeRecord(draft, last_record_, ImagesOf(draft, full_page_images_, redo_), &record_);
    if (HasRoomFor(static_cast<std::uint32_t>(record_.size())) || failed_) break;
    // Others may come first meanwhile: then this record has another predecessor.
    insert.unlock();
    MakeRoomFor(static_cast<std::uint32_t>(record_.size()));
    insert.lock();
  }
  *start = shape_.StartAfter(inserted_);
  // After a failure nothing will ever be written, and positions only have to go on growing.
  const Lsn end = failed_ ? shape_.EndOf(*start, static_cast<std::uint32_t>(record_.size()))
                          : buffer_.Append(inserted_, record_);
  inserted_.store(end, std::memory_order_release);
  last_record_.store(*start, std::memory_order_release);
  ++counts_[static_cast<std::uint8_t>(draft.manager)][draft.info >> 4];
  return end;
}

void LogWriter::MakeRoomFor(std::uint32_t length) {
  const std::lock_guard flush(*flush_latch_);
  // A failure shows in failed_, and then the caller needs no room.
  if (!WriteOut(Durability::kWritten).ok()) return;
  MARK("log.buffer.written_out_by_insertion");
  const std::lock_guard insert(*insert_latch_);
  if (HasRoomFor(length)) return;
  MARK("log.buffer.grown");
  // Twice, so that the next long record does not meet a full buffer again.
  const Lsn end = shape_.EndOf(shape_.StartAfter(inserted_), length);
  buffer_.Grow(2 * (end - shape_.PageOf(written_)), written_, inserted_);
}

absl::Status LogWriter::Flush(Lsn lsn) {
  if (!failed_ && lsn <= durable_) return absl::OkStatus();
  const std::lock_guard flush(*flush_latch_);
  if (failed_) return status();
  if (lsn <= durable_) return absl::OkStatus();  // whoever had the latch has done it for us
  if (lsn > inserted_) {
    return absl::DataLossError(absl::StrCat("position ", LsnText(lsn),
                                            " is past the end of the log, ", LsnText(inserted_)));
  }
  return WriteOut(Durability::kDurable);
}

// Writes everything that has been inserted. flush_latch_ is held, insert_latch_ is not. Full pages
// are written from the buffer while others insert behind them; of the last page, which they go on
// filling, a copy is.
absl::Status LogWriter::WriteOut(Durability durability) {
  if (failed_) return status();
  Lsn end = 0;
  {
    const std::lock_guard insert(*insert_latch_);
    end = inserted_;
    const Lsn last_page = shape_.PageOf(end);
    const ByteView filled = buffer_.Run(last_page, end - last_page);
    std::copy(filled.begin(), filled.end(), flushed_tail_.begin());
    std::fill(flushed_tail_.begin() + static_cast<std::ptrdiff_t>(filled.size()),
              flushed_tail_.end(), std::uint8_t{0});
  }
  absl::Status status = WritePages(shape_.PageOf(written_), end);
  if (status.ok() && durability == Durability::kDurable) status = segments_.Sync();
  if (!status.ok()) return Fail(std::move(status));
  const std::lock_guard insert(*insert_latch_);
  written_ = end;
  if (durability == Durability::kDurable) durable_ = end;
  return absl::OkStatus();
}

// Writes the pages from the one at `from` on; flushed_tail_ is what there is of the last one.
absl::Status LogWriter::WritePages(Lsn from, Lsn end) {
  const Lsn last_page = shape_.PageOf(end);
  while (from < last_page) {
    const ByteView run = buffer_.Run(from, last_page - from);
    if (absl::Status status = segments_.Write(from, run); !status.ok()) return status;
    from += run.size();
  }
  // Whole, with zeros behind the end: so nothing that the file held before follows the last record.
  return end == last_page ? absl::OkStatus() : segments_.Write(last_page, flushed_tail_);
}

absl::Status LogWriter::Fail(absl::Status status) {
  const std::lock_guard insert(*insert_latch_);
  if (failure_.ok()) failure_ = std::move(status);
  failed_ = true;
  return failure_;
}

absl::Status LogWriter::Recycle(Lsn lsn) {
  const std::lock_guard flush(*flush_latch_);
  if (failed_) return status();
  // A segment under a new name that is not durable may be the next one to be written: so an error
  // here is one of the log.
  absl::Status status = segments_.Recycle(std::min<Lsn>(lsn, redo_));
  return status.ok() ? status : Fail(std::move(status));
}

Lsn LogWriter::BeginCheckpoint() {
  const std::lock_guard insert(*insert_latch_);
  redo_ = shape_.StartAfter(inserted_);
  return redo_;
}

RecordCounts LogWriter::counts() const {
  const std::lock_guard insert(*insert_latch_);
  RecordCounts counts;
  for (std::size_t manager = 0; manager < kManagers; ++manager) {
    for (std::size_t operation = 0; operation < kOperations; ++operation) {
      const std::uint64_t count = counts_[manager][operation];
      if (count == 0) continue;
      counts[{static_cast<std::uint8_t>(manager), static_cast<std::uint8_t>(operation << 4)}] =
          count;
    }
  }
  return counts;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Log>> Log::Open(const Environment& environment,
                                               const LogOptions& options, Lsn end, Lsn last_record,
                                               Lsn redo) {
  if (!v15::IsPageBytes(options.page_bytes) ||
      !v15::IsSegmentBytes(options.segment_bytes, options.page_bytes)) {
    return absl::InvalidArgumentError(absl::StrCat("a log cannot have pages of ",
                                                   options.page_bytes, " and segments of ",
                                                   options.segment_bytes, " bytes"));
  }
  if (last_record == 0) {
    // Position 0 means "none", so the first segment of all is never used: as in PostgreSQL.
    const std::uint64_t bytes = options.segment_bytes;
    end = std::max<std::uint64_t>(1, (end + bytes - 1) / bytes) * bytes;
  } else if (last_record >= end || end % kMaxAlign != 0) {
    return absl::InvalidArgumentError(absl::StrCat("a log cannot end at ", LsnText(end),
                                                   " with a record that starts at ",
                                                   LsnText(last_record)));
  }
  auto log = std::make_unique<LogWriter>(environment, options);
  if (absl::Status status = log->Start(end, last_record, redo); !status.ok()) return status;
  return log;
}

}  // namespace wal
}  // namespace tornleaf

// What tests of the store share: a log that only counts, and pages that say what is on them.

#ifndef TORNLEAF_ENGINE_STORE_STORE_TEST_UTIL_H_
#define TORNLEAF_ENGINE_STORE_STORE_TEST_UTIL_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "engine/page/slotted_page_v4.h"
#include "engine/store/buffer_pool.h"
#include "engine/wal/log.h"

namespace tornleaf {

// A log without bytes: each record takes 8 of them.
class FakeLog final : public wal::Log {
 public:
  using Log::Insert;
  Lsn Insert(const wal::RecordDraft& draft, Lsn* start) override {
    const std::unique_lock lock(mutex_);
    *start = inserted_;
    inserted_ += 8;
    last_record_ = *start;
    blocks_ += draft.blocks.size();
    return inserted_;
  }
  absl::Status Flush(Lsn lsn) override {
    const std::unique_lock lock(mutex_);
    ++flushes_;
    if (!status_.ok()) return status_;
    CHECK(lsn <= inserted_);
    if (lsn > durable_) durable_ = lsn;
    return absl::OkStatus();
  }
  absl::Status Sync() override { return Flush(inserted()); }
  absl::Status status() const override {
    const std::unique_lock lock(mutex_);
    return status_;
  }
  Lsn inserted() const override {
    const std::unique_lock lock(mutex_);
    return inserted_;
  }
  Lsn durable() const override {
    const std::unique_lock lock(mutex_);
    return durable_;
  }
  Lsn redo() const override { return 0; }
  Lsn BeginCheckpoint() override { return inserted(); }
  Lsn last_record() const override {
    const std::unique_lock lock(mutex_);
    return last_record_;
  }
  absl::Status Recycle(Lsn) override { return absl::OkStatus(); }
  wal::RecordCounts counts() const override { return {}; }

  void Fail(absl::Status status) {
    const std::unique_lock lock(mutex_);
    status_ = std::move(status);
  }
  std::uint64_t flushes() const {
    const std::unique_lock lock(mutex_);
    return flushes_;
  }
  std::uint64_t blocks() const {
    const std::unique_lock lock(mutex_);
    return blocks_;
  }

 private:
  mutable std::mutex mutex_;
  Lsn inserted_ = 4096;
  Lsn durable_ = 4096;
  Lsn last_record_ = 0;
  std::uint64_t flushes_ = 0;
  std::uint64_t blocks_ = 0;
  absl::Status status_;
};

// A page that carries one number, and its block's.
inline void FillPage(PageWriter page, BlockNumber block, std::uint64_t number) {
  const Lsn lsn = page.view().lsn();
  page.Initialize(16);
  page.set_lsn(lsn);
  StoreLittleEndian(page.data() + page.view().special(), number);
  StoreLittleEndian(page.data() + page.view().special() + 8, std::uint64_t{block});
}
inline std::uint64_t NumberOnPage(PageView page) {
  return page.is_new() ? 0 : LoadLittleEndian<std::uint64_t>(page.data() + page.special());
}
inline std::uint64_t BlockOnPage(PageView page) {
  return LoadLittleEndian<std::uint64_t>(page.data() + page.special() + 8);
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_STORE_TEST_UTIL_H_

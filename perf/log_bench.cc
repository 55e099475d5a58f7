// What one record costs to insert into the log: memory only, no file behind it is ever synced.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <vector>

#include "engine/env/posix_environment.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/wal/log.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {
namespace {

// Takes writes and forgets them, so that the writer is measured and not the system.
class NullFile final : public File {
 public:
  absl::StatusOr<std::size_t> ReadAt(std::uint64_t, MutableBytes) override {
    return std::size_t{0};
  }
  absl::StatusOr<std::size_t> WriteAt(std::uint64_t, ByteView bytes) override {
    return bytes.size();
  }
  absl::Status Resize(std::uint64_t) override { return absl::OkStatus(); }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::StatusOr<std::uint64_t> Size() override { return std::uint64_t{0}; }
};

class NullDevice final : public Device {
 public:
  absl::StatusOr<std::unique_ptr<File>> Open(const std::string&, OpenMode) override {
    return std::make_unique<NullFile>();
  }
  absl::StatusOr<std::unique_ptr<File>> Create(const std::string&) override {
    return std::make_unique<NullFile>();
  }
  absl::Status Rename(const std::string&, const std::string&) override { return absl::OkStatus(); }
  absl::Status Remove(const std::string&) override { return absl::OkStatus(); }
  absl::Status MakeDirectory(const std::string&) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<std::string>> List(const std::string&) override {
    return std::vector<std::string>();
  }
  absl::Status SyncDirectory(const std::string&) override { return absl::OkStatus(); }
  absl::StatusOr<std::unique_ptr<DeviceLock>> Lock(const std::string&) override {
    return absl::UnimplementedError("no locks here");
  }
};

std::unique_ptr<wal::Log> OpenLog(NullDevice* device) {
  Environment environment = PosixEnvironment();
  environment.device = device;
  wal::LogOptions options;
  options.folder = "wal";
  return *wal::Log::Open(environment, options, 0, 0, 0);
}

// An INSERT_LEAF with a tuple of as many bytes as asked for, as the tree logs it.
void BM_InsertRecord(benchmark::State& state) {
  NullDevice device;
  const std::unique_ptr<wal::Log> log = OpenLog(&device);
  std::vector<std::uint8_t> page(8192);
  PageWriter writer(page);
  writer.Initialize(16);
  writer.set_lsn(log->inserted() + 1);
  const std::vector<std::uint8_t> tuple(static_cast<std::size_t>(state.range(0)), 7);
  std::uint64_t bytes = 0;
  for (auto unused : state) {
    wal::Bytes main;
    main.reserve(2);
    wal::InsertRecord{5}.Encode(&main);
    wal::RecordDraft draft;
    draft.info = wal::kInsertLeaf;
    draft.main_data.push_back(main);
    wal::BlockChange& block = draft.blocks.emplace_back();
    block.relation = {1663, 5, 16384};
    block.block = 17;
    block.flags = wal::kStandardPage;
    block.page = page;
    block.data.push_back(tuple);
    const Lsn before = log->inserted();
    const Lsn lsn = log->Insert(draft);
    writer.set_lsn(lsn);
    bytes += lsn - before;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(BM_InsertRecord)->Arg(16)->Arg(64)->Arg(400);

void BM_FullPageImage(benchmark::State& state) {
  NullDevice device;
  const std::unique_ptr<wal::Log> log = OpenLog(&device);
  std::vector<std::uint8_t> page(8192, 3);
  PageWriter(page).Initialize(16);
  for (auto unused : state) {
    wal::RecordDraft draft;
    wal::BlockChange& block = draft.blocks.emplace_back();
    block.flags = wal::kForceImage;
    block.page = page;
    benchmark::DoNotOptimize(log->Insert(draft));
  }
  state.SetBytesProcessed(state.iterations() * 8192);
}
BENCHMARK(BM_FullPageImage);

}  // namespace
}  // namespace tornleaf

BENCHMARK_MAIN();

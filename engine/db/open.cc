// Database::Open: from files to a recovered database.

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/db/free_pages_file.h"
#include "engine/db/state.h"
#include "engine/tree/bulk_load.h"

namespace tornleaf {

namespace {

absl::StatusOr<std::unique_ptr<DeviceLock>> LockDirectory(Device* device,
                                                          const std::string& directory) {
  absl::StatusOr<std::unique_ptr<DeviceLock>> lock = device->Lock(directory);
  if (absl::IsNotFound(lock.status())) {
    return absl::NotFoundError(
        absl::StrCat(directory, ": no such directory; `tornleaf db init` makes a database"));
  }
  if (absl::IsFailedPrecondition(lock.status())) {
    const bool is_no_folder = absl::IsFailedPrecondition(device->List(directory).status());
    return absl::FailedPreconditionError(
        absl::StrCat(directory, is_no_folder ? ": not a directory; name the one of the database"
                                             : ": another process has this database open"));
  }
  return lock;
}

// Why there is no control file.
absl::Status NoControlFile(Device* device, const Layout& layout) {
  const absl::StatusOr<std::vector<std::string>> names = device->List(layout.directory());
  if (!names.ok()) return names.status();
  if (std::any_of(names->begin(), names->end(), Layout::IsNameOfOurs)) {
    return absl::FailedPreconditionError(absl::StrCat(
        layout.control(),
        ": the file is missing: the database's making was cut short, or the file ",
        "was lost; in the first case remove the directory and make it again, else restore it"));
  }
  return absl::NotFoundError(absl::StrCat(
      layout.directory(), ": no database; `tornleaf db init` makes one in an empty directory"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const Environment& environment,
                                                         const std::string& directory,
                                                         const DatabaseOptions& options) {
  if (options.frames < kFramesMin) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.frames, " frames are too few; at least ", kFramesMin));
  }
  Device* const device = environment.device;
  Layout layout(directory);
  absl::StatusOr<std::unique_ptr<DeviceLock>> lock = LockDirectory(device, layout.directory());
  if (!lock.ok()) return lock.status();
  absl::StatusOr<std::unique_ptr<ControlFile>> control =
      ControlFile::Open(device, layout.control());
  if (absl::IsNotFound(control.status())) return NoControlFile(device, layout);
  if (!control.ok()) return control.status();
  absl::StatusOr<SchemaFile> schema = ReadSchemaFile(device, layout.schema());
  if (absl::IsNotFound(schema.status())) {
    return absl::DataLossError(absl::StrCat(layout.schema(), ": the file is missing; restore it"));
  }
  if (!schema.ok()) return schema.status();

  auto state = std::make_unique<State>(environment, layout, *std::move(schema), options);
  state->lock = *std::move(lock);
  state->control = *std::move(control);
  const absl::Status status = state->Start();
  if (!status.ok()) return status;
  return std::unique_ptr<Database>(new Database(std::move(state)));
}

absl::Status Database::State::Start() {
  // By value: a checkpoint at the end of recovery changes the file's.
  const wal::ControlData data = control->data();
  absl::Status status = control->Sync();
  if (!status.ok()) return status;
  status = OpenRelations(data, /*create=*/false);
  if (!status.ok()) return status;
  const absl::StatusOr<Recovered> recovered =
      Recover(environment.device, layout, data, {pool.get(), index, dead_rows_pages});
  if (!recovered.ok()) return recovered.status();
  recovery = recovered->summary;
  status = StartLog(data, *recovered, data.redo);
  if (!status.ok()) return status;
  status = tree->Open();
  if (status.ok()) status = RemoveUnfinishedLoad(tree.get());
  if (!status.ok()) return status;
  LoadFreePages();
  status = dead_rows->Load();
  if (!status.ok() || !recovered->replayed) return status;
  MARK("database.recovered");
  return checkpointer->Run(Checkpointer::Kind::kOnline);
}

void Database::State::LoadFreePages() {
  stored_free_pages =
      ReadFreePages(environment.device, layout.free_pages(), BufferPool::block_count(index));
  for (const BlockNumber block : stored_free_pages) {
    if (block != nbtree::kMetaBlock) free_pages.Add(block);
  }
}

void Database::State::StoreFreePages() {
  std::vector<BlockNumber> blocks;
  while (const std::optional<BlockNumber> block = free_pages.Take()) blocks.push_back(*block);
  if (blocks == stored_free_pages) return;
  // What is lost with it is room, until the next VACUUM.
  (void)WriteFreePages(environment.device, layout.free_pages(), blocks);
}

}  // namespace tornleaf

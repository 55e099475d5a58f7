// Database::Create: the control file gets its name last, and what it names is durable by then.

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/db/state.h"

namespace tornleaf {

namespace {

constexpr std::uint32_t kLogPageMin = 512;
constexpr std::uint32_t kLogPageMax = 65536;
constexpr std::uint32_t kLogSegmentPagesMin = 4;
constexpr std::uint32_t kLogSegmentMax = 1U << 30;
// Enough to make a database; what it holds is written as it comes.
constexpr std::uint32_t kFrames = 64;

absl::Status CheckFormat(const Schema& schema, const DatabaseFormat& format) {
  const auto bad = [](const auto&... words) {
    return absl::InvalidArgumentError(absl::StrCat(words...));
  };
  if (!schema.order_known()) {
    return bad(
        "schema '", schema.ToString(),
        "': the order of a C library's collation is not known here; an ICU collation or C is");
  }
  if (!slotted_v4::IsPageSize(format.page_size)) {
    return bad("page size ", format.page_size, ": a power of two from 512 to 32768 is possible");
  }
  if (!std::has_single_bit(format.log_page_bytes) || format.log_page_bytes < kLogPageMin ||
      format.log_page_bytes > kLogPageMax) {
    return bad("log page size ", format.log_page_bytes, ": a power of two from ", kLogPageMin,
               " to ", kLogPageMax, " is possible");
  }
  if (!std::has_single_bit(format.log_segment_bytes) ||
      format.log_segment_bytes < kLogSegmentPagesMin * format.log_page_bytes ||
      format.log_segment_bytes > kLogSegmentMax) {
    return bad("log segment size ", format.log_segment_bytes, ": a power of two from ",
               kLogSegmentPagesMin, " log pages to ", kLogSegmentMax, " is possible");
  }
  if (format.relation_segment_bytes == 0 ||
      format.relation_segment_bytes % slotted_v4::kPageSizeMax != 0) {
    return bad("segments of ", format.relation_segment_bytes, " bytes: a multiple of ",
               slotted_v4::kPageSizeMax, " is needed");
  }
  if (format.tree.fillfactor < nbtree::kFillFactorMin ||
      format.tree.fillfactor > nbtree::kFillFactorMax) {
    return bad("fillfactor ", format.tree.fillfactor, ": ", nbtree::kFillFactorMin, " to ",
               nbtree::kFillFactorMax, " is possible");
  }
  return absl::OkStatus();
}

absl::Status MakeEmptyDirectory(Device* device, const std::string& directory) {
  const absl::Status made = device->MakeDirectory(directory);
  if (made.ok() || !absl::IsAlreadyExists(made)) return made;
  const absl::StatusOr<std::vector<std::string>> names = device->List(directory);
  if (absl::IsFailedPrecondition(names.status())) {
    return absl::AlreadyExistsError(absl::StrCat(directory, ": exists and is no directory"));
  }
  if (!names.ok()) return names.status();
  if (names->empty()) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat(directory, ": not empty (", names->front(),
                   "); name a directory that is empty or does not exist yet"));
}

// A number that another database hardly has: what tells its log from others.
std::uint64_t NewSystemIdentifier(Clock* clock) {
  const auto seconds = static_cast<std::uint64_t>(clock->UnixSeconds());
  const auto microseconds = static_cast<std::uint64_t>(clock->NowMicroseconds());
  return seconds << 32 | (microseconds & 0xFFFFFFFF);
}

wal::ControlData FirstControl(const Environment& environment, const DatabaseFormat& format,
                              std::uint32_t page_size) {
  wal::ControlData data;
  data.system_identifier = NewSystemIdentifier(environment.clock);
  data.page_size = page_size;
  data.log_page_bytes = format.log_page_bytes;
  data.log_segment_bytes = format.log_segment_bytes;
  data.relation_segment_bytes = format.relation_segment_bytes;
  data.checksums = format.checksums;
  data.full_page_images = format.full_page_images;
  return data;
}

absl::StatusOr<std::unique_ptr<RelationFile>> OpenSource(Device* device, const Schema& schema,
                                                         const std::string& from,
                                                         std::uint64_t segment_bytes) {
  absl::StatusOr<std::unique_ptr<RelationFile>> source =
      RelationFile::Open(device, FirstSegmentPath(device, from, segment_bytes), segment_bytes);
  if (!source.ok()) return source;
  const absl::Status status = CheckSource(schema, source->get());
  if (!status.ok()) return status;
  return source;
}

}  // namespace

absl::Status Database::Create(const Environment& environment, const std::string& directory,
                              const Schema& schema, const DatabaseFormat& format,
                              const std::string& from) {
  absl::Status status = CheckFormat(schema, format);
  if (!status.ok()) return status;
  Device* const device = environment.device;
  std::unique_ptr<RelationFile> source;
  SourceSurvey survey;
  if (!from.empty()) {
    absl::StatusOr<std::unique_ptr<RelationFile>> opened =
        OpenSource(device, schema, from, format.relation_segment_bytes);
    if (!opened.ok()) return opened.status();
    source = *std::move(opened);
    absl::StatusOr<SourceSurvey> surveyed = SurveySource(source.get());
    if (!surveyed.ok()) return surveyed.status();
    survey = *std::move(surveyed);
  }

  const Layout layout(directory);
  status = MakeEmptyDirectory(device, layout.directory());
  if (!status.ok()) return status;
  State state(environment, layout, SchemaFile{schema, format.tree}, {.frames = kFrames});
  absl::StatusOr<std::unique_ptr<DeviceLock>> lock = device->Lock(layout.directory());
  if (!lock.ok()) return lock.status();
  state.lock = *std::move(lock);
  status = WriteSchemaFile(device, layout.schema(), schema, format.tree);
  if (status.ok()) status = device->MakeDirectory(layout.wal());
  if (!status.ok()) return status;
  const std::uint32_t page_size = source == nullptr ? format.page_size : source->page_size();
  return state.Make(FirstControl(environment, format, page_size), source.get(), survey);
}

absl::Status Database::State::Make(const wal::ControlData& first, RelationFile* source,
                                   const SourceSurvey& survey) {
  Device* const device = environment.device;
  if (source != nullptr) {
    const absl::Status copied =
        CopyIndex(device, source, layout.index(), first.relation_segment_bytes, first.checksums);
    if (!copied.ok()) return copied;
  }
  absl::StatusOr<std::unique_ptr<ControlFile>> made =
      ControlFile::Create(device, layout.control_unfinished(), first);
  if (!made.ok()) return made.status();
  control = *std::move(made);
  absl::Status status = OpenRelations(first, /*create=*/true);
  if (!status.ok()) return status;

  Recovered begin;
  // Position 0 means none, so the first segment of all stays unused.
  begin.end = std::max<Lsn>(survey.highest_lsn, first.log_segment_bytes);
  begin.next_xid = survey.next_xid;
  status = StartLog(first, begin, begin.end);
  if (!status.ok()) return status;
  status = source == nullptr ? tree->Create() : tree->Open();
  if (!status.ok()) return status;
  status = dead_rows->Load();
  if (!status.ok()) return status;
  for (const ItemPointer tid : survey.dead) {
    status = dead_rows->Add(tid).status();
    if (!status.ok()) return status;
  }
  return Finish();
}

absl::Status Database::State::Finish() {
  Device* const device = environment.device;
  // Twice, so that both copies of the control file are of use.
  absl::Status status = checkpointer->Run(Checkpointer::Kind::kShutdown);
  if (status.ok()) status = control->Write(control->data());
  if (status.ok()) status = device->SyncDirectory(layout.wal());
  if (status.ok()) status = device->SyncDirectory(layout.directory());
  if (status.ok()) status = device->Rename(layout.control_unfinished(), layout.control());
  if (status.ok()) status = device->SyncDirectory(layout.directory());
  if (status.ok()) status = device->SyncDirectory(FolderOf(layout.directory()));
  return status;
}

}  // namespace tornleaf

#include "engine/db/recovery.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/wal/log_reader.h"
#include "engine/wal/segment.h"

namespace tornleaf {

namespace {

using wal::LsnText;

constexpr std::uint32_t kTimeline = 1;  // Ours never branch.

// What one pass over the log finds.
struct LogExtent {
  Lsn end = 0;
  Lsn last_record = 0;
  bool more_than_checkpoint = false;
};

absl::Status CheckLog(const wal::LogReader& reader, const Layout& layout,
                      const wal::ControlData& control) {
  std::string what;
  if (reader.system_identifier() != control.system_identifier) {
    what = "it is the log of another database";
  } else if (reader.segment_bytes() != control.log_segment_bytes) {
    what = absl::StrCat("its segments have ", reader.segment_bytes(),
                        " bytes, and by the control file ", control.log_segment_bytes);
  } else if (reader.page_bytes() != control.log_page_bytes) {
    what = absl::StrCat("its pages have ", reader.page_bytes(), " bytes, and by the control file ",
                        control.log_page_bytes);
  }
  if (what.empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(layout.wal(), ": ", what, "; restore the right one"));
}

absl::StatusOr<std::unique_ptr<wal::LogReader>> OpenLog(Device* device, const Layout& layout,
                                                        const wal::ControlData& control) {
  absl::StatusOr<std::unique_ptr<wal::LogReader>> reader =
      wal::LogReader::Open(device, layout.wal(), control.redo);
  if (absl::IsNotFound(reader.status()) || absl::IsInvalidArgument(reader.status())) {
    // What is wrong with one file of a database is damage of the database.
    return absl::DataLossError(absl::StrCat(reader.status().message(),
                                            "; recovery needs the log from ", LsnText(control.redo),
                                            " on, restore it"));
  }
  if (!reader.ok()) return reader.status();
  const absl::Status status = CheckLog(**reader, layout, control);
  if (!status.ok()) return status;
  return reader;
}

// Damage in the middle of the log looks like its end. Recovery would remove what stands behind it.
absl::Status CheckNothingBehind(const wal::LogReader& reader, const Layout& layout) {
  const absl::StatusOr<Lsn> behind = reader.FindLogBehindEnd();
  if (!behind.ok()) return behind.status();
  if (*behind == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      layout.wal(), ": the log breaks off at ", LsnText(reader.end()), " (", reader.end_reason(),
      ") and goes on at ", LsnText(*behind), "; restore what is missing between"));
}

// Goes through the log and applies nothing: what is wrong with it is known before a page changes.
absl::StatusOr<LogExtent> Measure(Device* device, const Layout& layout,
                                  const wal::ControlData& control) {
  const absl::StatusOr<std::unique_ptr<wal::LogReader>> reader = OpenLog(device, layout, control);
  if (!reader.ok()) return reader.status();
  LogExtent extent;
  bool checkpoint_seen = false;
  while (true) {
    const absl::StatusOr<bool> more = (*reader)->Next();
    if (!more.ok()) return more.status();
    if (!*more) break;
    if ((*reader)->start() == control.checkpoint) {
      checkpoint_seen = true;
    } else {
      extent.more_than_checkpoint = true;
    }
    extent.last_record = (*reader)->start();
    extent.end = (*reader)->end();
  }
  if (checkpoint_seen) {
    const absl::Status status = CheckNothingBehind(**reader, layout);
    if (!status.ok()) return status;
    return extent;
  }
  return absl::DataLossError(absl::StrCat(
      layout.wal(), ": the log ends at ", LsnText(std::max(extent.end, control.redo)), " (",
      (*reader)->end_reason(), "), before the checkpoint at ", LsnText(control.checkpoint),
      " that the control file names; restore the rest of it"));
}

// Writes bytes [begin, end) of a file over themselves.
absl::Status Rewrite(File* file, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kPieceBytes = 1U << 20;
  std::vector<std::uint8_t> buffer;
  while (begin < end) {
    buffer.resize(std::min(kPieceBytes, end - begin));
    const absl::StatusOr<std::size_t> count = ReadFully(file, begin, buffer);
    if (!count.ok()) return count.status();
    if (*count == 0) break;
    const absl::Status status = WriteFully(file, begin, ByteView(buffer).first(*count));
    if (!status.ok()) return status;
    begin += *count;
  }
  return file->Sync();
}

// Makes durable what was read. A process that was killed left it in the system's cache, and one
// whose sync failed left it there as clean: it is not enough to sync it.
absl::Status RewriteLog(Device* device, const Layout& layout, const wal::ControlData& control,
                        Lsn end) {
  const std::uint64_t segment = control.log_segment_bytes;
  const std::uint64_t page = control.log_page_bytes;
  Lsn begin = control.redo - control.redo % page;
  end = (end + page - 1) / page * page;
  while (begin < end) {
    const std::uint64_t number = begin / segment;
    const Lsn piece_end = std::min<Lsn>(end, (number + 1) * segment);
    const absl::StatusOr<std::unique_ptr<File>> file =
        device->Open(absl::StrCat(layout.wal(), "/",
                                  wal::SegmentName(kTimeline, number, control.log_segment_bytes)),
                     OpenMode::kReadWrite);
    if (!file.ok()) return file.status();
    const absl::Status status =
        Rewrite(file->get(), begin - number * segment, piece_end - number * segment);
    if (!status.ok()) return status;
    begin = piece_end;
  }
  return device->SyncDirectory(layout.wal());
}

absl::Status Replay(Device* device, const Layout& layout, const wal::ControlData& control,
                    Redo* redo) {
  const absl::StatusOr<std::unique_ptr<wal::LogReader>> reader = OpenLog(device, layout, control);
  if (!reader.ok()) return reader.status();
  while (true) {
    const absl::StatusOr<bool> more = (*reader)->Next();
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
    const absl::Status status = redo->Apply((*reader)->record(), (*reader)->end());
    if (status.ok()) continue;
    return absl::Status(
        status.code(), absl::StrCat(layout.wal(), ": record at ", LsnText((*reader)->start()), ": ",
                                    status.message()));
  }
}

}  // namespace

absl::StatusOr<Recovered> Recover(Device* device, const Layout& layout,
                                  const wal::ControlData& control, const RecoveryPool& pages) {
  const absl::StatusOr<LogExtent> extent = Measure(device, layout, control);
  if (!extent.ok()) return extent.status();
  // Log goes to disk before pages do: a page from beyond the end shows that log was lost.
  pages.pool->SetLogEnd(extent->end);
  Recovered recovered;
  recovered.end = extent->end;
  recovered.last_record = extent->last_record;
  recovered.next_xid = control.next_xid;
  recovered.replayed = extent->more_than_checkpoint;
  if (!recovered.replayed) return recovered;

  absl::Status status = RewriteLog(device, layout, control, extent->end);
  if (!status.ok()) return status;
  Redo redo(pages.pool);
  redo.AddRelation(kIndexRelation, pages.index);
  redo.AddRelation(kDeadRowsRelation, pages.dead_rows);
  status = Replay(device, layout, control, &redo);
  if (!status.ok()) return status;
  recovered.summary = redo.summary();
  recovered.next_xid = std::max<FullXid>(recovered.next_xid, redo.summary().next_xid);
  return recovered;
}

}  // namespace tornleaf

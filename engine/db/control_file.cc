#include "engine/db/control_file.h"

#include <vector>

#include "absl/strings/str_cat.h"

namespace tornleaf {

namespace {

// The version that a copy of another program says it has; 0 if none does.
std::uint32_t UnknownVersion(ByteView file) {
  for (const std::uint32_t offset : wal::kControlCopyOffset) {
    const std::uint8_t* const copy = file.data() + offset;
    const std::uint32_t version = Load(copy, wal::control_v1::kVersion);
    if (Load(copy, wal::control_v1::kMagic) == wal::control_v1::kMagicNumber &&
        version != wal::control_v1::kVersionNumber) {
      return version;
    }
  }
  return 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ControlFile>> ControlFile::Create(Device* device,
                                                                 const std::string& path,
                                                                 const wal::ControlData& format) {
  absl::StatusOr<std::unique_ptr<File>> file = device->Create(path);
  if (!file.ok()) return file.status();
  std::unique_ptr<ControlFile> control(new ControlFile(*std::move(file), path));
  control->data_ = format;
  const std::vector<std::uint8_t> zeros(wal::kControlFileSize);
  const absl::Status status = WriteFully(control->file_.get(), 0, zeros);
  if (!status.ok()) return status;
  return control;
}

absl::StatusOr<std::unique_ptr<ControlFile>> ControlFile::Open(Device* device,
                                                               const std::string& path) {
  absl::StatusOr<std::unique_ptr<File>> file = device->Open(path, OpenMode::kReadWrite);
  if (!file.ok()) return file.status();
  std::vector<std::uint8_t> bytes(wal::kControlFileSize);
  const absl::StatusOr<std::size_t> count = ReadFully(file->get(), 0, bytes);
  if (!count.ok()) return count.status();

  std::unique_ptr<ControlFile> control(new ControlFile(*std::move(file), path));
  bool found = false;
  for (std::uint32_t copy = 0; copy < 2; ++copy) {
    wal::ControlData data;
    const ByteView view =
        ByteView(bytes).subspan(wal::kControlCopyOffset[copy], wal::kControlCopySize);
    if (!wal::DecodeControl(view, &data)) continue;
    if (!found || data.sequence > control->data_.sequence) {
      control->older_redo_ = found ? control->data_.redo : data.redo;
      control->data_ = data;
      control->newer_copy_ = copy;
    } else {
      control->older_redo_ = data.redo;
    }
    found = true;
  }
  if (found) return control;
  const std::uint32_t version = UnknownVersion(bytes);
  if (version != 0) {
    return absl::UnimplementedError(absl::StrCat(path, ": version ", version,
                                                 " of the directory's format; this program knows ",
                                                 wal::control_v1::kVersionNumber));
  }
  return absl::DataLossError(
      absl::StrCat(path, ": both copies are damaged; restore the directory from a backup"));
}

absl::Status ControlFile::Write(wal::ControlData data) {
  data.sequence = data_.sequence + 1;
  const std::uint32_t copy = 1 - newer_copy_;
  std::vector<std::uint8_t> bytes(wal::kControlCopySize);
  wal::EncodeControl(data, bytes);
  absl::Status status = WriteFully(file_.get(), wal::kControlCopyOffset[copy], bytes);
  if (status.ok()) status = file_->Sync();
  if (!status.ok()) return status;
  older_redo_ = data_.sequence == 0 ? data.redo : data_.redo;
  data_ = data;
  newer_copy_ = copy;
  return absl::OkStatus();
}

absl::Status ControlFile::Sync() { return file_->Sync(); }

}  // namespace tornleaf

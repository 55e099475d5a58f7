// The control file on a device: two copies, written in turn (wal/record/control_v1.h).

#ifndef TORNLEAF_ENGINE_DB_CONTROL_FILE_H_
#define TORNLEAF_ENGINE_DB_CONTROL_FILE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/env/file.h"
#include "engine/wal/record/control_v1.h"

namespace tornleaf {

class ControlFile {
 public:
  // Makes the file for a database of this format; both copies are invalid until Write(). Its name
  // is not durable yet.
  static absl::StatusOr<std::unique_ptr<ControlFile>> Create(Device* device,
                                                             const std::string& path,
                                                             const wal::ControlData& format);
  // DataLoss if both copies are damaged; NotFound and other errors as the device gives them.
  static absl::StatusOr<std::unique_ptr<ControlFile>> Open(Device* device, const std::string& path);

  // What the newer copy says.
  const wal::ControlData& data() const { return data_; }
  // Where replay would start if the newer copy were lost: the log from there on is kept.
  Lsn older_redo() const { return older_redo_; }

  // Writes `data` with the next sequence number over the older copy, and syncs. After an error
  // nobody knows what that copy says; the newer one is as it was.
  absl::Status Write(wal::ControlData data);
  // Makes durable what a process may have left unsynced when it died.
  absl::Status Sync();

 private:
  ControlFile(std::unique_ptr<File> file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  std::unique_ptr<File> file_;
  std::string path_;
  wal::ControlData data_;
  std::uint32_t newer_copy_ = 0;
  Lsn older_redo_ = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_CONTROL_FILE_H_

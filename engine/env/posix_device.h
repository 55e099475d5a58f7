// Files of the operating system.

#ifndef TORNLEAF_ENGINE_ENV_POSIX_DEVICE_H_
#define TORNLEAF_ENGINE_ENV_POSIX_DEVICE_H_

#include "engine/env/file.h"

namespace tornleaf {

class PosixDevice final : public Device {
 public:
  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override;
  absl::StatusOr<std::unique_ptr<File>> Create(const std::string& path) override;
  absl::Status Rename(const std::string& from, const std::string& to) override;
  absl::Status Remove(const std::string& path) override;
  absl::Status MakeDirectory(const std::string& path) override;
  absl::StatusOr<std::vector<std::string>> List(const std::string& path) override;
  absl::Status SyncDirectory(const std::string& path) override;
  // An advisory lock, flock(2), on the folder itself: nothing is left behind by a process that
  // dies.
  absl::StatusOr<std::unique_ptr<DeviceLock>> Lock(const std::string& path) override;

  // From now on SIGINT, SIGTERM and SIGHUP, unless they are ignored, first remove every file that
  // this device's Create made and that has been neither renamed nor removed, and then end the
  // process as ever. Not for a database, whose files are of use whenever the process ends.
  void RemoveUnfinishedOnSignals();

 private:
  bool remove_unfinished_ = false;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_POSIX_DEVICE_H_

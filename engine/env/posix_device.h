// Files of the operating system.

#ifndef TORNLEAF_ENGINE_ENV_POSIX_DEVICE_H_
#define TORNLEAF_ENGINE_ENV_POSIX_DEVICE_H_

#include "engine/env/file.h"

namespace tornleaf {

class PosixDevice final : public Device {
 public:
  absl::StatusOr<std::unique_ptr<File>> OpenRead(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<File>> Create(const std::string& path) override;
  absl::Status Rename(const std::string& from, const std::string& to) override;
  absl::Status Remove(const std::string& path) override;
  absl::Status SyncDirectory(const std::string& path) override;

  // From now on SIGINT, SIGTERM and SIGHUP, unless they are ignored, first remove every file that
  // Create made and that has been neither renamed nor removed, and then end the process as ever.
  static void RemoveUnfinishedOnSignals();
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_POSIX_DEVICE_H_

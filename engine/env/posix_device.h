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
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_POSIX_DEVICE_H_

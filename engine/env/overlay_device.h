// A device on top of another one that is only read: what is written stays in memory. A database
// can be opened on it, recovered and looked at, and nothing on the disk changes.
//
// Memory grows with what is written. For one task at a time.

#ifndef TORNLEAF_ENGINE_ENV_OVERLAY_DEVICE_H_
#define TORNLEAF_ENGINE_ENV_OVERLAY_DEVICE_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/env/file.h"

namespace tornleaf {

class OverlayDevice final : public Device {
 public:
  // `base` outlives the overlay and its files. It is only read, and locked where this one is.
  explicit OverlayDevice(Device* base) : base_(base) {}

  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override;
  absl::StatusOr<std::unique_ptr<File>> Create(const std::string& path) override;
  absl::Status Rename(const std::string& from, const std::string& to) override;
  absl::Status Remove(const std::string& path) override;
  absl::Status MakeDirectory(const std::string& path) override;
  absl::StatusOr<std::vector<std::string>> List(const std::string& path) override;
  absl::Status SyncDirectory(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<DeviceLock>> Lock(const std::string& path) override;

  struct Node;  // One file's contents.

 private:
  absl::StatusOr<std::shared_ptr<Node>> Find(const std::string& path);

  Device* base_;
  // Files that were opened, made, renamed or, where there is none, removed.
  std::map<std::string, std::shared_ptr<Node>> nodes_;
  std::set<std::string> folders_;  // made here
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_OVERLAY_DEVICE_H_

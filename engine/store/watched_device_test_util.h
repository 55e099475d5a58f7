// A device that lets a test look at each transfer before it happens.

#ifndef TORNLEAF_ENGINE_STORE_WATCHED_DEVICE_TEST_UTIL_H_
#define TORNLEAF_ENGINE_STORE_WATCHED_DEVICE_TEST_UTIL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/env/file.h"

namespace tornleaf {

class WatchedDevice final : public Device {
 public:
  explicit WatchedDevice(Device* base) : base_(base) {}

  // May be called by several tasks at once. Set before the first transfer.
  std::function<void(std::uint64_t offset)> on_read;
  std::function<void(std::uint64_t offset, ByteView bytes)> on_write;

  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override {
    return Watched(base_->Open(path, mode));
  }
  absl::StatusOr<std::unique_ptr<File>> Create(const std::string& path) override {
    return Watched(base_->Create(path));
  }
  absl::Status Rename(const std::string& from, const std::string& to) override {
    return base_->Rename(from, to);
  }
  absl::Status Remove(const std::string& path) override { return base_->Remove(path); }
  absl::Status MakeDirectory(const std::string& path) override {
    return base_->MakeDirectory(path);
  }
  absl::StatusOr<std::vector<std::string>> List(const std::string& path) override {
    return base_->List(path);
  }
  absl::Status SyncDirectory(const std::string& path) override {
    return base_->SyncDirectory(path);
  }
  absl::StatusOr<std::unique_ptr<DeviceLock>> Lock(const std::string& path) override {
    return base_->Lock(path);
  }

 private:
  class WatchedFile final : public File {
   public:
    WatchedFile(WatchedDevice* device, std::unique_ptr<File> base)
        : device_(device), base_(std::move(base)) {}

    absl::StatusOr<std::size_t> ReadAt(std::uint64_t offset, MutableBytes buffer) override {
      if (device_->on_read) device_->on_read(offset);
      return base_->ReadAt(offset, buffer);
    }
    absl::StatusOr<std::size_t> WriteAt(std::uint64_t offset, ByteView bytes) override {
      if (device_->on_write) device_->on_write(offset, bytes);
      return base_->WriteAt(offset, bytes);
    }
    absl::Status Resize(std::uint64_t bytes) override { return base_->Resize(bytes); }
    absl::Status Sync() override { return base_->Sync(); }
    absl::StatusOr<std::uint64_t> Size() override { return base_->Size(); }

   private:
    WatchedDevice* device_;
    std::unique_ptr<File> base_;
  };

  absl::StatusOr<std::unique_ptr<File>> Watched(absl::StatusOr<std::unique_ptr<File>> file) {
    if (!file.ok()) return file.status();
    return std::make_unique<WatchedFile>(this, *std::move(file));
  }

  Device* base_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_WATCHED_DEVICE_TEST_UTIL_H_

#include "tests/support/memory_device.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/base/check.h"

namespace tornleaf {
namespace {

bool Changes(DeviceCall call) { return call >= DeviceCall::kCreate; }

absl::Status StatusOf(int error, const std::string& path) {
  return absl::ErrnoToStatus(error, path);
}

}  // namespace

class MemoryDevice::OpenFile final : public File {
 public:
  OpenFile(MemoryDevice* device, std::string path, MemoryFiles::Id id, OpenMode mode)
      : device_(device), path_(std::move(path)), id_(id), mode_(mode), life_(device->lives_) {}

  absl::StatusOr<std::size_t> ReadAt(std::uint64_t offset, MutableBytes buffer) override {
    const std::lock_guard lock(device_->mutex_);
    const absl::Status status = Usable(OpenMode::kRead);
    if (!status.ok()) return status;
    return device_->Read(id_, path_, offset, buffer);
  }

  absl::StatusOr<std::size_t> WriteAt(std::uint64_t offset, ByteView bytes) override {
    const std::lock_guard lock(device_->mutex_);
    const absl::Status status = Usable(OpenMode::kReadWrite);
    if (!status.ok()) return status;
    return device_->Write(id_, path_, offset, bytes);
  }

  absl::Status Resize(std::uint64_t bytes) override {
    const std::lock_guard lock(device_->mutex_);
    absl::Status status = Usable(OpenMode::kReadWrite);
    if (status.ok()) status = device_->CountOrFail(DeviceCall::kResize, path_);
    if (status.ok()) device_->files_.Resize(id_, bytes);
    return status;
  }

  absl::Status Sync() override {
    const std::lock_guard lock(device_->mutex_);
    const absl::Status status = Usable(OpenMode::kRead);
    if (!status.ok()) return status;
    return device_->Sync(id_, path_);
  }

  absl::StatusOr<std::uint64_t> Size() override {
    const std::lock_guard lock(device_->mutex_);
    const absl::Status status = Usable(OpenMode::kRead);
    if (!status.ok()) return status;
    return device_->files_.bytes(id_).size();
  }

 private:
  absl::Status Usable(OpenMode needed) const {
    if (life_ != device_->lives_) {
      return absl::UnavailableError(absl::StrCat(path_, ": opened before the crash"));
    }
    if (needed == OpenMode::kReadWrite && mode_ == OpenMode::kRead) return StatusOf(EBADF, path_);
    return absl::OkStatus();
  }

  MemoryDevice* device_;
  std::string path_;  // when it was opened
  MemoryFiles::Id id_;
  OpenMode mode_;
  std::uint64_t life_;
};

class MemoryDevice::HeldLock final : public DeviceLock {
 public:
  HeldLock(MemoryDevice* device, std::string path)
      : device_(device), path_(std::move(path)), life_(device->lives_) {}
  ~HeldLock() override {
    const std::lock_guard lock(device_->mutex_);
    if (life_ == device_->lives_) device_->locks_.erase(path_);
  }

 private:
  MemoryDevice* device_;
  std::string path_;
  std::uint64_t life_;
};

MemoryDevice::MemoryDevice(std::uint64_t seed)
    : transfers_(seed, "transfers"), crashes_(seed, "crashes") {}

MemoryDevice::~MemoryDevice() = default;

// Counts a call, and gives the fault that makes it fail, or null.
const DeviceFault* MemoryDevice::Count(DeviceCall call, const std::string& path,
                                       Transfer transfer) {
  ++calls_[static_cast<std::size_t>(call)];
  const DeviceFault* failure = nullptr;
  for (Pending& pending : faults_) {
    const DeviceFault& fault = pending.fault;
    if (fault.call.has_value() ? *fault.call != call : !Changes(call)) continue;
    if (path.find(fault.path_part) == std::string::npos) continue;
    if (fault.offset.has_value()) {
      const std::uint64_t at = *fault.offset;
      if (at < transfer.offset || at >= transfer.offset + transfer.size) continue;
    }
    ++pending.seen;
    const bool fires = fault.for_ever ? pending.seen >= fault.nth : pending.seen == fault.nth;
    if (fires && failure == nullptr) failure = &fault;
  }
  if (failure != nullptr) ++faults_fired_;
  return failure;
}

absl::Status MemoryDevice::CountOrFail(DeviceCall call, const std::string& path) {
  const DeviceFault* fault = Count(call, path, {});
  return fault == nullptr ? absl::OkStatus() : StatusOf(fault->error, path);
}

absl::Status MemoryDevice::MayBeMade(const std::string& path) const {
  if (!files_.IsFolder(FolderOf(path))) return StatusOf(ENOENT, path);
  if (files_.Find(path).has_value() || files_.IsFolder(path)) return StatusOf(EEXIST, path);
  return absl::OkStatus();
}

std::unique_ptr<File> MemoryDevice::NewFile(const std::string& path, MemoryFiles::Id id,
                                            OpenMode mode) {
  return std::make_unique<OpenFile>(this, path, id, mode);
}

absl::StatusOr<std::unique_ptr<File>> MemoryDevice::Open(const std::string& path, OpenMode mode) {
  const std::lock_guard lock(mutex_);
  const absl::Status status = CountOrFail(DeviceCall::kOpen, path);
  if (!status.ok()) return status;
  if (files_.IsFolder(path)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": Is a directory"));
  }
  const std::optional<MemoryFiles::Id> id = files_.Find(path);
  if (!id.has_value()) return StatusOf(ENOENT, path);
  return NewFile(path, *id, mode);
}

absl::StatusOr<std::unique_ptr<File>> MemoryDevice::Create(const std::string& path) {
  const std::lock_guard lock(mutex_);
  absl::Status status = CountOrFail(DeviceCall::kCreate, path);
  if (status.ok()) status = MayBeMade(path);
  if (!status.ok()) return status;
  return NewFile(path, files_.Create(path), OpenMode::kReadWrite);
}

absl::Status MemoryDevice::Rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const absl::Status status = CountOrFail(DeviceCall::kRename, from);
  if (!status.ok()) return status;
  const std::string both = absl::StrCat(from, " to ", to);
  if (!files_.Find(from).has_value() || !files_.IsFolder(FolderOf(to))) {
    return StatusOf(ENOENT, both);
  }
  if (files_.IsFolder(to)) return StatusOf(EISDIR, both);
  files_.Rename(from, to);
  return absl::OkStatus();
}

absl::Status MemoryDevice::Remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const absl::Status status = CountOrFail(DeviceCall::kRemove, path);
  if (!status.ok()) return status;
  if (!files_.Find(path).has_value()) return StatusOf(ENOENT, path);
  files_.Remove(path);
  return absl::OkStatus();
}

absl::Status MemoryDevice::MakeDirectory(const std::string& path) {
  const std::lock_guard lock(mutex_);
  absl::Status status = CountOrFail(DeviceCall::kMakeDirectory, path);
  if (status.ok()) status = MayBeMade(path);
  if (status.ok()) files_.MakeFolder(path);
  return status;
}

absl::StatusOr<std::vector<std::string>> MemoryDevice::List(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const absl::Status status = CountOrFail(DeviceCall::kList, path);
  if (!status.ok()) return status;
  if (files_.Find(path).has_value()) return StatusOf(ENOTDIR, path);
  if (!files_.IsFolder(path)) return StatusOf(ENOENT, path);
  return files_.List(path);
}

absl::Status MemoryDevice::SyncDirectory(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const absl::Status status = CountOrFail(DeviceCall::kSyncDirectory, path);
  if (!status.ok()) return status;
  if (!files_.IsFolder(path)) return StatusOf(ENOENT, path);
  files_.SyncFolder(path);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<DeviceLock>> MemoryDevice::Lock(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (!files_.IsFolder(path)) return StatusOf(ENOENT, path);
  if (!locks_.insert(path).second) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": locked by another process"));
  }
  return std::make_unique<HeldLock>(this, path);
}

std::size_t MemoryDevice::Shortened(std::size_t size) {
  if (!short_transfers_ || size < 2 || transfers_.Chance(1, 2)) return size;
  return transfers_.Between(1, size - 1);
}

absl::StatusOr<std::size_t> MemoryDevice::Read(MemoryFiles::Id id, const std::string& path,
                                               std::uint64_t offset, MutableBytes buffer) {
  const std::vector<std::uint8_t>& bytes = files_.bytes(id);
  std::size_t count = 0;
  if (offset < bytes.size()) {
    count = Shortened(std::min<std::uint64_t>(buffer.size(), bytes.size() - offset));
  }
  const DeviceFault* fault = Count(DeviceCall::kRead, path, {offset, count});
  if (fault != nullptr) return StatusOf(fault->error, path);
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(offset, bytes.size())), count,
              buffer.begin());
  return count;
}

absl::StatusOr<std::size_t> MemoryDevice::Write(MemoryFiles::Id id, const std::string& path,
                                                std::uint64_t offset, ByteView bytes) {
  bytes = bytes.first(Shortened(bytes.size()));
  const DeviceFault* fault = Count(DeviceCall::kWrite, path, {offset, bytes.size()});
  if (fault != nullptr) {
    if (fault->torn) files_.Write(id, offset, bytes.first(transfers_.Below(bytes.size() + 1)));
    return StatusOf(fault->error, path);
  }
  // As a file system does: what fits is written, and only then there is no room.
  while (capacity_.has_value() && files_.RoomTakenAfter(id, offset, bytes.size()) > *capacity_) {
    if (bytes.size() <= MemoryFiles::kSectorBytes) return StatusOf(ENOSPC, path);
    bytes = bytes.first(bytes.size() - MemoryFiles::kSectorBytes);
  }
  files_.Write(id, offset, bytes);
  return bytes.size();
}

absl::Status MemoryDevice::Sync(MemoryFiles::Id id, const std::string& path) {
  const DeviceFault* fault = Count(DeviceCall::kSync, path, {});
  if (fault != nullptr) {
    files_.FailSync(id, fault->failed_sync, &crashes_);
    return StatusOf(fault->error, path);
  }
  files_.Sync(id);
  return absl::OkStatus();
}

void MemoryDevice::Inject(DeviceFault fault) {
  const std::lock_guard lock(mutex_);
  CHECK(fault.nth > 0);
  faults_.push_back({std::move(fault), 0});
}

void MemoryDevice::ClearFaults() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
}

std::uint64_t MemoryDevice::faults_fired() const {
  const std::lock_guard lock(mutex_);
  return faults_fired_;
}

std::uint64_t MemoryDevice::calls(DeviceCall call) const {
  const std::lock_guard lock(mutex_);
  return calls_[static_cast<std::size_t>(call)];
}

std::uint64_t MemoryDevice::changes() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (std::size_t call = 0; call < calls_.size(); ++call) {
    if (Changes(static_cast<DeviceCall>(call))) sum += calls_[call];
  }
  return sum;
}

void MemoryDevice::set_short_transfers(bool on) {
  const std::lock_guard lock(mutex_);
  short_transfers_ = on;
}

void MemoryDevice::set_capacity(std::optional<std::uint64_t> bytes) {
  const std::lock_guard lock(mutex_);
  capacity_ = bytes;
}

void MemoryDevice::Crash(Survival survival) {
  const std::lock_guard lock(mutex_);
  files_.Crash(survival, &crashes_);
  locks_.clear();
  ++lives_;
}

MemoryFiles MemoryDevice::Snapshot() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

void MemoryDevice::Restore(MemoryFiles files) {
  const std::lock_guard lock(mutex_);
  files_ = std::move(files);
  locks_.clear();
  ++lives_;
}

std::optional<std::vector<std::uint8_t>> MemoryDevice::Get(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const std::optional<MemoryFiles::Id> id = files_.Find(path);
  if (!id.has_value()) return std::nullopt;
  return files_.bytes(*id);
}

void MemoryDevice::MakeFolders(const std::string& path) {
  std::vector<std::string> missing;
  for (std::string folder = path; !files_.IsFolder(folder); folder = FolderOf(folder)) {
    missing.push_back(folder);
  }
  for (; !missing.empty(); missing.pop_back()) {
    files_.MakeFolder(missing.back());
    files_.SyncFolder(FolderOf(missing.back()));
  }
}

void MemoryDevice::Put(const std::string& path, ByteView bytes) {
  const std::lock_guard lock(mutex_);
  MakeFolders(FolderOf(path));
  std::optional<MemoryFiles::Id> id = files_.Find(path);
  if (!id.has_value()) id = files_.Create(path);
  files_.Resize(*id, 0);
  files_.Write(*id, 0, bytes);
  files_.Sync(*id);
  files_.SyncFolder(FolderOf(path));
}

}  // namespace tornleaf

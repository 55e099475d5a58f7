// A device in memory for tests of the engine: it fails when it is told to, and forgets what was not
// synced when it crashes. The same calls give the same bytes and the same failures every time.

#ifndef TORNLEAF_TESTS_SUPPORT_MEMORY_DEVICE_H_
#define TORNLEAF_TESTS_SUPPORT_MEMORY_DEVICE_H_

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/env/file.h"
#include "tests/support/memory_files.h"

namespace tornleaf {

enum class DeviceCall : std::uint8_t {
  kOpen,
  kRead,
  kList,
  // From here on, calls that change something.
  kCreate,
  kWrite,
  kResize,
  kSync,
  kRename,
  kRemove,
  kMakeDirectory,
  kSyncDirectory,
};
inline constexpr std::size_t kDeviceCallCount = 11;

// Makes the nth call that it fits fail, counted from the moment it is injected.
struct DeviceFault {
  std::optional<DeviceCall> call = std::nullopt;  // none: every call that changes something
  std::uint64_t nth = 1;
  bool for_ever = false;       // and all that follow
  int error = EIO;             // an errno: EIO, ENOSPC ...
  std::string path_part = {};  // only files and folders whose path contains this
  // Only reads and writes that touch this byte of the file.
  std::optional<std::uint64_t> offset = std::nullopt;
  // A write that fails has written a part of its bytes all the same; what a failed sync leaves.
  bool torn = false;
  FailedSync failed_sync = FailedSync::kMarkedClean;
};

// May be used by several threads; then it is not repeatable, of course. Outlives its files.
class MemoryDevice final : public Device {
 public:
  explicit MemoryDevice(std::uint64_t seed = 0);
  ~MemoryDevice() override;

  absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) override;
  absl::StatusOr<std::unique_ptr<File>> Create(const std::string& path) override;
  absl::Status Rename(const std::string& from, const std::string& to) override;
  absl::Status Remove(const std::string& path) override;
  absl::Status MakeDirectory(const std::string& path) override;
  absl::StatusOr<std::vector<std::string>> List(const std::string& path) override;
  absl::Status SyncDirectory(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<DeviceLock>> Lock(const std::string& path) override;

  // Faults are independent; the first that fits decides how a call fails.
  void Inject(DeviceFault fault);
  void ClearFaults();
  // How many calls have failed by injected faults.
  std::uint64_t faults_fired() const;
  // Calls of one kind so far, and of all kinds that change something, failed ones included: a run
  // without faults tells how many there are to be failed, one after the other.
  std::uint64_t calls(DeviceCall call) const;
  std::uint64_t changes() const;

  // Every second read and write, on average, transfers only a part.
  void set_short_transfers(bool on);
  // Writes that would need more room than this fail with ENOSPC, or are short if a part fits.
  void set_capacity(std::optional<std::uint64_t> bytes);

  // The machine loses its power and starts again. What an engine still holds of before - files,
  // locks - fails with every call, and changes nothing.
  void Crash(Survival survival);
  // Everything in the files, synced or not. Restoring is a crash, too, for who has files open.
  MemoryFiles Snapshot() const;
  void Restore(MemoryFiles files);

  // Whole files, for tests to look at and to prepare; no faults, no counting. Put() makes the
  // folders that are missing, and all of it durable.
  std::optional<std::vector<std::uint8_t>> Get(const std::string& path) const;
  void Put(const std::string& path, ByteView bytes);

 private:
  class OpenFile;
  class HeldLock;

  struct Pending {
    DeviceFault fault;
    std::uint64_t seen = 0;  // calls that it fitted
  };
  struct Transfer {  // of a read or write; empty for other calls
    std::uint64_t offset;
    std::uint64_t size;
  };

  const DeviceFault* Count(DeviceCall call, const std::string& path, Transfer transfer);
  absl::Status CountOrFail(DeviceCall call, const std::string& path);
  absl::Status MayBeMade(const std::string& path) const;
  std::unique_ptr<File> NewFile(const std::string& path, MemoryFiles::Id id, OpenMode mode);
  absl::StatusOr<std::size_t> Read(MemoryFiles::Id id, const std::string& path,
                                   std::uint64_t offset, MutableBytes buffer);
  absl::StatusOr<std::size_t> Write(MemoryFiles::Id id, const std::string& path,
                                    std::uint64_t offset, ByteView bytes);
  absl::Status Sync(MemoryFiles::Id id, const std::string& path);
  std::size_t Shortened(std::size_t size);
  void MakeFolders(const std::string& path);

  mutable std::mutex mutex_;  // guards all below
  MemoryFiles files_;
  std::uint64_t lives_ = 1;  // how often the machine has started
  std::set<std::string> locks_;
  std::vector<Pending> faults_;
  std::array<std::uint64_t, kDeviceCallCount> calls_{};
  std::uint64_t faults_fired_ = 0;
  bool short_transfers_ = false;
  std::optional<std::uint64_t> capacity_;
  Prng transfers_;
  Prng crashes_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_SUPPORT_MEMORY_DEVICE_H_

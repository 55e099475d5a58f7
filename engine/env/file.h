// Files as the engine sees them. Production has POSIX files behind these interfaces, the simulator
// a disk that tears, loses and refuses; engine code is the same in both.
//
// A failing environment is an absl::Status whose message ends in the errno text; DataLoss is never
// among its codes, so that "damaged bytes" and "cannot read" stay apart.

#ifndef TORNLEAF_ENGINE_ENV_FILE_H_
#define TORNLEAF_ENGINE_ENV_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/bytes.h"

namespace tornleaf {

// An open file. Any number of tasks may use it at once; writes that overlap come in some order.
class File {
 public:
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  virtual ~File() = default;

  // Reads up to buffer.size() bytes at `offset` and gives their number. A short read is an ordinary
  // result anywhere; 0 means the end of the file, unless nothing was asked for.
  virtual absl::StatusOr<std::size_t> ReadAt(std::uint64_t offset, MutableBytes buffer) = 0;
  // Writes up to bytes.size() bytes at `offset`, beyond the end too (the gap reads as zeros), and
  // gives their number. A short write is an ordinary result, as a short read is. After an error any
  // part may have been written.
  virtual absl::StatusOr<std::size_t> WriteAt(std::uint64_t offset, ByteView bytes) = 0;
  // Cuts the file, or lengthens it by zeros for which the device need not have room yet.
  virtual absl::Status Resize(std::uint64_t bytes) = 0;
  // Makes earlier writes and sizes durable. After a failure nobody knows which of them are: a
  // second call that succeeds proves nothing.
  virtual absl::Status Sync() = 0;
  virtual absl::StatusOr<std::uint64_t> Size() = 0;
};

enum class OpenMode : std::uint8_t { kRead, kReadWrite };

// Held until it is destroyed.
class DeviceLock {
 public:
  DeviceLock() = default;
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;
  virtual ~DeviceLock() = default;
};

// A file system. Paths are those of the operating system; the last part of one is the name. A file
// that is renamed or removed stays what it is for those who have it open.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  // Opens an existing regular file. NotFound, PermissionDenied; FailedPrecondition for a directory
  // and whatever else is no regular file. Writing to one opened with kRead fails.
  virtual absl::StatusOr<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) = 0;
  // Makes a new file for reading and writing. AlreadyExists if the name is taken.
  virtual absl::StatusOr<std::unique_ptr<File>> Create(const std::string& path) = 0;
  // Replaces `to` if it exists. Durable only after SyncDirectory of both folders.
  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;
  // Removes a file. NotFound.
  virtual absl::Status Remove(const std::string& path) = 0;
  // Makes one folder, in one that exists. AlreadyExists if the name is taken.
  virtual absl::Status MakeDirectory(const std::string& path) = 0;
  // The names in a folder, sorted by bytes. NotFound; FailedPrecondition if it is no folder.
  virtual absl::StatusOr<std::vector<std::string>> List(const std::string& path) = 0;
  // Makes creations, renames and removals in the folder durable.
  virtual absl::Status SyncDirectory(const std::string& path) = 0;
  // Locks an existing folder against every other Lock() of it, in this process and in others. It
  // ends with the process, however that dies. FailedPrecondition if somebody has it.
  virtual absl::StatusOr<std::unique_ptr<DeviceLock>> Lock(const std::string& path) = 0;
};

// Reads until the buffer is full or the file ends, and gives the number of bytes.
absl::StatusOr<std::size_t> ReadFully(File* file, std::uint64_t offset, MutableBytes buffer);

// Writes until all bytes are written, or fails having written any part of them.
absl::Status WriteFully(File* file, std::uint64_t offset, ByteView bytes);

// Whether there is a file of that name, be it readable or not; an error for a folder and for
// anything else that is no file.
absl::StatusOr<bool> FileExists(Device* device, const std::string& path);

// The folder that holds a file of this path: what SyncDirectory wants after a change of its name.
std::string FolderOf(const std::string& path);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_FILE_H_

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

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/bytes.h"

namespace tornleaf {

class File {
 public:
  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  virtual ~File() = default;

  // Reads up to buffer.size() bytes at `offset` and gives their number. A short read is an ordinary
  // result anywhere; 0 means the end of the file, unless nothing was asked for.
  virtual absl::StatusOr<std::size_t> ReadAt(std::uint64_t offset, MutableBytes buffer) = 0;
  // Writes all bytes at `offset`, or fails having written any part of them.
  virtual absl::Status WriteAt(std::uint64_t offset, ByteView bytes) = 0;
  // Makes earlier writes durable.
  virtual absl::Status Sync() = 0;
  virtual absl::StatusOr<std::uint64_t> Size() = 0;
};

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  // Opens an existing regular file that will never be written through this handle. NotFound,
  // PermissionDenied; FailedPrecondition for a directory and whatever else is no regular file.
  virtual absl::StatusOr<std::unique_ptr<File>> OpenRead(const std::string& path) = 0;
  // Makes a new file for reading and writing. AlreadyExists if the name is taken.
  virtual absl::StatusOr<std::unique_ptr<File>> Create(const std::string& path) = 0;
  // Replaces `to` if it exists. Durable only after SyncDirectory of both folders.
  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;
  virtual absl::Status Remove(const std::string& path) = 0;
  // Makes creations, renames and removals in the folder durable.
  virtual absl::Status SyncDirectory(const std::string& path) = 0;
};

// Reads until the buffer is full or the file ends, and gives the number of bytes.
absl::StatusOr<std::size_t> ReadFully(File* file, std::uint64_t offset, MutableBytes buffer);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_FILE_H_

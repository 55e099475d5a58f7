// The files of a machine that can lose its power: for each file what reads see, what is on the
// disk, and the changes between the two. A value: copies are independent.

#ifndef TORNLEAF_TESTS_SUPPORT_MEMORY_FILES_H_
#define TORNLEAF_TESTS_SUPPORT_MEMORY_FILES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/prng.h"

namespace tornleaf {

// What a crash leaves of the changes that no sync has covered.
enum class Survival : std::uint8_t {
  kNothing,
  kEverything,
  kSome,  // each sector of each write, each resize and each change of a name by the toss of a coin
};

// What a failed sync leaves behind. Nobody is told which of them it was.
enum class FailedSync : std::uint8_t {
  kStillDirty,    // as if it had not been called
  kMarkedClean,   // changes are forgotten: reads see them, and no later sync will write them
  kSomeWritten,   // some sectors are on the disk, the rest is as under kMarkedClean
  kCacheDropped,  // changes are forgotten, and reads see what is on the disk
};

class MemoryFiles {
 public:
  using Bytes = std::vector<std::uint8_t>;
  using Id = std::uint32_t;  // of a file, whatever its name is

  static constexpr std::uint64_t kSectorBytes = 512;  // what is written whole or not at all
  static constexpr std::uint64_t kBlockBytes = 4096;  // what a file takes of the room on the disk

  // "." and "/" are always there.
  bool IsFolder(const std::string& path) const;
  std::optional<Id> Find(const std::string& path) const;
  // The names in a folder, sorted.
  std::vector<std::string> List(const std::string& folder) const;

  // The callers have seen to it that folders are there, and that names are free or taken.
  Id Create(const std::string& path);
  void MakeFolder(const std::string& path);
  void Rename(const std::string& from, const std::string& to);
  void Remove(const std::string& path);
  void SyncFolder(const std::string& folder);

  const Bytes& bytes(Id id) const { return files_[id].seen; }
  void Write(Id id, std::uint64_t offset, ByteView bytes);
  void Resize(Id id, std::uint64_t size);
  void Sync(Id id);
  void FailSync(Id id, FailedSync outcome, Prng* prng);

  // Room that all files with a name take, and what it would be after a write. Resize takes none.
  std::uint64_t RoomTaken() const;
  std::uint64_t RoomTakenAfter(Id id, std::uint64_t offset, std::uint64_t size) const;

  // Afterwards the disk is what everybody sees.
  void Crash(Survival survival, Prng* prng);

 private:
  static constexpr Id kFolder = 0xFFFFFFFF;
  using Names = std::map<std::string, Id>;

  // A write of `bytes` at `offset`, or, without bytes, a resize to `offset`.
  struct Change {
    std::uint64_t offset = 0;
    std::optional<Bytes> bytes;
  };
  struct File {
    Bytes seen;
    Bytes disk;
    std::vector<Change> changes;  // what `disk` lacks, in order
    std::vector<bool> blocks;     // which ones have room on the disk
  };
  // A name that gets a file, or loses it. The two halves of a rename have one group.
  struct NameChange {
    std::uint64_t group = 0;
    std::string path;
    std::optional<Id> id;
  };

  static void Apply(const Change& change, Bytes* bytes);
  static void ApplySome(const Change& change, Bytes* bytes, Prng* prng);
  static void Apply(const NameChange& change, Names* names);
  void ChangeName(const std::string& path, std::optional<Id> id);
  void CrashNames(Survival survival, Prng* prng);

  std::vector<File> files_;
  Names names_;
  Names disk_names_;
  std::vector<NameChange> name_changes_;  // what `disk_names_` lacks, in order
  std::uint64_t group_ = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_SUPPORT_MEMORY_FILES_H_

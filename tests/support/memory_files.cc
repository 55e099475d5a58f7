#include "tests/support/memory_files.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/env/file.h"

namespace tornleaf {
namespace {

std::string NameIn(const std::string& folder, const std::string& path) {
  if (FolderOf(path) != folder) return "";
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

void WriteBytes(std::uint64_t offset, ByteView from, std::vector<std::uint8_t>* to) {
  if (to->size() < offset + from.size()) to->resize(offset + from.size());
  std::copy(from.begin(), from.end(), to->begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

bool MemoryFiles::IsFolder(const std::string& path) const {
  if (path == "." || path == "/") return true;
  const auto found = names_.find(path);
  return found != names_.end() && found->second == kFolder;
}

std::optional<MemoryFiles::Id> MemoryFiles::Find(const std::string& path) const {
  const auto found = names_.find(path);
  if (found == names_.end() || found->second == kFolder) return std::nullopt;
  return found->second;
}

std::vector<std::string> MemoryFiles::List(const std::string& folder) const {
  std::vector<std::string> names;
  for (const auto& [path, id] : names_) {
    std::string name = NameIn(folder, path);
    if (!name.empty()) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

void MemoryFiles::Apply(const NameChange& change, Names* names) {
  if (change.id.has_value()) {
    (*names)[change.path] = *change.id;
  } else {
    names->erase(change.path);
  }
}

void MemoryFiles::ChangeName(const std::string& path, std::optional<Id> id) {
  name_changes_.push_back({group_, path, id});
  Apply(name_changes_.back(), &names_);
}

MemoryFiles::Id MemoryFiles::Create(const std::string& path) {
  const auto id = static_cast<Id>(files_.size());
  files_.emplace_back();
  ++group_;
  ChangeName(path, id);
  return id;
}

void MemoryFiles::MakeFolder(const std::string& path) {
  ++group_;
  ChangeName(path, kFolder);
}

void MemoryFiles::Rename(const std::string& from, const std::string& to) {
  const std::optional<Id> id = Find(from);
  CHECK(id.has_value());
  if (from == to) return;
  ++group_;
  ChangeName(from, std::nullopt);
  ChangeName(to, id);
}

void MemoryFiles::Remove(const std::string& path) {
  CHECK(Find(path).has_value());
  ++group_;
  ChangeName(path, std::nullopt);
}

void MemoryFiles::SyncFolder(const std::string& folder) {
  std::vector<NameChange> left;
  for (NameChange& change : name_changes_) {
    if (FolderOf(change.path) == folder) {
      Apply(change, &disk_names_);
    } else {
      left.push_back(std::move(change));
    }
  }
  name_changes_ = std::move(left);
}

void MemoryFiles::Apply(const Change& change, Bytes* bytes) {
  if (change.bytes.has_value()) {
    WriteBytes(change.offset, *change.bytes, bytes);
  } else {
    bytes->resize(change.offset);
  }
}

void MemoryFiles::ApplySome(const Change& change, Bytes* bytes, Prng* prng) {
  if (!change.bytes.has_value()) {
    if (prng->Chance(1, 2)) bytes->resize(change.offset);
    return;
  }
  const ByteView all = *change.bytes;
  for (std::uint64_t done = 0; done < all.size();) {
    const std::uint64_t at = change.offset + done;
    const std::uint64_t count =
        std::min<std::uint64_t>(kSectorBytes - at % kSectorBytes, all.size() - done);
    if (prng->Chance(1, 2)) WriteBytes(at, all.subspan(done, count), bytes);
    done += count;
  }
}

void MemoryFiles::Write(Id id, std::uint64_t offset, ByteView bytes) {
  if (bytes.empty()) return;
  File& file = files_[id];
  file.changes.push_back({offset, Bytes(bytes.begin(), bytes.end())});
  Apply(file.changes.back(), &file.seen);
  const std::uint64_t end = (offset + bytes.size() + kBlockBytes - 1) / kBlockBytes;
  if (file.blocks.size() < end) file.blocks.resize(end);
  for (std::uint64_t block = offset / kBlockBytes; block < end; ++block) file.blocks[block] = true;
}

void MemoryFiles::Resize(Id id, std::uint64_t size) {
  File& file = files_[id];
  file.changes.push_back({size, std::nullopt});
  Apply(file.changes.back(), &file.seen);
  file.blocks.resize((size + kBlockBytes - 1) / kBlockBytes);
}

// Not simply what is seen: that may hold changes that a failed sync has made everybody forget.
void MemoryFiles::Sync(Id id) {
  File& file = files_[id];
  for (const Change& change : file.changes) Apply(change, &file.disk);
  file.changes.clear();
}

void MemoryFiles::FailSync(Id id, FailedSync outcome, Prng* prng) {
  if (outcome == FailedSync::kStillDirty) return;
  File& file = files_[id];
  if (outcome == FailedSync::kSomeWritten) {
    for (const Change& change : file.changes) ApplySome(change, &file.disk, prng);
  }
  file.changes.clear();
  if (outcome == FailedSync::kCacheDropped) file.seen = file.disk;
}

std::uint64_t MemoryFiles::RoomTaken() const {
  std::uint64_t blocks = 0;
  for (const auto& [path, id] : names_) {
    if (id == kFolder) continue;
    const std::vector<bool>& taken = files_[id].blocks;
    blocks += static_cast<std::uint64_t>(std::count(taken.begin(), taken.end(), true));
  }
  return blocks * kBlockBytes;
}

std::uint64_t MemoryFiles::RoomTakenAfter(Id id, std::uint64_t offset, std::uint64_t size) const {
  const std::vector<bool>& taken = files_[id].blocks;
  const std::uint64_t end = (offset + size + kBlockBytes - 1) / kBlockBytes;
  std::uint64_t added = 0;
  for (std::uint64_t block = offset / kBlockBytes; block < end; ++block) {
    if (block >= taken.size() || !taken[block]) ++added;
  }
  return RoomTaken() + added * kBlockBytes;
}

void MemoryFiles::CrashNames(Survival survival, Prng* prng) {
  std::uint64_t group = 0;
  bool survives = survival == Survival::kEverything;
  for (const NameChange& change : name_changes_) {
    if (survival == Survival::kSome && change.group != group) survives = prng->Chance(1, 2);
    group = change.group;
    if (survives) Apply(change, &disk_names_);
  }
  name_changes_.clear();
  names_.clear();
  // In order of paths a folder comes before what is in it; what has lost its folder is lost, too.
  for (const auto& [path, id] : disk_names_) {
    if (IsFolder(FolderOf(path))) names_[path] = id;
  }
  disk_names_ = names_;
}

void MemoryFiles::Crash(Survival survival, Prng* prng) {
  CrashNames(survival, prng);
  for (File& file : files_) {
    for (const Change& change : file.changes) {
      if (survival == Survival::kEverything) Apply(change, &file.disk);
      if (survival == Survival::kSome) ApplySome(change, &file.disk, prng);
    }
    file.changes.clear();
    file.seen = file.disk;
    file.blocks.resize((file.seen.size() + kBlockBytes - 1) / kBlockBytes);
  }
}

}  // namespace tornleaf

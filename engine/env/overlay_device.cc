#include "engine/env/overlay_device.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tornleaf {

struct OverlayDevice::Node {
  static constexpr std::uint64_t kChunkBytes = 8192;
  using Chunk = std::vector<std::uint8_t>;

  std::unique_ptr<File> base;    // null: made here
  std::uint64_t base_bytes = 0;  // of the base that still count
  std::uint64_t size = 0;
  std::map<std::uint64_t, Chunk> chunks;  // by number; they hide the base

  // Reads what of [offset, offset + buffer.size()) lies in the base; the rest is zero.
  absl::Status ReadBase(std::uint64_t offset, MutableBytes buffer) const {
    const std::uint64_t there = offset < base_bytes ? base_bytes - offset : 0;
    const std::size_t count = std::min<std::uint64_t>(there, buffer.size());
    std::fill(buffer.begin() + static_cast<std::ptrdiff_t>(count), buffer.end(), 0);
    if (count == 0) return absl::OkStatus();
    return ReadFully(base.get(), offset, buffer.first(count)).status();
  }

  absl::StatusOr<Chunk*> Writable(std::uint64_t number) {
    const auto found = chunks.find(number);
    if (found != chunks.end()) return &found->second;
    Chunk chunk(kChunkBytes);
    const absl::Status status = ReadBase(number * kChunkBytes, chunk);
    if (!status.ok()) return status;
    return &chunks.emplace(number, std::move(chunk)).first->second;
  }

  absl::StatusOr<std::size_t> ReadAt(std::uint64_t offset, MutableBytes buffer) const {
    if (offset >= size) return std::size_t{0};
    std::size_t count = std::min<std::uint64_t>(buffer.size(), size - offset);
    const auto next = chunks.lower_bound(offset / kChunkBytes);
    if (next != chunks.end() && next->first == offset / kChunkBytes) {
      const std::size_t within = offset % kChunkBytes;
      count = std::min<std::size_t>(count, kChunkBytes - within);
      std::copy_n(next->second.begin() + static_cast<std::ptrdiff_t>(within), count,
                  buffer.begin());
      return count;
    }
    if (next != chunks.end()) {
      count = std::min<std::uint64_t>(count, next->first * kChunkBytes - offset);
    }
    const absl::Status status = ReadBase(offset, buffer.first(count));
    if (!status.ok()) return status;
    return count;
  }

  absl::StatusOr<std::size_t> WriteAt(std::uint64_t offset, ByteView bytes) {
    const std::size_t within = offset % kChunkBytes;
    const std::size_t count = std::min<std::size_t>(bytes.size(), kChunkBytes - within);
    const absl::StatusOr<Chunk*> chunk = Writable(offset / kChunkBytes);
    if (!chunk.ok()) return chunk.status();
    std::copy_n(bytes.begin(), count, (*chunk)->begin() + static_cast<std::ptrdiff_t>(within));
    size = std::max(size, offset + count);
    return count;
  }

  absl::Status Resize(std::uint64_t bytes) {
    base_bytes = std::min(base_bytes, bytes);
    chunks.erase(chunks.lower_bound((bytes + kChunkBytes - 1) / kChunkBytes), chunks.end());
    const auto last = chunks.find(bytes / kChunkBytes);
    if (last != chunks.end()) {
      std::fill(last->second.begin() + static_cast<std::ptrdiff_t>(bytes % kChunkBytes),
                last->second.end(), 0);
    }
    size = bytes;
    return absl::OkStatus();
  }
};

namespace {

class OverlayFile final : public File {
 public:
  OverlayFile(std::shared_ptr<OverlayDevice::Node> node, OpenMode mode, std::string path)
      : node_(std::move(node)), mode_(mode), path_(std::move(path)) {}

  absl::StatusOr<std::size_t> ReadAt(std::uint64_t offset, MutableBytes buffer) override {
    return node_->ReadAt(offset, buffer);
  }
  absl::StatusOr<std::size_t> WriteAt(std::uint64_t offset, ByteView bytes) override {
    if (mode_ == OpenMode::kRead) return ReadOnly();
    if (bytes.empty()) return std::size_t{0};
    return node_->WriteAt(offset, bytes);
  }
  absl::Status Resize(std::uint64_t bytes) override {
    return mode_ == OpenMode::kRead ? ReadOnly() : node_->Resize(bytes);
  }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::StatusOr<std::uint64_t> Size() override { return node_->size; }

 private:
  absl::Status ReadOnly() const {
    return absl::FailedPreconditionError(absl::StrCat(path_, ": opened to read only"));
  }

  std::shared_ptr<OverlayDevice::Node> node_;
  OpenMode mode_;
  std::string path_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<OverlayDevice::Node>> OverlayDevice::Find(const std::string& path) {
  const auto found = nodes_.find(path);
  if (found != nodes_.end()) {
    if (found->second != nullptr) return found->second;
    return absl::NotFoundError(absl::StrCat(path, ": No such file or directory"));
  }
  absl::StatusOr<std::unique_ptr<File>> base = base_->Open(path, OpenMode::kRead);
  if (!base.ok()) return base.status();
  const absl::StatusOr<std::uint64_t> size = (*base)->Size();
  if (!size.ok()) return size.status();
  auto node = std::make_shared<Node>();
  node->base = *std::move(base);
  node->base_bytes = *size;
  node->size = *size;
  nodes_[path] = node;
  return node;
}

absl::StatusOr<std::unique_ptr<File>> OverlayDevice::Open(const std::string& path, OpenMode mode) {
  absl::StatusOr<std::shared_ptr<Node>> node = Find(path);
  if (!node.ok()) return node.status();
  return std::make_unique<OverlayFile>(*std::move(node), mode, path);
}

absl::StatusOr<std::unique_ptr<File>> OverlayDevice::Create(const std::string& path) {
  const absl::Status found = Find(path).status();
  if (found.ok()) return absl::AlreadyExistsError(absl::StrCat(path, ": File exists"));
  if (!absl::IsNotFound(found)) return found;
  auto node = std::make_shared<Node>();
  nodes_[path] = node;
  return std::make_unique<OverlayFile>(std::move(node), OpenMode::kReadWrite, path);
}

absl::Status OverlayDevice::Rename(const std::string& from, const std::string& to) {
  const absl::StatusOr<std::shared_ptr<Node>> node = Find(from);
  if (!node.ok()) return node.status();
  nodes_[to] = *node;
  if (from != to) nodes_[from] = nullptr;
  return absl::OkStatus();
}

absl::Status OverlayDevice::Remove(const std::string& path) {
  const absl::Status found = Find(path).status();
  if (found.ok()) nodes_[path] = nullptr;
  return found;
}

absl::Status OverlayDevice::MakeDirectory(const std::string& path) {
  if (folders_.contains(path) || !absl::IsNotFound(base_->List(path).status())) {
    return absl::AlreadyExistsError(absl::StrCat(path, ": File exists"));
  }
  folders_.insert(path);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> OverlayDevice::List(const std::string& path) {
  std::set<std::string> names;
  if (!folders_.contains(path)) {
    const absl::StatusOr<std::vector<std::string>> base = base_->List(path);
    if (!base.ok()) return base.status();
    names.insert(base->begin(), base->end());
  }
  const std::string prefix = path + "/";
  for (const auto& [name, node] : nodes_) {
    if (name.rfind(prefix, 0) != 0 || name.find('/', prefix.size()) != std::string::npos) continue;
    if (node == nullptr) {
      names.erase(name.substr(prefix.size()));
    } else {
      names.insert(name.substr(prefix.size()));
    }
  }
  for (const std::string& folder : folders_) {
    if (FolderOf(folder) == path) names.insert(folder.substr(folder.rfind('/') + 1));
  }
  return std::vector<std::string>(names.begin(), names.end());
}

absl::Status OverlayDevice::SyncDirectory(const std::string&) { return absl::OkStatus(); }

absl::StatusOr<std::unique_ptr<DeviceLock>> OverlayDevice::Lock(const std::string& path) {
  return base_->Lock(path);
}

}  // namespace tornleaf

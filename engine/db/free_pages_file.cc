#include "engine/db/free_pages_file.h"

#include <cstdint>
#include <memory>

#include "engine/base/bytes.h"
#include "engine/base/crc32c.h"

namespace tornleaf {

namespace {

constexpr std::size_t kNumberSize = sizeof(BlockNumber);
constexpr std::size_t kCrcSize = sizeof(std::uint32_t);

}  // namespace

std::vector<BlockNumber> ReadFreePages(Device* device, const std::string& path,
                                       BlockNumber block_count) {
  const absl::StatusOr<std::unique_ptr<File>> file = device->Open(path, OpenMode::kRead);
  if (!file.ok()) return {};
  const absl::StatusOr<std::uint64_t> size = (*file)->Size();
  // Each block once at most: a file that is longer is none of ours.
  const std::uint64_t size_max = std::uint64_t{block_count} * kNumberSize + kCrcSize;
  if (!size.ok() || *size < kCrcSize || *size > size_max || *size % kNumberSize != 0) return {};
  std::vector<std::uint8_t> bytes(*size);
  const absl::StatusOr<std::size_t> read = ReadFully(file->get(), 0, bytes);
  if (!read.ok() || *read < bytes.size()) return {};
  const ByteView numbers = ByteView(bytes).first(bytes.size() - kCrcSize);
  if (Crc32c(numbers) != LoadLittleEndian<std::uint32_t>(bytes.data() + numbers.size())) return {};
  std::vector<BlockNumber> blocks;
  for (std::size_t at = 0; at < numbers.size(); at += kNumberSize) {
    const auto block = LoadLittleEndian<BlockNumber>(bytes.data() + at);
    if (block < block_count) blocks.push_back(block);
  }
  return blocks;
}

absl::Status WriteFreePages(Device* device, const std::string& path,
                            const std::vector<BlockNumber>& blocks) {
  std::vector<std::uint8_t> bytes(blocks.size() * kNumberSize + kCrcSize);
  std::size_t at = 0;
  for (const BlockNumber block : blocks) {
    StoreLittleEndian(bytes.data() + at, block);
    at += kNumberSize;
  }
  StoreLittleEndian(bytes.data() + at, Crc32c(ByteView(bytes).first(at)));
  absl::StatusOr<std::unique_ptr<File>> file = device->Open(path, OpenMode::kReadWrite);
  if (absl::IsNotFound(file.status())) file = device->Create(path);
  if (!file.ok()) return file.status();
  const absl::Status status = WriteFully(file->get(), 0, bytes);
  return status.ok() ? (*file)->Resize(bytes.size()) : status;
}

}  // namespace tornleaf

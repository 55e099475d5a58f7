#include <zstd.h>

#include <algorithm>

#include "engine/key/compressed.h"
#include "engine/wal/record/record.h"
#include "engine/wal/record/record_v15.h"

namespace tornleaf {
namespace wal {

namespace {

bool DecompressZstd(ByteView stored, std::uint32_t raw_size, std::vector<std::uint8_t>* raw) {
  raw->assign(raw_size, 0);
  return ZSTD_decompress(raw->data(), raw->size(), stored.data(), stored.size()) == raw_size;
}

bool DecompressImage(const DecodedBlock& block, std::uint32_t raw_size,
                     std::vector<std::uint8_t>* raw) {
  switch (block.image_info & v15::kCompressed) {
    case v15::kPglz:
      return Decompress(Compression::kPglz, block.image, raw_size, raw);
    case v15::kLz4:
      return Decompress(Compression::kLz4, block.image, raw_size, raw);
    case v15::kZstd:
      return DecompressZstd(block.image, raw_size, raw);
    default:
      return false;
  }
}

}  // namespace

std::uint32_t HoleLength(const DecodedBlock& block, std::uint32_t page_size) {
  if ((block.image_info & v15::kCompressed) != 0) return block.hole_length;
  return page_size - std::min(page_size, static_cast<std::uint32_t>(block.image.size()));
}

RecordError RestoreImage(const DecodedBlock& block, MutableBytes page) {
  const auto page_size = static_cast<std::uint32_t>(page.size());
  const std::uint32_t hole_begin = block.hole_offset;
  const std::uint32_t hole_length = HoleLength(block, page_size);
  const bool has_hole = (block.image_info & v15::kHasHole) != 0;
  if (!block.has_image || has_hole != (hole_length != 0)) return RecordError::kImage;
  if (hole_begin + hole_length > page_size) return RecordError::kImage;
  std::vector<std::uint8_t> raw;
  ByteView bytes = block.image;
  if ((block.image_info & v15::kCompressed) != 0) {
    if (!DecompressImage(block, page_size - hole_length, &raw)) return RecordError::kImage;
    bytes = raw;
  }
  if (bytes.size() != page_size - hole_length) return RecordError::kImage;
  std::copy_n(bytes.begin(), hole_begin, page.begin());
  std::fill_n(page.begin() + hole_begin, hole_length, std::uint8_t{0});
  std::copy(bytes.begin() + hole_begin, bytes.end(), page.begin() + hole_begin + hole_length);
  return RecordError::kNone;
}

}  // namespace wal
}  // namespace tornleaf

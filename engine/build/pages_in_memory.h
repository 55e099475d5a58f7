// For tests: keeps the pages of a build.

#ifndef TORNLEAF_ENGINE_BUILD_PAGES_IN_MEMORY_H_
#define TORNLEAF_ENGINE_BUILD_PAGES_IN_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/build/bulk_build.h"

namespace tornleaf {

// The image of an index, written in any order. CHECKs that each block comes once.
class PagesInMemory final : public PageSink {
 public:
  explicit PagesInMemory(std::uint32_t page_size) : page_size_(page_size) {}

  absl::Status WritePage(BlockNumber block, ByteView page) override {
    CHECK(page.size() == page_size_);
    const std::size_t begin = std::size_t{block} * page_size_;
    if (image_.size() < begin + page_size_) image_.resize(begin + page_size_);
    if (written_.size() <= block) written_.resize(block + 1);
    CHECK(!written_[block]);
    written_[block] = true;
    std::copy(page.begin(), page.end(), image_.begin() + static_cast<std::ptrdiff_t>(begin));
    return absl::OkStatus();
  }

  const std::vector<std::uint8_t>& image() const { return image_; }
  BlockNumber block_count() const { return static_cast<BlockNumber>(written_.size()); }
  ByteView page(BlockNumber block) const {
    return ByteView(image_).subspan(std::size_t{block} * page_size_, page_size_);
  }
  bool complete() const {
    return std::all_of(written_.begin(), written_.end(), [](bool written) { return written; });
  }

 private:
  std::uint32_t page_size_;
  std::vector<std::uint8_t> image_;
  std::vector<bool> written_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BUILD_PAGES_IN_MEMORY_H_

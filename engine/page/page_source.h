// Where pages come from: a file, or an image in memory. The verifier and the viewer see only this.

#ifndef TORNLEAF_ENGINE_PAGE_PAGE_SOURCE_H_
#define TORNLEAF_ENGINE_PAGE_PAGE_SOURCE_H_

#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"
#include "engine/page/slotted_page_v4.h"

namespace tornleaf {

class PageSource {
 public:
  virtual ~PageSource() = default;

  virtual std::uint32_t page_size() const = 0;
  // Whole pages; a relation's segments count as one file.
  virtual BlockNumber block_count() const = 0;
  // Bytes behind the last whole page: the file was cut. 0 in a healthy one.
  virtual std::uint32_t trailing_bytes() const { return 0; }

  // The bytes of a page, `block` < block_count(). They lie in `buffer` (page_size() bytes, the
  // caller's) or in the source, and stay as they are until the buffer is used again. An empty view
  // means that the environment failed; the source knows why.
  virtual ByteView Read(BlockNumber block, MutableBytes buffer) = 0;

  // The same for one reader that takes most pages in ascending order: a source that reads ahead
  // need not copy. The bytes stay as they are only until the next ReadSequential.
  virtual ByteView ReadSequential(BlockNumber block, MutableBytes buffer) {
    return Read(block, buffer);
  }
};

// An image in memory, not owned.
class MemoryPages final : public PageSource {
 public:
  MemoryPages(ByteView image, std::uint32_t page_size) : image_(image), page_size_(page_size) {
    CHECK(slotted_v4::IsPageSize(page_size));
  }

  std::uint32_t page_size() const override { return page_size_; }
  BlockNumber block_count() const override {
    return static_cast<BlockNumber>(image_.size() / page_size_);
  }
  std::uint32_t trailing_bytes() const override {
    return static_cast<std::uint32_t>(image_.size() % page_size_);
  }
  ByteView Read(BlockNumber block, MutableBytes) override {
    CHECK(block < block_count());
    return image_.subspan(std::size_t{block} * page_size_, page_size_);
  }

 private:
  ByteView image_;
  std::uint32_t page_size_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_PAGE_PAGE_SOURCE_H_

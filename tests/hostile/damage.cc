#include "tests/hostile/damage.h"

#include <algorithm>
#include <span>

#include "engine/format/nbtree_page.h"
#include "engine/page/slotted_page_v4.h"

namespace tornleaf {

namespace {

class Damager {
 public:
  Damager(Prng* prng, std::uint32_t page_size, std::vector<std::uint8_t>* image)
      : prng_(*prng), page_size_(page_size), image_(*image) {}

  std::string Run() {
    const std::uint64_t edits = prng_.Between(1, 4);
    for (std::uint64_t edit = 0; edit < edits; ++edit) OneEdit();
    return said_;
  }

 private:
  std::size_t page_count() const { return image_.size() / page_size_; }
  std::uint8_t* page(std::size_t block) { return image_.data() + block * page_size_; }

  void Say(const std::string& what, std::size_t block, std::size_t at, std::uint64_t value) {
    said_ += what + " of block " + std::to_string(block) + " at " + std::to_string(at) + ": " +
             std::to_string(value) + "; ";
  }

  void OneEdit() {
    if (page_count() == 0) return;
    const std::size_t block = prng_.Below(page_count());
    switch (prng_.Below(12)) {
      case 0:
        return FlipBit(block, prng_.Below(page_size_));
      case 1:
        return SetNumber("byte", block, prng_.Below(page_size_), 1);
      case 2:
        return SetField("header", block, 0, slotted_v4::kHeader);
      case 3:
      case 4:
        return SetField("special area", block, page_size_ - nbtree::kOpaqueSize, nbtree::kOpaque);
      case 5:
        return SetField("metapage", 0, 0, nbtree::kMetaFields);
      case 6:
        return SetLinePointer(block);
      case 7:
      case 8:
        return SetTuple(block);
      case 9:
        return FlipBit(block, prng_.Below(std::min<std::uint32_t>(page_size_, 128)));
      case 10:
        return ChangePage(block);
      default:
        return prng_.Chance(1, 4) ? Cut() : FlipBit(block, page_size_ - 1 - prng_.Below(64));
    }
  }

  void FlipBit(std::size_t block, std::size_t at) {
    const auto bit = static_cast<std::uint8_t>(1U << prng_.Below(8));
    page(block)[at] = static_cast<std::uint8_t>(page(block)[at] ^ bit);
    Say("bit", block, at, bit);
  }

  // A number of `size` bytes: an edge, a block or an offset of this file, near what was, or any.
  std::uint64_t Interesting(std::uint64_t before, std::uint32_t size) {
    const std::uint64_t edges[] = {0, 1, 2, 7, 8, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0xFFFFFFFF};
    switch (prng_.Below(5)) {
      case 0:
        return edges[prng_.Below(std::size(edges))];
      case 1:
        return prng_.Below(page_count() + 2);
      case 2:
        return prng_.Below(page_size_ + 16);
      case 3:
        return before + prng_.Between(0, 16) - 8;
      default:
        return size == 8 ? prng_.Next() : prng_.Below(std::uint64_t{1} << (8 * size));
    }
  }

  void SetNumber(const char* what, std::size_t block, std::size_t at, std::uint32_t size) {
    std::uint64_t before = 0;
    std::memcpy(&before, page(block) + at, size);
    const std::uint64_t value = Interesting(before, size);
    std::memcpy(page(block) + at, &value, size);
    Say(what, block, at, value);
  }

  void SetField(const char* what, std::size_t block, std::uint32_t base,
                std::span<const Field> fields) {
    const Field& field = fields[prng_.Below(fields.size())];
    SetNumber(what, block, base + field.offset, field.size);
  }

  void SetLinePointer(std::size_t block) {
    const std::uint64_t slot = prng_.Below(12);
    const std::size_t at = slotted_v4::kHeaderSize + slot * slotted_v4::kLinePointerSize;
    LinePointer pointer = LinePointer::Decode(LoadLittleEndian<std::uint32_t>(page(block) + at));
    switch (prng_.Below(4)) {
      case 0:
        pointer.offset = Interesting(pointer.offset, 2) & 0x7FFF;
        break;
      case 1:
        pointer.length = Interesting(pointer.length, 2) & 0x7FFF;
        break;
      case 2:
        pointer.flags = static_cast<LineFlags>(prng_.Below(4));
        break;
      default:
        pointer = LinePointer::Decode(static_cast<std::uint32_t>(prng_.Next()));
    }
    StoreLittleEndian(page(block) + at, pointer.Encode());
    Say("line pointer", block, at, pointer.Encode());
  }

  // A field of a tuple's header, or a byte shortly behind it: null bitmap, first attribute.
  void SetTuple(std::size_t block) {
    const PageView view(ByteView(page(block), page_size_));
    if (view.item_count() == 0) return;
    const auto slot = static_cast<OffsetNumber>(prng_.Between(1, view.item_count()));
    const LinePointer pointer = view.line_pointer(slot);
    if (pointer.end() > page_size_ || pointer.length < index_tuple::kHeaderSize) return;
    if (prng_.Chance(1, 2)) return SetField("tuple", block, pointer.offset, index_tuple::kHeader);
    SetNumber("tuple byte", block, pointer.offset + prng_.Below(std::min(pointer.length, 40U)), 1);
  }

  void ChangePage(std::size_t block) {
    const std::size_t other = prng_.Below(page_count());
    switch (prng_.Below(4)) {
      case 0:
        std::copy_n(page(other), page_size_, page(block));
        return Say("copy of a page", block, 0, other);
      case 1:
        std::swap_ranges(page(other), page(other) + page_size_, page(block));
        return Say("swap with a page", block, 0, other);
      case 2:
        std::fill_n(page(block), page_size_, std::uint8_t{0});
        return Say("zeroes", block, 0, page_size_);
      default: {  // Torn between two sectors.
        const std::size_t at = prng_.Below(page_size_ / 128) * 128;
        std::copy(page(other) + at, page(other) + page_size_, page(block) + at);
        return Say("torn page", block, at, other);
      }
    }
  }

  void Cut() {
    const std::size_t size = prng_.Below(image_.size() + 1);
    image_.resize(size);
    said_ += "cut to " + std::to_string(size) + " bytes; ";
  }

  Prng& prng_;
  std::uint32_t page_size_;
  std::vector<std::uint8_t>& image_;
  std::string said_;
};

}  // namespace

std::string Damage(Prng* prng, std::uint32_t page_size, std::vector<std::uint8_t>* image) {
  return Damager(prng, page_size, image).Run();
}

}  // namespace tornleaf

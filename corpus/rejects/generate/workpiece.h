// An index file being damaged on purpose, and an account of what was done to it, in words.

#ifndef TORNLEAF_CORPUS_REJECTS_GENERATE_WORKPIECE_H_
#define TORNLEAF_CORPUS_REJECTS_GENERATE_WORKPIECE_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "corpus/rejects/generate/small_tree.h"
#include "engine/format/nbtree_page.h"
#include "engine/page/field_table.h"

namespace tornleaf {

class Workpiece {
 public:
  Workpiece(std::string base, std::string schema, std::uint32_t page_size, bool checksums,
            std::vector<std::uint8_t> image)
      : base_(std::move(base)),
        schema_(std::move(schema)),
        page_size_(page_size),
        checksums_(checksums),
        image_(std::move(image)) {}

  const std::string& base() const { return base_; }
  const std::string& schema() const { return schema_; }
  std::uint32_t page_size() const { return page_size_; }
  bool checksums() const { return checksums_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  // What was done, one sentence an edit.
  const std::vector<std::string>& edits() const { return edits_; }

  BlockNumber page_count() const { return static_cast<BlockNumber>(image_.size() / page_size_); }
  PageView page(BlockNumber block) const;
  TupleView tuple(BlockNumber block, OffsetNumber slot) const;

  // A field of the page header or of the metapage; of the special area; of a tuple's header.
  template <typename T>
  void SetHeader(BlockNumber block, const FieldOf<T>& field, T value) {
    Set(Where(block), block_bytes(block), field, value);
  }
  template <typename T>
  void SetSpecial(BlockNumber block, const FieldOf<T>& field, T value) {
    Set(Where(block), block_bytes(block) + page_size_ - nbtree::kOpaqueSize, field, value);
  }
  template <typename T>
  void SetTuple(BlockNumber block, OffsetNumber slot, const FieldOf<T>& field, T value) {
    Set(Where(block, slot), tuple_bytes(block, slot), field, value);
  }
  void SetLine(BlockNumber block, OffsetNumber slot, LinePointer pointer);
  // One byte of a tuple, or of a page.
  void SetTupleByte(BlockNumber block, OffsetNumber slot, std::uint32_t offset, std::uint8_t value);
  void SetByte(BlockNumber block, std::uint32_t offset, std::uint8_t value);

  // The page's tuples, and the page laid out anew with others; `edit` says what changed.
  std::vector<TupleBytes> Items(BlockNumber block) const;
  void SetItems(BlockNumber block, const std::vector<TupleBytes>& items, const std::string& edit);

  void CopyPage(BlockNumber from, BlockNumber to);
  void SwapLines(BlockNumber block, OffsetNumber a, OffsetNumber b);
  void ZeroPage(BlockNumber block);
  // Adds a page behind the last: zeroes, or a copy.
  BlockNumber AppendZeroPage();
  BlockNumber AppendCopy(BlockNumber from);
  void AppendBytes(std::uint32_t count);
  void CutPages(BlockNumber count);
  // Switches checksums on, if they are not, and computes that of every page.
  void FixChecksums();

  void Note(const std::string& edit) { edits_.push_back(edit); }

 private:
  static std::string Where(BlockNumber block) { return "block " + std::to_string(block); }
  static std::string Where(BlockNumber block, OffsetNumber slot) {
    return Where(block) + " item " + std::to_string(slot);
  }
  static std::string Whole(const Field& field, std::uint64_t value);
  static std::string Fraction(double value);
  template <typename T>
  static std::string Number(const Field& field, T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return Fraction(value);
    } else {
      return Whole(field, value);
    }
  }
  std::uint8_t* block_bytes(BlockNumber block);
  std::uint8_t* tuple_bytes(BlockNumber block, OffsetNumber slot);

  template <typename T>
  void Set(const std::string& where, std::uint8_t* base, const FieldOf<T>& field, T value) {
    const T before = Load(base, field);
    CHECK(before != value);
    Store(base, field, value);
    Note(where + ": " + field.name + " " + Number(field, before) + " becomes " +
         Number(field, value));
  }

  std::string base_;
  std::string schema_;
  std::uint32_t page_size_;
  bool checksums_;
  std::vector<std::uint8_t> image_;
  std::vector<std::string> edits_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_CORPUS_REJECTS_GENERATE_WORKPIECE_H_

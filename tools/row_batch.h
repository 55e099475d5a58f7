// Some rows with memory of their own.

#ifndef TORNLEAF_TOOLS_ROW_BATCH_H_
#define TORNLEAF_TOOLS_ROW_BATCH_H_

#include <cstdint>
#include <vector>

#include "engine/base/finding.h"
#include "engine/key/value.h"

namespace tornleaf {

class RowBatch {
 public:
  // Rows of `columns` columns; the first has the number `first_row`, from 0, in its input.
  void Clear(std::uint32_t columns, std::uint64_t first_row) {
    columns_ = columns;
    first_row_ = first_row;
    bytes_.clear();
    values_.clear();
    tids_.clear();
    lines_.clear();
  }
  void Add(const Value* values, ItemPointer tid, std::uint64_t line) {
    for (std::uint32_t index = 0; index < columns_; ++index) {
      const ByteView bytes = values[index].bytes();
      if (!values[index].is_null) bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      values_.push_back(values[index]);
    }
    tids_.push_back(tid);
    lines_.push_back(line);
  }
  // After the last Add(): from now on values point into the batch.
  void Finish() {
    const std::uint8_t* at = bytes_.data();
    for (Value& value : values_) {
      if (value.is_null) continue;
      value.data = at;
      at += value.size;
    }
  }

  std::size_t size() const { return tids_.size(); }
  std::uint64_t first_row() const { return first_row_; }
  const Value* values(std::size_t row) const { return values_.data() + row * columns_; }
  ItemPointer tid(std::size_t row) const { return tids_[row]; }
  std::uint64_t line(std::size_t row) const { return lines_[row]; }

 private:
  std::uint32_t columns_ = 0;
  std::uint64_t first_row_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::vector<Value> values_;
  std::vector<ItemPointer> tids_;
  std::vector<std::uint64_t> lines_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_ROW_BATCH_H_

// Pages and tuples for the tests of page edits.

#ifndef TORNLEAF_ENGINE_FORMAT_EDIT_TEST_UTIL_H_
#define TORNLEAF_ENGINE_FORMAT_EDIT_TEST_UTIL_H_

#include <cstdint>
#include <vector>

#include "engine/format/nbtree_edit.h"
#include "engine/format/page_guard.h"

namespace tornleaf {
namespace nbtree {

using Bytes = std::vector<std::uint8_t>;

// A tuple of `size` bytes whose body is filled with `fill`.
inline Bytes PlainTuple(std::uint32_t size, std::uint8_t fill, ItemPointer tid) {
  Bytes bytes(size, fill);
  StoreTid(bytes.data(), tid);
  Store(bytes.data(), index_tuple::kInfo, static_cast<std::uint16_t>(size));
  return bytes;
}

inline Bytes PostingTuple(std::uint32_t key_size, std::uint8_t fill,
                          const std::vector<ItemPointer>& tids) {
  Bytes bytes;
  FormPosting(TupleView(PlainTuple(key_size, fill, {})), tids, &bytes);
  return bytes;
}

inline Bytes PivotTuple(std::uint32_t size, std::uint8_t fill, std::uint32_t count,
                        BlockNumber downlink) {
  Bytes bytes = PlainTuple(size, fill, {});
  SetPivotAttributes(bytes.data(), count, false);
  SetDownlink(bytes.data(), downlink);
  return bytes;
}

// A page in memory.
struct TestPage {
  explicit TestPage(std::uint32_t level = 0, std::uint32_t size = 8192) : bytes(size) {
    InitializePage(writer(), level, level == 0 ? kLeaf : 0);
  }

  PageWriter writer() { return PageWriter(bytes); }
  NbtreePage page() const { return NbtreePage(PageView(bytes)); }
  void Add(ByteView tuple) {
    const auto slot = static_cast<OffsetNumber>(page().item_count() + 1);
    CHECK(InsertItem(writer(), slot, tuple) == EditError::kNone);
  }
  Bytes item(OffsetNumber slot) const {
    const ByteView tuple = page().tuple(slot).bytes();
    return {tuple.begin(), tuple.end()};
  }
  std::vector<Bytes> items() const {
    std::vector<Bytes> all;
    for (OffsetNumber slot = 1; slot <= page().item_count(); ++slot) all.push_back(item(slot));
    return all;
  }
  // Offsets of the items, from the first to the last.
  std::vector<std::uint32_t> offsets() const {
    std::vector<std::uint32_t> all;
    for (OffsetNumber slot = 1; slot <= page().item_count(); ++slot) {
      all.push_back(page().page().line_pointer(slot).offset);
    }
    return all;
  }
  const char* rule() const {
    const GuardVerdict verdict = GuardPage(bytes, false, nullptr);
    return verdict.ok() ? "" : verdict.rule;
  }

  Bytes bytes;
};

}  // namespace nbtree
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_EDIT_TEST_UTIL_H_

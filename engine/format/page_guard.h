// May the engine use a page that it read? What the tree and redo rely on when they hold a page, and
// no more: header in order, line pointers readable and disjoint, special area of the right size, no
// unknown flags, every tuple of a legal kind for its place with a posting list inside its bytes,
// and attributes that can be read without running out of them. Not: order, links, levels.
//
// One pass over the page, in linear time, on any bytes.

#ifndef TORNLEAF_ENGINE_FORMAT_PAGE_GUARD_H_
#define TORNLEAF_ENGINE_FORMAT_PAGE_GUARD_H_

#include "engine/base/finding.h"
#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"

namespace tornleaf {
namespace nbtree {

// What is wrong: no rule means nothing. Block numbers in links are checked against
// nothing, since a relation may grow.
struct GuardVerdict {
  const char* rule = nullptr;  // a few words, such as "line pointers overlap"
  OffsetNumber slot = 0;

  bool ok() const { return rule == nullptr; }
};

// What is wrong with `tuple` as item `slot` of a page of this kind; null if nothing. At least 8
// bytes. For tuples that are about to be put on a page.
const char* GuardTuple(const NbtreePage& page, OffsetNumber slot, TupleView tuple,
                       const Schema* schema);

// `schema` may be null: then attributes are not looked at (redo needs none). `is_meta`: block 0.
GuardVerdict GuardPage(ByteView page, bool is_meta, const Schema* schema);

}  // namespace nbtree
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_FORMAT_PAGE_GUARD_H_

// A change of some pages that one log record describes.
//
//   LoggedChange change(log, wal::ResourceManager::kBtree, kInsertLeaf);
//   change.AddMain(bytes);
//   change.AddPage(0, relation, &leaf, wal::kStandardPage);
//   change.AddData(tuple);
//   change.Commit();
//
// Commit() comes after the bytes of all pages have been changed: it marks them dirty, inserts the
// record, and stamps its LSN on them. With a null log it marks them and stamps a number that grows,
// so that "the LSN is the same" still means "the page has not changed".

#ifndef TORNLEAF_ENGINE_STORE_LOGGED_CHANGE_H_
#define TORNLEAF_ENGINE_STORE_LOGGED_CHANGE_H_

#include <cstdint>

#include "engine/base/fixed_vector.h"
#include "engine/store/buffer_pool.h"
#include "engine/wal/log.h"

namespace tornleaf {

class LoggedChange {
 public:
  LoggedChange(wal::Log* log, wal::ResourceManager manager, std::uint8_t info, wal::Xid xid = 0)
      : log_(log) {
    draft_.manager = manager;
    draft_.info = info;
    draft_.xid = xid;
  }

  // All views, and the pages, stay as they are until Commit().
  void AddMain(ByteView bytes) { draft_.main_data.push_back(bytes); }
  // `page` is held exclusively. `flags` as wal::BlockFlags. Ids ascend.
  void AddPage(std::uint8_t id, const RelationId& relation, PageRef* page, std::uint8_t flags);
  // Data of the page added last.
  void AddData(ByteView bytes) { draft_.blocks.back().data.push_back(bytes); }

  // The LSN; 0 without a log. Once.
  Lsn Commit();

 private:
  wal::Log* log_;
  wal::RecordDraft draft_;
  FixedVector<PageRef*, wal::kMaxBlockId + 1> pages_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_LOGGED_CHANGE_H_

// The pages of one record that is being replayed. For the files redo*.cc only.
//
// A page that a record changes is opened: it gets the image that the record holds, or is read; is
// it behind the record, the change is due. A page that a record describes whole is rebuilt: nobody
// looks at what is on disk, which may be torn. In both ways new bytes are made aside and looked at
// before they replace those of the page, so that a record that is rejected changes nothing.

#ifndef TORNLEAF_ENGINE_TREE_REDO_PAGES_H_
#define TORNLEAF_ENGINE_TREE_REDO_PAGES_H_

#include <cstdint>
#include <map>
#include <string_view>

#include "absl/status/status.h"
#include "engine/format/nbtree_edit.h"
#include "engine/store/buffer_pool.h"
#include "engine/tree/redo.h"
#include "engine/wal/record/record.h"

namespace tornleaf {

using PageBytes = std::vector<std::uint8_t>;

// A page that a record refers to, held exclusively.
struct RedoPage {
  PageRef ref;
  bool due = false;  // the record's change is still to be made

  nbtree::NbtreePage nbtree() const { return nbtree::NbtreePage(ref.view()); }
};

class RedoPages {
 public:
  RedoPages(BufferPool* pool, const std::map<RelationId, PooledRelation*>& relations,
            const wal::DecodedRecord& record, Lsn end, RedoSummary* summary)
      : pool_(pool), relations_(relations), record_(record), end_(end), summary_(summary) {}

  const wal::DecodedRecord& record() const { return record_; }
  std::uint32_t page_size() const { return pool_->page_size(); }
  bool has_block(std::uint32_t id) const { return record_.has_block(id); }
  // What the record says about a block that it has.
  const wal::DecodedBlock& block(std::uint32_t id) const { return record_.blocks[id]; }

  // Opens a page to be changed. `cleanup`: when nobody else has it pinned.
  absl::Status Open(std::uint32_t id, RedoPage* page, bool cleanup = false);
  // Opens an nbtree page that has items; DataLoss if the change is due and it is not of this level
  // (kAnyLevel: of any), or is deleted, half-dead or the metapage.
  static constexpr std::uint32_t kAnyLevel = 0xFFFFFFFF;
  absl::Status OpenWithItems(std::uint32_t id, std::uint32_t level, RedoPage* page,
                             bool cleanup = false);
  // Stamps a page whose change has been made.
  void Finish(RedoPage* page);
  // OK, or DataLoss: bytes that the relation's guard would not let in.
  absl::Status Guard(std::uint32_t id, const PageBytes& bytes) const;
  // Puts bytes that pass Guard() in the place of a page that was opened, and finishes it.
  void Replace(const PageBytes& bytes, RedoPage* page);
  // Makes a page anew of bytes that pass Guard(); it stays held as long as `page` lives.
  absl::Status Rebuild(std::uint32_t id, const PageBytes& bytes, PageRef* page);
  // Restores the image that a block must have.
  absl::Status RestoreImage(std::uint32_t id, PageRef* page);

  // OK, or DataLoss with the edit's reason.
  absl::Status Check(std::uint32_t id, nbtree::EditError error) const;
  absl::Status Reject(std::uint32_t id, std::string_view reason) const;
  // DataLoss about the record itself.
  absl::Status RejectRecord(std::string_view reason) const;

  void SawXid(std::uint64_t xid);

 private:
  absl::Status Find(std::uint32_t id, PooledRelation** relation) const;

  BufferPool* pool_;
  const std::map<RelationId, PooledRelation*>& relations_;
  const wal::DecodedRecord& record_;
  Lsn end_;
  RedoSummary* summary_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_REDO_PAGES_H_

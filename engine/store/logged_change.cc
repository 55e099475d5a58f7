#include "engine/store/logged_change.h"

namespace tornleaf {

void LoggedChange::AddPage(std::uint8_t id, const RelationId& relation, PageRef* page,
                           std::uint8_t flags) {
  CHECK(page->hold() == Hold::kExclusive);
  wal::BlockChange& change = draft_.blocks.emplace_back();
  change.id = id;
  change.relation = relation;
  change.block = page->block();
  change.flags = flags;
  change.page = page->bytes();
  pages_.push_back(page);
}

Lsn LoggedChange::Commit() {
  for (PageRef* page : pages_) page->MarkDirty();
  if (log_ == nullptr) {
    for (PageRef* page : pages_) page->set_unlogged_lsn();
    return 0;
  }
  const Lsn lsn = log_->Insert(draft_);
  for (PageRef* page : pages_) page->set_lsn(lsn);
  return lsn;
}

}  // namespace tornleaf

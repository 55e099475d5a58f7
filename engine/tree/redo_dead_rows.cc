#include "engine/tree/dead_rows.h"
#include "engine/tree/redo_operations.h"

namespace tornleaf {

absl::Status RedoRowList(RedoPages* pages) {
  constexpr const char* kMisfit = "the record does not fit the page";
  if (!pages->has_block(0)) return pages->RejectRecord("no page");
  if (pages->block(0).will_init) {
    PageBytes bytes(pages->page_size());
    if (!RedoDeadRows(pages->record(), PageWriter(bytes))) return pages->Reject(0, kMisfit);
    PageRef page;
    return pages->Rebuild(0, bytes, &page);
  }
  RedoPage page;
  const absl::Status status = pages->Open(0, &page);
  if (!status.ok() || !page.due) return status;
  if (!RedoDeadRows(pages->record(), page.ref.writer())) return pages->Reject(0, kMisfit);
  pages->Finish(&page);
  return absl::OkStatus();
}

}  // namespace tornleaf

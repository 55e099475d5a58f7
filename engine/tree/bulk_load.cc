#include "engine/tree/bulk_load.h"

#include <algorithm>
#include <cstring>

#include "engine/base/mark.h"
#include "engine/wal/record/xlog_records.h"

namespace tornleaf {
namespace {

using nbtree::MetaPage;

// Logs the page, held exclusively, as a whole.
void LogImage(Tree* tree, wal::Log* log, PageRef* page) {
  LoggedChange change(log, wal::ResourceManager::kXlog, wal::kFpi);
  change.AddPage(0, tree->parts().relation_id, page,
                 static_cast<std::uint8_t>(wal::kStandardPage | wal::kForceImage));
  change.Commit();
}

// All bytes of the page but its LSN, which the log compares with its checkpoints.
void CopyPage(ByteView from, PageRef* page) {
  const PageWriter writer = page->writer();
  const Lsn lsn = page->view().lsn();
  std::memcpy(writer.data(), from.data(), from.size());
  page->set_lsn(lsn);
}

}  // namespace

absl::Status RemoveUnfinishedLoad(Tree* tree) {
  const absl::StatusOr<MetaPage> meta = tree->ReadMeta();
  if (!meta.ok()) return meta.status();
  if (meta->root != nbtree::kNoSibling) return absl::OkStatus();
  const BlockNumber end = BufferPool::block_count(tree->parts().relation);
  for (BlockNumber block = nbtree::kMetaBlock + 1; block < end; ++block) {
    const FrameBudget::Share share(tree->parts().pool->budget(), 1);
    absl::StatusOr<PageRef> page = tree->Pin(block, Hold::kExclusive);
    if (absl::IsDataLoss(page.status())) {
      MARK("bulk_load.torn_page");
      page = tree->parts().pool->PinForRestore(tree->parts().relation, block);
    } else if (page.ok() && page->view().is_new()) {
      continue;
    }
    if (!page.ok()) return page.status();
    MARK("bulk_load.unfinished_page");
    const MutableBytes bytes = page->writer().bytes();
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    LogImage(tree, tree->parts().log, &*page);
  }
  return absl::OkStatus();
}

absl::StatusOr<BulkLoad> BulkLoad::Begin(Tree* tree, LoadLog log) {
  const absl::StatusOr<MetaPage> meta = tree->ReadMeta();
  if (!meta.ok()) return meta.status();
  if (meta->root != nbtree::kNoSibling) {
    return absl::FailedPreconditionError("the index is not empty");
  }
  if (BufferPool::block_count(tree->parts().relation) > nbtree::kMetaBlock + 1) {
    MARK("bulk_load.pages_left");
    const absl::Status status = RemoveUnfinishedLoad(tree);
    if (!status.ok()) return status;
    log = LoadLog::kLogged;
  }
  return BulkLoad(tree, log);
}

BuildOptions BulkLoad::options() const {
  BuildOptions options;
  options.page_size = tree_->parts().pool->page_size();
  options.fillfactor = tree_->options().fillfactor;
  options.deduplicate = tree_->options().deduplicate;
  return options;
}

absl::Status BulkLoad::WritePage(BlockNumber block, ByteView page) {
  if (block == nbtree::kMetaBlock) return WriteMeta(page);
  const FrameBudget::Share share(tree_->parts().pool->budget(), 1);
  // What is there is free; perhaps it was torn when a load before this one was cut short.
  absl::StatusOr<PageRef> place =
      tree_->parts().pool->PinForRestore(tree_->parts().relation, block);
  if (!place.ok()) return place.status();
  CopyPage(page, &*place);
  LogImage(tree_, log_ == LoadLog::kLogged ? tree_->parts().log : nullptr, &*place);
  return absl::OkStatus();
}

absl::Status BulkLoad::WriteMeta(ByteView page) {
  if (log_ == LoadLog::kUnlogged) {
    // What the metapage leads to is not in the log.
    const absl::Status status = tree_->parts().pool->WriteAll();
    if (!status.ok()) return status;
  }
  const FrameBudget::Share share(tree_->parts().pool->budget(), 1);
  absl::StatusOr<PageRef> place = tree_->Pin(nbtree::kMetaBlock, Hold::kExclusive);
  if (!place.ok()) return place.status();
  CopyPage(page, &*place);
  LogImage(tree_, tree_->parts().log, &*place);
  return absl::OkStatus();
}

}  // namespace tornleaf

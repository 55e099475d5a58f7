#include "engine/tree/tree.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/format/page_guard.h"
#include "engine/wal/record/nbtree_records.h"
#include "engine/wal/record/xlog_records.h"

namespace tornleaf {

using nbtree::MetaPage;
using nbtree::NbtreePage;

absl::Status TreePageGuard::Check(ByteView page, BlockNumber block) {
  const nbtree::GuardVerdict verdict =
      nbtree::GuardPage(page, block == nbtree::kMetaBlock, schema_);
  if (verdict.ok()) return absl::OkStatus();
  if (verdict.slot == 0) return Tree::Damage(block, verdict.rule);
  return Tree::Damage(block, absl::StrCat("item ", verdict.slot, ": ", verdict.rule));
}

Tree::Tree(const Parts& parts, const TreeOptions& options) : parts_(parts), options_(options) {
  CHECK(parts.schema != nullptr);
  CHECK(parts.schema->order_known());
  CHECK(options.fillfactor >= nbtree::kFillFactorMin);
  CHECK(options.fillfactor <= nbtree::kFillFactorMax);
}

absl::Status Tree::Damage(BlockNumber block, std::string_view what) {
  return absl::DataLossError(
      absl::StrCat("block ", block, ": ", absl::string_view(what.data(), what.size())));
}

// A crash during creation may have left block 0 on the file, as zeros.
absl::Status Tree::Create() {
  absl::StatusOr<PageRef> page = BufferPool::block_count(parts_.relation) == 0
                                     ? parts_.pool->Extend(parts_.relation)
                                     : Pin(nbtree::kMetaBlock, Hold::kExclusive);
  if (!page.ok()) return page.status();
  if (page->block() != nbtree::kMetaBlock || !page->view().is_new()) {
    return absl::AlreadyExistsError("there is an index in the relation");
  }
  MetaPage meta;
  meta.magic = nbtree::kMagicNumber;
  meta.version = nbtree::kVersionMax;
  meta.all_equal_image = schema().all_equal_image();
  nbtree::InitializeMetaPage(page->writer(), meta);
  LoggedChange change(parts_.log, wal::ResourceManager::kXlog, wal::kFpi);
  change.AddPage(0, parts_.relation_id, &*page, wal::kStandardPage | wal::kForceImage);
  change.Commit();
  deduplicates_ = meta.all_equal_image && options_.deduplicate;
  return absl::OkStatus();
}

absl::Status Tree::Open() {
  const absl::StatusOr<MetaPage> meta = ReadMeta();
  if (!meta.ok()) return meta.status();
  if (!meta->heap_tid_is_key()) {
    return absl::UnimplementedError(
        absl::StrCat("the index has format version ", meta->version,
                     ", of PostgreSQL before 12: rebuild it (tornleaf dump, tornleaf build)"));
  }
  deduplicates_ = meta->all_equal_image && schema().all_equal_image() && options_.deduplicate;
  return absl::OkStatus();
}

absl::StatusOr<MetaPage> Tree::ReadMeta() {
  const auto damaged = [&](absl::string_view what) {
    return absl::DataLossError(absl::StrCat(BufferPool::path(parts_.relation), ": block ",
                                            nbtree::kMetaBlock, ": ", what));
  };
  const absl::StatusOr<PageRef> page = Pin(nbtree::kMetaBlock, Hold::kShared);
  if (!page.ok()) return page.status();
  if (page->view().is_new() || !NbtreePage(page->view()).is_meta()) {
    return damaged("no metapage");
  }
  const MetaPage meta = MetaPage::Load(page->view());
  if (meta.magic != nbtree::kMagicNumber) {
    return damaged("not the metapage of a B-tree");
  }
  if (meta.version < nbtree::kVersionMin || meta.version > nbtree::kVersionMax) {
    return damaged(absl::StrCat("no format has the version ", meta.version));
  }
  return meta;
}

absl::StatusOr<PageRef> Tree::Pin(BlockNumber block, Hold hold) {
  return parts_.pool->Pin(parts_.relation, block, hold);
}

bool Tree::IsFree(const PageRef& page) const {
  if (page.view().is_new()) return true;
  const NbtreePage node(page.view());
  if (!node.is_deleted()) return false;
  // Before PostgreSQL 14 a deleted page had no such id; all who could look at it are gone.
  return !node.has_full_xid() || node.safe_xid() < parts_.transactions->horizon();
}

// A scan of a standby server may still be on its way to the page.
void Tree::LogReuse(const PageRef& page) {
  const NbtreePage node(page.view());
  wal::ReusePageRecord record;
  record.relation = parts_.relation_id;
  record.block = page.block();
  record.latest_removed_xid = node.has_full_xid() ? node.safe_xid() : kFirstXid;
  wal::Bytes bytes;
  record.Encode(&bytes);
  LoggedChange change(parts_.log, wal::ResourceManager::kBtree, wal::kReusePage);
  change.AddMain(bytes);
  change.Commit();
}

// The caller holds pages, perhaps one that the map names: so nothing here waits for a page.
absl::StatusOr<PageRef> Tree::AllocatePage() {
  for (;;) {
    const std::optional<BlockNumber> block = parts_.free_pages->Take();
    if (!block.has_value()) return parts_.pool->Extend(parts_.relation);
    absl::StatusOr<PageRef> page = Pin(*block, Hold::kNone);
    if (!page.ok()) return page;
    if (!page->TryHoldExclusive()) {
      MARK("allocate.page_held");
      continue;
    }
    // The map is a hint: the page may have been taken since, or be deleted too recently.
    if (!IsFree(*page)) {
      MARK("allocate.page_not_free");
      continue;
    }
    if (page->view().is_new()) {
      MARK("allocate.page_of_zeros");
      return page;
    }
    MARK("allocate.page_reused");
    LogReuse(*page);
    return page;
  }
}

Tree::FastRoot Tree::cached_fast_root() const {
  const std::uint64_t both = fast_root_.load(std::memory_order_acquire);
  return {static_cast<BlockNumber>(both), static_cast<std::uint32_t>(both >> 32)};
}

void Tree::set_cached_fast_root(FastRoot root) {
  fast_root_.store(std::uint64_t{root.level} << 32 | root.block, std::memory_order_release);
}

}  // namespace tornleaf

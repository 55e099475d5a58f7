#include "engine/tree/new_root.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/mark.h"
#include "engine/tree/node.h"
#include "engine/wal/record/nbtree_records.h"

namespace tornleaf {

using nbtree::EditError;
using nbtree::NbtreePage;

namespace {

// Logs a root that is ready on its page. `left` is null for the first root.
void LogNewRoot(Tree* tree, PageRef* root, PageRef* left, PageRef* meta_page,
                const nbtree::MetaPage& meta) {
  wal::Bytes main;
  wal::NewRootRecord{meta.root, meta.level}.Encode(&main);
  wal::Bytes meta_bytes;
  wal::EncodeMeta(meta, &meta_bytes);
  const RelationId& id = tree->parts().relation_id;
  LoggedChange change(tree->parts().log, wal::ResourceManager::kBtree, wal::kNewRoot);
  change.AddMain(main);
  change.AddPage(0, id, root, wal::kWillInit);
  if (left != nullptr) {
    const PageView page = root->view();
    change.AddData(page.bytes().subspan(page.upper(), page.special() - page.upper()));
    change.AddPage(1, id, left, wal::kStandardPage);
  }
  change.AddPage(2, id, meta_page, wal::kWillInit | wal::kStandardPage);
  change.AddData(meta_bytes);
  change.Commit();
}

}  // namespace

absl::Status MakeFirstRoot(Tree* tree) {
  absl::StatusOr<PageRef> meta_page = tree->Pin(nbtree::kMetaBlock, Hold::kExclusive);
  if (!meta_page.ok()) return meta_page.status();
  nbtree::MetaPage meta = nbtree::MetaPage::Load(meta_page->view());
  if (meta.root != 0) {
    MARK("root.made_by_another_task");
    return absl::OkStatus();
  }
  absl::StatusOr<PageRef> root = tree->AllocatePage();
  if (!root.ok()) return root.status();
  nbtree::InitializePage(root->writer(), 0, nbtree::kLeaf | nbtree::kRoot);
  meta.root = meta.fast_root = root->block();
  meta.level = meta.fast_level = 0;
  meta.last_cleanup_deleted_pages = 0;
  WriteMeta(&*meta_page, meta);
  LogNewRoot(tree, &*root, nullptr, &*meta_page, meta);
  return absl::OkStatus();
}

absl::Status MakeRootAbove(Tree* tree, PageRef* left, PageRef* right) {
  const NbtreePage node = NodeOf(*left);
  const std::uint32_t level = node.level() + 1;
  if (level > kMaxLevel) return Tree::Damage(left->block(), "no tree is higher");
  const absl::StatusOr<TupleView> high_key = HighKeyOf(*left);
  if (!high_key.ok()) return high_key.status();
  std::vector<std::uint8_t> to_left;
  nbtree::FormMinusInfinity(left->block(), &to_left);
  std::vector<std::uint8_t> to_right(high_key->data(), high_key->data() + high_key->stored_size());
  nbtree::SetDownlink(to_right.data(), right->block());

  // Nothing fails once the page is allocated: what could is tried out before.
  absl::StatusOr<PageRef> meta_page = tree->Pin(nbtree::kMetaBlock, Hold::kNone);
  if (!meta_page.ok()) return meta_page.status();
  std::vector<std::uint8_t> built(node.page().size());
  const PageWriter writer(built);
  nbtree::InitializePage(writer, level, nbtree::kRoot);
  EditError error = nbtree::InsertItem(writer, 1, to_left);
  if (error == EditError::kNone) error = nbtree::InsertItem(writer, 2, to_right);
  if (error != EditError::kNone) return RefusedEdit(left->block(), error);
  absl::StatusOr<PageRef> root = tree->AllocatePage();
  if (!root.ok()) return root.status();
  meta_page->HoldExclusive();

  nbtree::MetaPage meta = nbtree::MetaPage::Load(meta_page->view());
  meta.root = meta.fast_root = root->block();
  meta.level = meta.fast_level = level;
  std::copy(built.begin(), built.end(), root->writer().data());
  nbtree::SetFlags(left->writer(),
                   static_cast<std::uint16_t>(node.flags() & ~nbtree::kIncompleteSplit));
  WriteMeta(&*meta_page, meta);
  LogNewRoot(tree, &*root, left, &*meta_page, meta);
  tree->set_cached_fast_root({meta.fast_root, meta.fast_level});
  MARK("root.split");
  return absl::OkStatus();
}

}  // namespace tornleaf

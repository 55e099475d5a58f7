#include "tools/level_survey.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/format/nbtree_page.h"
#include "tools/page_items.h"

namespace tornleaf {
namespace {

using nbtree::NbtreePage;

// More than any tree can have: a page above the leaves leads to two or more.
constexpr std::uint32_t kLevelsMax = 32;

bool IsStoredLittleEndian(TypeId type) {
  switch (type) {
    case TypeId::kUuid:
    case TypeId::kBytea:
    case TypeId::kText:
    case TypeId::kVarchar:
    case TypeId::kName:
    case TypeId::kNumeric:
      return false;
    default:
      return true;
  }
}

std::size_t CommonPrefix(ByteView a, ByteView b) {
  const std::size_t size = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size), b.begin()).first -
      a.begin());
}

class LevelReader {
 public:
  LevelReader(PageSource* pages, const Schema& schema,
              const std::function<void(std::uint64_t)>& progress)
      : pages_(pages), schema_(schema), progress_(progress), buffer_(pages->page_size()) {}

  absl::StatusOr<std::vector<LevelSurvey>> Run() {
    const absl::StatusOr<PageView> meta_page = Read(nbtree::kMetaBlock);
    if (!meta_page.ok()) return meta_page.status();
    const nbtree::MetaPage meta = nbtree::MetaPage::Load(*meta_page);
    std::vector<LevelSurvey> surveys;
    if (meta.root == 0) return surveys;  // an empty index
    BlockNumber leftmost = meta.root;
    for (std::uint32_t depth = 0; depth < kLevelsMax; ++depth) {
      surveys.emplace_back();
      const absl::StatusOr<BlockNumber> below = ReadLevel(leftmost, &surveys.back());
      if (!below.ok()) return below.status();
      if (*below == 0) return surveys;
      leftmost = *below;
    }
    return absl::DataLossError("more levels than a tree can have; 'tornleaf check' says more");
  }

 private:
  absl::StatusOr<PageView> Read(BlockNumber block) {
    if (block >= pages_->block_count()) {
      return absl::DataLossError(absl::StrCat("a link leads to block ", block, " of ",
                                              pages_->block_count(),
                                              "; 'tornleaf check' says more"));
    }
    const ByteView bytes = pages_->ReadSequential(block, buffer_);
    if (bytes.empty()) return absl::UnavailableError(absl::StrCat("cannot read block ", block));
    return PageView(bytes);
  }

  // Reads the level that begins at `block`. Gives the leftmost page of the level below, or 0.
  absl::StatusOr<BlockNumber> ReadLevel(BlockNumber block, LevelSurvey* survey) {
    BlockNumber below = 0;
    bool first = true;
    last_key_.clear();
    while (block != nbtree::kNoSibling) {
      if (++pages_read_ > pages_->block_count()) {
        return absl::DataLossError("pages link in a circle; 'tornleaf check' says more");
      }
      const absl::StatusOr<PageView> page = Read(block);
      if (!page.ok()) return page.status();
      const PageKind kind = KindOfPage(*page, block);
      if (kind != PageKind::kLeaf && kind != PageKind::kInternal && kind != PageKind::kHalfDead) {
        return absl::DataLossError(absl::StrCat("block ", block, " is linked into the tree and is ",
                                                NameOf(kind), "; 'tornleaf check' says more"));
      }
      const NbtreePage nbtree_page(*page);
      const std::vector<PageItem> items = ItemsOf(*page, block);
      survey->level = nbtree_page.level();
      AddPage(*page, items, survey);
      if (first && !nbtree_page.is_leaf()) below = FirstDownlink(nbtree_page, items);
      first = false;
      block = nbtree_page.next();
      progress_(pages_read_);
    }
    return below;
  }

  static BlockNumber FirstDownlink(const NbtreePage& page, const std::vector<PageItem>& items) {
    const std::size_t index = page.first_data_slot() - std::size_t{1};
    return index < items.size() && items[index].has_tuple ? nbtree::Downlink(items[index].tuple)
                                                          : 0;
  }

  void AddPage(PageView page, const std::vector<PageItem>& items, LevelSurvey* survey) {
    ++survey->pages;
    survey->room_bytes += page.size() - slotted_v4::kHeaderSize - nbtree::kOpaqueSize;
    column_.clear();
    std::size_t page_prefix = 0;
    std::uint64_t columns = 0;
    for (const PageItem& item : items) {
      const std::uint32_t bytes = MaxAlign(item.pointer.length) + slotted_v4::kLinePointerSize;
      survey->used_bytes += bytes;
      if (item.is_high_key) continue;
      ++survey->items;
      survey->item_bytes += bytes;
      if (!AddItem(item, survey)) continue;
      ++survey->columns;
      survey->column_bytes += column_.size();
      if (columns++ == 0) {
        first_column_ = column_;
        page_prefix = column_.size();
      } else {
        ++survey->neighbours;
        survey->neighbour_prefix_bytes += CommonPrefix(previous_column_, column_);
        page_prefix = std::min(page_prefix, CommonPrefix(first_column_, column_));
      }
      previous_column_.swap(column_);
    }
    survey->page_prefix_bytes += page_prefix * columns;
  }

  // Counts rows and keys; true if column_ holds the first column.
  bool AddItem(const PageItem& item, LevelSurvey* survey) {
    if (!item.has_tuple || !item.damage.empty()) {
      ++survey->unreadable;
      return false;
    }
    const bool is_leaf_item = !item.in_pivot_place;
    if (is_leaf_item) survey->rows += item.tids.empty() ? 1 : item.tids.size();
    const std::uint32_t wanted = std::min(item.AttributeCount(schema_), schema_.key_count());
    if (wanted == 0) return false;
    // Included columns may follow, so the walk ends before what the tuple ends with.
    const auto end = static_cast<std::uint32_t>(item.tuple.data_offset() + item.data.size());
    const std::uint32_t count = item.AttributeCount(schema_);
    if (!deformed_.Deform(schema_, item.tuple, count, end).ok()) {
      ++survey->unreadable;
      return false;
    }
    if (is_leaf_item) CountKey(survey);
    const Value& value = deformed_.value(0);
    if (value.is_null) return false;
    column_.assign(value.data, value.data + value.size);
    if (IsStoredLittleEndian(schema_.attribute(0).type))
      std::reverse(column_.begin(), column_.end());
    return true;
  }

  // Equal keys stand side by side, also across pages.
  void CountKey(LevelSurvey* survey) {
    key_.clear();
    for (std::uint32_t index = 0; index < schema_.key_count(); ++index) {
      const Value& value = deformed_.value(index);
      key_.push_back(value.is_null ? 0 : 1);
      if (value.is_null) continue;
      std::uint8_t size[4];
      StoreLittleEndian(size, value.size);
      key_.insert(key_.end(), size, size + sizeof size);
      key_.insert(key_.end(), value.data, value.data + value.size);
    }
    if (survey->keys == 0 || key_ != last_key_) ++survey->keys;
    last_key_.swap(key_);
  }

  PageSource* pages_;
  const Schema& schema_;
  const std::function<void(std::uint64_t)>& progress_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t pages_read_ = 0;
  DeformedTuple deformed_;
  std::vector<std::uint8_t> column_;  // the first column of the item at hand
  std::vector<std::uint8_t> previous_column_;
  std::vector<std::uint8_t> first_column_;  // of the page
  std::vector<std::uint8_t> key_;
  std::vector<std::uint8_t> last_key_;
};

}  // namespace

absl::StatusOr<std::vector<LevelSurvey>> SurveyLevels(
    PageSource* pages, const Schema& schema, const std::function<void(std::uint64_t)>& progress) {
  return LevelReader(pages, schema, progress).Run();
}

}  // namespace tornleaf

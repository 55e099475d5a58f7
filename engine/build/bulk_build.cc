#include "engine/build/bulk_build.h"

#include <algorithm>

namespace tornleaf {

namespace {

constexpr OffsetNumber kHighKeySlot = 1;
constexpr OffsetNumber kFirstDataSlot = 2;

TupleView ViewOf(const std::vector<std::uint8_t>& tuple) { return TupleView(tuple); }

// Makes the last item's line pointer that of the high key and puts the high key in the item's
// place, against the items above, so that the unused space stays in one piece.
void ReplaceLastByHighKey(PageWriter page, OffsetNumber last_slot, ByteView high_key) {
  const LinePointer last = page.view().line_pointer(last_slot);
  const auto size = static_cast<std::uint32_t>(high_key.size());
  const std::uint32_t offset = last.offset + MaxAlign(last.length) - MaxAlign(size);
  const std::uint32_t lower = page.view().lower() - slotted_v4::kLinePointerSize;
  CHECK(lower <= offset);
  page.set_line_pointer(kHighKeySlot, {offset, size, LineFlags::kNormal});
  page.set_lower(lower);
  page.set_upper(offset);
  std::memset(page.data() + lower, 0, offset - lower);
  std::memcpy(page.data() + offset, high_key.data(), size);
}

// A level's last page has no high key: its data items move up to line pointer 1.
void RemoveHighKeySlot(PageWriter page) {
  const std::uint32_t begin = slotted_v4::kHeaderSize;
  const std::uint32_t lower = page.view().lower() - slotted_v4::kLinePointerSize;
  std::memmove(page.data() + begin, page.data() + begin + slotted_v4::kLinePointerSize,
               lower - begin);
  StoreLittleEndian(page.data() + lower, std::uint32_t{0});
  page.set_lower(lower);
}

}  // namespace

// The page of a level that is being filled, and what its parent will be told.
struct BulkBuild::Level {
  std::uint32_t number = 0;         // 0: leaves
  std::uint32_t free_target = 0;    // bytes that the fill factor leaves free
  BlockNumber block = 0;            // of the page being filled
  std::vector<std::uint8_t> bytes;  // of that page
  std::vector<std::uint8_t> next_bytes;
  OffsetNumber last_slot = kHighKeySlot;
  // Size of the last item's posting list. Should the item become the high key, it will be without
  // the list, so the list does not count against the fill factor.
  std::uint32_t last_posting_size = 0;
  std::vector<std::uint8_t> low_key;   // what the downlink to the page will hold: the high key of
                                       // its left sibling, or minus infinity
  std::vector<std::uint8_t> downlink;  // to the page finished last
  std::vector<std::uint8_t> high_key;

  bool is_leaf() const { return number == 0; }
  PageWriter page() { return PageWriter(bytes); }
  nbtree::NbtreePage view() const { return nbtree::NbtreePage(PageView(bytes)); }
};

std::uint32_t MaxBuildTupleSize(std::uint32_t page_size) {
  return std::min(nbtree::Limits{page_size}.MaxItemSize(),
                  MaxAlignDown(index_tuple::kSizeMask) - MaxAlign(index_tuple::kTidSize));
}

BulkBuild::BulkBuild(const Schema& schema, const BuildOptions& options, PageSink* sink)
    : schema_(schema),
      options_(options),
      sink_(sink),
      collects_(schema.all_equal_image() && !schema.unique() && options.deduplicate) {
  CHECK(slotted_v4::IsPageSize(options.page_size));
  CHECK(options.fillfactor >= nbtree::kFillFactorMin);
  CHECK(options.fillfactor <= nbtree::kFillFactorMax);
}

BulkBuild::~BulkBuild() = default;

absl::Status BulkBuild::Add(TupleView tuple) {
  CHECK(nbtree::KindOf(tuple) == nbtree::TupleKind::kPlain);
  CHECK(tuple.size() == tuple.stored_size());
  CHECK(tuple.size() <= MaxBuildTupleSize(options_.page_size));
  if (!collects_) return AddToTree(0, tuple, 0);
  if (JoinsPending(tuple)) {
    pending_tids_.push_back(tuple.tid());
    return absl::OkStatus();
  }
  const absl::Status status = FlushPending();
  pending_.assign(tuple.data(), tuple.data() + tuple.size());
  pending_tids_.assign(1, tuple.tid());
  return status;
}

// Whether the row has the same key and the posting list may still grow. Where posting lists are
// allowed at all, tuples formed of the same values have the same bytes after t_tid.
bool BulkBuild::JoinsPending(TupleView tuple) const {
  if (pending_tids_.empty() || pending_.size() != tuple.size()) return false;
  const std::size_t key = index_tuple::kInfo.offset;
  if (std::memcmp(pending_.data() + key, tuple.data() + key, tuple.size() - key) != 0) return false;
  const auto count = static_cast<std::uint32_t>(pending_tids_.size()) + 1;
  return MaxAlign(tuple.size() + count * index_tuple::kTidSize) <=
         nbtree::Limits{options_.page_size}.MaxPostingSizeInBuild();
}

absl::Status BulkBuild::FlushPending() {
  if (pending_tids_.empty()) return absl::OkStatus();
  if (pending_tids_.size() < nbtree::kPostingMinTids) return AddToTree(0, ViewOf(pending_), 0);
  posting_.clear();
  nbtree::FormPosting(ViewOf(pending_), pending_tids_, &posting_);
  const TupleView posting = ViewOf(posting_);
  return AddToTree(0, posting, posting.size() - nbtree::PostingOffset(posting));
}

// Appends `item` to a level; as long as that finishes a page, the page's downlink to the level
// above.
absl::Status BulkBuild::AddToTree(std::size_t number, TupleView item, std::uint32_t posting_size) {
  for (;;) {
    if (number == levels_.size()) AddLevel();
    Level* level = levels_[number].get();
    const bool has_room = HasRoom(level, item.size());
    level->last_posting_size = posting_size;
    if (!has_room) {
      const absl::Status status = FinishPage(level);
      if (!status.ok()) return status;
    }
    AppendItem(level, item);
    if (has_room) return absl::OkStatus();
    item = ViewOf(level->downlink);
    posting_size = 0;
    ++number;
  }
}

void BulkBuild::AddLevel() {
  auto level = std::make_unique<Level>();
  level->number = static_cast<std::uint32_t>(levels_.size());
  const std::uint32_t fillfactor =
      level->is_leaf() ? options_.fillfactor : nbtree::kFillFactorInternal;
  level->free_target = options_.page_size * (100 - fillfactor) / 100;
  nbtree::FormMinusInfinity(0, &level->low_key);
  StartPage(level.get());
  levels_.push_back(std::move(level));
}

// The hard limit keeps place for the heap TID that the high key of a leaf may need. The soft limit
// is the fill factor's; a page has to have two items before that counts.
bool BulkBuild::HasRoom(Level* level, std::uint32_t item_size) {
  const std::uint32_t free = level->page().FreeSpace();
  const std::uint32_t reserved = level->is_leaf() ? MaxAlign(index_tuple::kTidSize) : 0;
  if (free < item_size + reserved) return false;
  return level->last_slot <= kFirstDataSlot ||
         free + level->last_posting_size >= level->free_target;
}

// Appends an item for which there is room. The first item of an internal page keeps its downlink
// alone: nothing is below it.
void BulkBuild::AppendItem(Level* level, TupleView item) {
  ++level->last_slot;
  if (level->is_leaf() || level->last_slot != kFirstDataSlot) {
    level->page().AppendItem(item.bytes());
    return;
  }
  std::vector<std::uint8_t> minus_infinity;
  nbtree::FormMinusInfinity(nbtree::Downlink(item), &minus_infinity);
  level->page().AppendItem(minus_infinity);
}

// Takes the next block for an empty page of the level, its first line pointer reserved.
void BulkBuild::StartPage(Level* level) {
  CHECK(page_count_ != kInvalidBlock);
  level->block = page_count_++;
  level->bytes.resize(options_.page_size);
  level->last_slot = kHighKeySlot;
  PageWriter page = level->page();
  nbtree::InitializePage(page, level->number, level->is_leaf() ? nbtree::kLeaf : 0);
  page.set_lower(page.view().lower() + slotted_v4::kLinePointerSize);
}

// Writes the page of a level out, its last item turned into its high key, and starts the next page
// with that item. Leaves the downlink to the finished page in level->downlink.
absl::Status BulkBuild::FinishPage(Level* level) {
  CHECK(level->last_slot > kFirstDataSlot);
  level->next_bytes.swap(level->bytes);
  const PageWriter finished(level->next_bytes);
  const nbtree::NbtreePage view((PageView(level->next_bytes)));
  const BlockNumber block = level->block;
  const OffsetNumber last_slot = level->last_slot;
  const TupleView last = view.tuple(last_slot);
  StartPage(level);
  AppendItem(level, last);

  nbtree::SetPrev(level->page(), block);
  nbtree::SetNext(finished, level->block);
  level->high_key.clear();
  if (level->is_leaf()) {
    nbtree::TruncateForHighKey(schema_, view.tuple(last_slot - 1), last, &level->high_key);
  } else {
    level->high_key.assign(last.data(), last.data() + last.size());
  }
  ReplaceLastByHighKey(finished, last_slot, level->high_key);

  nbtree::SetDownlink(level->low_key.data(), block);
  level->downlink.swap(level->low_key);
  level->low_key = level->high_key;
  return WritePage(block, finished);
}

absl::Status BulkBuild::Finish() {
  absl::Status status = FlushPending();
  if (!status.ok()) return status;
  nbtree::MetaPage meta;
  for (std::size_t number = 0; number < levels_.size(); ++number) {
    Level* level = levels_[number].get();
    const PageWriter page = level->page();
    if (number + 1 == levels_.size()) {
      nbtree::SetFlags(page, level->view().flags() | nbtree::kRoot);
      meta.root = level->block;
      meta.level = level->number;
    } else {
      // This may finish pages above, and even begin another level.
      nbtree::SetDownlink(level->low_key.data(), level->block);
      status = AddToTree(number + 1, ViewOf(level->low_key), 0);
      if (!status.ok()) return status;
    }
    RemoveHighKeySlot(page);
    status = WritePage(level->block, page);
    if (!status.ok()) return status;
  }
  meta.magic = nbtree::kMagicNumber;
  meta.version = nbtree::kVersionMax;
  meta.fast_root = meta.root;
  meta.fast_level = meta.level;
  meta.all_equal_image = schema_.all_equal_image();
  std::vector<std::uint8_t> bytes(options_.page_size);
  const PageWriter page(bytes);
  nbtree::InitializeMetaPage(page, meta);
  return WritePage(nbtree::kMetaBlock, page);
}

absl::Status BulkBuild::WritePage(BlockNumber block, PageWriter page) {
  page.set_lsn(options_.lsn);
  if (options_.checksums) SetChecksum(page.bytes(), block);
  return sink_->WritePage(block, page.view().bytes());
}

}  // namespace tornleaf

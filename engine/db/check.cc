#include "engine/db/check.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/build/index_rows.h"
#include "engine/db/layout.h"
#include "engine/format/nbtree_page.h"
#include "engine/store/relation_file.h"

namespace tornleaf {

namespace {

std::string TidText(ItemPointer tid) { return absl::StrCat("(", tid.block, ",", tid.offset, ")"); }

// Goes through an index whose pages hold to every rule.
class RowCheck {
 public:
  RowCheck(Database* database, RelationFile* pages, std::uint32_t problems_max,
           DatabaseCheck* check)
      : database_(database), pages_(pages), problems_max_(problems_max), check_(check) {}

  absl::Status Run() {
    absl::Status status = CheckDeadItems();
    if (status.ok()) status = CheckRows();
    return status;
  }

 private:
  void Add(std::string problem) {
    if (check_->problems.size() < problems_max_) check_->problems.push_back(std::move(problem));
  }

  absl::Status CheckDeadItems() {
    std::vector<std::uint8_t> buffer(pages_->page_size());
    for (BlockNumber block = nbtree::kMetaBlock + 1; block < pages_->block_count(); ++block) {
      const ByteView bytes = pages_->ReadSequential(block, buffer);
      if (bytes.empty()) return pages_->status();
      if (PageView(bytes).is_new()) continue;
      const nbtree::NbtreePage page{PageView(bytes)};
      if (!page.is_leaf() || page.is_ignorable()) continue;
      CheckDeadItemsOf(page, block);
    }
    return absl::OkStatus();
  }

  void CheckDeadItemsOf(const nbtree::NbtreePage& page, BlockNumber block) {
    for (OffsetNumber slot = page.first_data_slot(); slot <= page.item_count(); ++slot) {
      if (page.page().line_pointer(slot).flags != LineFlags::kDead) continue;
      const TupleView tuple = page.tuple(slot);
      const bool posting = nbtree::KindOf(tuple) == nbtree::TupleKind::kPosting;
      const std::uint32_t count = posting ? nbtree::PostingCount(tuple) : 1;
      for (std::uint32_t index = 0; index < count; ++index) {
        const ItemPointer tid = posting ? nbtree::PostingTid(tuple, index) : tuple.tid();
        ++check_->deleted_entries;
        if (database_->IsDeleted(tid)) continue;
        Add(
            absl::StrFormat("page %u slot %u: the item is marked dead, and its row %s is not "
                            "deleted",
                            block, slot, TidText(tid)));
      }
    }
  }

  absl::Status CheckRows() {
    const Schema& schema = database_->schema();
    IndexRows rows(schema, pages_);
    std::vector<std::uint8_t> last_bytes;
    DeformedTuple last;
    ItemPointer last_tid;
    while (true) {
      const absl::StatusOr<bool> more = rows.Next();
      if (!more.ok() || !*more) return more.status();
      if (database_->IsDeleted(rows.tid())) {
        ++check_->deleted_entries;
        continue;
      }
      ++check_->live_rows;
      if (!schema.unique()) continue;
      if (!last_bytes.empty() && SameKey(last.values(), rows.values())) {
        Add(absl::StrCat("rows ", TidText(last_tid), " and ", TidText(rows.tid()),
                         " have the same key in a unique index"));
      }
      last_bytes.clear();
      last_tid = rows.tid();
      const std::uint32_t size =
          FormTuple(schema, rows.values(), schema.key_count(), last_tid, &last_bytes);
      CHECK(size != 0);
      CHECK(last.Deform(schema, TupleView(last_bytes), schema.key_count(), size).ok());
    }
  }

  bool SameKey(const Value* a, const Value* b) const {
    const Schema& schema = database_->schema();
    for (std::uint32_t index = 0; index < schema.key_count(); ++index) {
      if (a[index].is_null != b[index].is_null) return false;
      if (a[index].is_null) {
        if (!schema.nulls_not_distinct()) return false;
        continue;
      }
      const Attribute& attribute = schema.attribute(index);
      if (attribute.compare(attribute, a[index], b[index]) != 0) return false;
    }
    return true;
  }

  Database* database_;
  RelationFile* pages_;
  std::uint32_t problems_max_;
  DatabaseCheck* check_;
};

}  // namespace

absl::StatusOr<DatabaseCheck> CheckDatabase(const Environment& environment, OverlayDevice* overlay,
                                            const std::string& directory,
                                            const DatabaseCheckOptions& options) {
  Environment above = environment;
  above.device = overlay;
  const absl::StatusOr<std::unique_ptr<Database>> opened =
      Database::Open(above, directory, options.open);
  if (!opened.ok()) return opened.status();
  Database* const database = opened->get();
  DatabaseCheck check;
  for (const auto& [operation, count] : database->recovery().applied) {
    check.records_replayed += count;
  }
  check.deleted_rows = database->deleted_rows();
  const absl::Status written = database->Checkpoint();
  if (!written.ok()) return written;

  const absl::StatusOr<std::unique_ptr<RelationFile>> pages = RelationFile::Open(
      overlay, Layout(directory).index(), database->format().relation_segment_bytes);
  if (!pages.ok()) return pages.status();
  VerifyOptions verify;
  verify.schema = &database->schema();
  verify.checksums = database->format().checksums ? ChecksumMode::kOn : ChecksumMode::kOff;
  verify.findings_max = options.findings_max;
  verify.progress = options.progress;
  check.checksums = verify.checksums;
  check.index = Verify(pages->get(), verify);
  if (!(*pages)->status().ok()) return (*pages)->status();
  if (!check.rows_counted()) return check;
  const absl::Status status = RowCheck(database, pages->get(), options.findings_max, &check).Run();
  if (!status.ok()) return status;
  return check;
}

}  // namespace tornleaf

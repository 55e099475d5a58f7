#include "engine/db/state.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/format/nbtree_tuple.h"
#include "engine/tree/search.h"

namespace tornleaf {

namespace {

absl::StatusOr<std::unique_ptr<Relation>> OpenRelation(const Environment& environment,
                                                       const RelationId& id,
                                                       const std::string& path,
                                                       const DatabaseFormat& format,
                                                       BlockNumber blocks_min, bool create) {
  RelationOptions options;
  options.id = id;
  options.path = path;
  options.page_size = format.page_size;
  options.segment_bytes = format.relation_segment_bytes;
  options.checksums = format.checksums;
  options.blocks_min = blocks_min;
  absl::StatusOr<std::unique_ptr<Relation>> relation =
      Relation::Open(environment, std::move(options), create);
  if (!absl::IsNotFound(relation.status())) return relation;
  // A database that has lost a file is a damaged one.
  return absl::DataLossError(absl::StrCat(path, ": the file is missing; restore it"));
}

DatabaseFormat FormatOf(const TreeOptions& tree) {
  DatabaseFormat format;
  format.tree = tree;
  return format;
}

bool HasRow(TupleView tuple, ItemPointer tid) {
  if (nbtree::KindOf(tuple) != nbtree::TupleKind::kPosting) return tuple.tid() == tid;
  std::uint32_t low = 0;
  std::uint32_t high = nbtree::PostingCount(tuple);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const ItemPointer at = nbtree::PostingTid(tuple, middle);
    if (at == tid) return true;
    if (at < tid) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

}  // namespace

Database::State::State(const Environment& environment_, Layout layout_, SchemaFile schema_file,
                       const DatabaseOptions& options_)
    : environment(environment_),
      layout(std::move(layout_)),
      schema(std::move(schema_file.schema)),
      format(FormatOf(schema_file.tree)),
      options(options_),
      index_guard(&schema),
      free_pages(environment.executor),
      vacuum_latch(environment.executor->NewLatch("vacuum")),
      failure_latch(environment.executor->NewLatch("failure")) {}

absl::Status Database::State::OpenRelations(const wal::ControlData& data, bool create) {
  format.page_size = data.page_size;
  format.checksums = data.checksums;
  format.full_page_images = data.full_page_images;
  format.log_segment_bytes = data.log_segment_bytes;
  format.log_page_bytes = data.log_page_bytes;
  format.relation_segment_bytes = data.relation_segment_bytes;
  absl::StatusOr<std::unique_ptr<Relation>> opened =
      OpenRelation(environment, kIndexRelation, layout.index(), format, data.index_pages, create);
  if (!opened.ok()) return opened.status();
  index_file = *std::move(opened);
  opened = OpenRelation(environment, kDeadRowsRelation, layout.dead_rows(), format,
                        data.dead_rows_pages, create);
  if (!opened.ok()) return opened.status();
  dead_rows_file = *std::move(opened);

  pool = std::make_unique<BufferPool>(environment, options.frames, format.page_size, nullptr);
  index = pool->Attach(index_file.get(), &index_guard);
  dead_rows_pages = pool->Attach(dead_rows_file.get(), &dead_rows_guard);
  return absl::OkStatus();
}

absl::Status Database::State::StartLog(const wal::ControlData& data, const Recovered& recovered,
                                       Lsn redo) {
  wal::LogOptions log_options;
  log_options.folder = layout.wal();
  log_options.segment_bytes = format.log_segment_bytes;
  log_options.page_bytes = format.log_page_bytes;
  log_options.system_identifier = data.system_identifier;
  log_options.full_page_images = format.full_page_images;
  absl::StatusOr<std::unique_ptr<wal::Log>> opened =
      wal::Log::Open(environment, log_options, recovered.end, recovered.last_record, redo);
  if (!opened.ok()) return opened.status();
  log = *std::move(opened);
  pool->SetLog(log.get());

  transactions = std::make_unique<Transactions>(environment.executor, recovered.next_xid);
  dead_rows = std::make_unique<DeadRows>(environment.executor, pool.get(), dead_rows_pages,
                                         kDeadRowsRelation, log.get());
  Tree::Parts parts;
  parts.schema = &schema;
  parts.executor = environment.executor;
  parts.pool = pool.get();
  parts.relation = index;
  parts.relation_id = kIndexRelation;
  parts.log = log.get();
  parts.liveness = dead_rows.get();
  parts.transactions = transactions.get();
  parts.free_pages = &free_pages;
  format.tree.log_hints = format.checksums;
  tree = std::make_unique<Tree>(parts, format.tree);
  checkpointer = std::make_unique<Checkpointer>(
      Checkpointer::Parts{environment, pool.get(), index, dead_rows_pages, log.get(),
                          transactions.get(), control.get()});
  return absl::OkStatus();
}

absl::Status Database::State::Usable() const {
  if (stopped.load(std::memory_order_acquire)) return failure;
  const absl::Status status = log->status();
  if (status.ok()) return status;
  return absl::FailedPreconditionError(
      absl::StrCat("the log could not be written (", status.message(),
                   "); open the database again, which recovers it"));
}

absl::Status Database::State::Fail(const absl::Status& status) {
  Stop(absl::FailedPreconditionError(
      absl::StrCat("an earlier error (", status.message(),
                   ") left files in doubt; open the database again, which recovers it")));
  return status;
}

void Database::State::Stop(const absl::Status& reason) {
  const std::lock_guard<Latch> hold(*failure_latch);
  if (stopped.load(std::memory_order_relaxed)) return;
  failure = reason;
  stopped.store(true, std::memory_order_release);
}

void Database::State::CheckpointIfDue() {
  const absl::Status status = checkpointer->RunIfDue(options.checkpoint_distance);
  if (status.ok()) return;
  MARK("database.automatic_checkpoint_failed");
  (void)Fail(status);
}

absl::StatusOr<PageRef> Database::State::HoldRow(const Value* key, ItemPointer tid) {
  SearchKey search;
  search.values = key;
  search.count = schema.key_count();
  search.tid = tid;
  const LinkUse links(transactions.get());
  absl::StatusOr<PageRef> leaf = FindLeaf(tree.get(), search, Access::kRead, nullptr);
  if (!leaf.ok() || !leaf->valid()) return leaf;
  const nbtree::NbtreePage page(leaf->view());
  const OffsetNumber slot = SearchPage(*tree, search, page);
  if (slot <= page.item_count() && CompareToItem(*tree, search, page, slot) == 0 &&
      HasRow(page.tuple(slot), tid)) {
    return leaf;
  }
  return PageRef();
}

}  // namespace tornleaf

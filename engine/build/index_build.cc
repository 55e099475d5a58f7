#include "engine/build/index_build.h"

#include "absl/strings/str_cat.h"
#include "engine/key/compare.h"

namespace tornleaf {

namespace {

// Tuples this many places ahead in sorted order are on their way to the cache.
constexpr std::size_t kPrefetchAhead = 8;

absl::Status AddSorted(const Schema& schema, const BuildOptions& options, RowReader* rows,
                       BulkBuild* build, BuildSummary* summary) {
  OrderCheck order(schema);
  std::vector<std::uint8_t> tuple;
  for (;;) {
    const absl::StatusOr<bool> read = rows->Next();
    if (!read.ok()) return read.status();
    if (!*read) return absl::OkStatus();
    ++summary->rows;
    absl::Status status =
        FormRow(schema, options.page_size, summary->rows, rows->values(), rows->tid(), &tuple);
    if (status.ok()) status = order.Add(TupleView(tuple));
    if (status.ok()) status = build->Add(TupleView(tuple));
    if (!status.ok()) return status;
  }
}

absl::Status SortAndAdd(const Schema& schema, const BuildOptions& options, RowReader* rows,
                        BulkBuild* build, BuildSummary* summary) {
  TupleSort sort(schema);
  std::vector<std::uint8_t> tuple;
  for (;;) {
    const absl::StatusOr<bool> read = rows->Next();
    if (!read.ok()) return read.status();
    if (!*read) break;
    ++summary->rows;
    const absl::Status status =
        FormRow(schema, options.page_size, summary->rows, rows->values(), rows->tid(), &tuple);
    if (!status.ok()) return status;
    sort.Add(TupleView(tuple), rows->values());
  }
  return AddAllSorted(&sort, build);
}

}  // namespace

absl::Status AddAllSorted(TupleSort* sort, BulkBuild* build) {
  absl::Status status = sort->Sort();
  for (std::size_t index = 0; status.ok() && index < sort->size(); ++index) {
    if (index + kPrefetchAhead < sort->size()) sort->Prefetch(index + kPrefetchAhead);
    status = build->Add(sort->tuple(index));
  }
  return status;
}

absl::Status FormRow(const Schema& schema, std::uint32_t page_size, std::uint64_t number,
                     const Value* values, ItemPointer tid, std::vector<std::uint8_t>* bytes) {
  const std::uint32_t last_offset = nbtree::Limits{page_size}.MaxHeapOffset();
  if (tid.offset > last_offset) {
    return absl::InvalidArgumentError(
        absl::StrCat("row ", number, ": no table has a row at (", tid.block, ",", tid.offset,
                     "): offsets on a page of ", page_size, " bytes end at ", last_offset));
  }
  bytes->clear();
  const std::uint32_t size = FormTuple(schema, values, schema.attribute_count(), tid, bytes);
  const std::uint32_t limit = MaxBuildTupleSize(page_size);
  if (size != 0 && size <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("row ", number, ": index row size ",
                   size == 0 ? absl::StrCat("above ", index_tuple::kSizeMask) : absl::StrCat(size),
                   " exceeds the maximum ", limit, " of a page of ", page_size, " bytes"));
}

absl::Status OrderCheck::Add(TupleView tuple) {
  ++count_;
  if (!schema_.order_known()) return absl::OkStatus();
  CHECK(next_.Deform(schema_, tuple, schema_.attribute_count(), tuple.size()).ok());
  if (count_ > 1) {
    const ItemPointer last_tid = TupleView(last_tuple_).tid();
    const int order = CompareKeys(schema_, last_.values(), next_.values(), schema_.key_count());
    if (order > 0 || (order == 0 && last_tid > tuple.tid())) {
      return absl::InvalidArgumentError(
          absl::StrCat("row ", count_, " comes before row ", count_ - 1,
                       " in the order of the index: sort the rows, or build without --sorted"));
    }
    if (order == 0 && !EqualKeysAllowed(schema_, next_.values(), last_tid, tuple.tid())) {
      return EqualKeysError({count_ - 1, last_tid}, {count_, tuple.tid()});
    }
  }
  last_tuple_.assign(tuple.data(), tuple.data() + tuple.size());
  CHECK(
      last_.Deform(schema_, TupleView(last_tuple_), schema_.attribute_count(), tuple.size()).ok());
  return absl::OkStatus();
}

absl::Status BuildIndex(const Schema& schema, const BuildOptions& options, const BuildInput& input,
                        PageSink* sink, BuildSummary* summary) {
  if (!input.sorted && !schema.order_known()) {
    return absl::FailedPreconditionError(
        "a key column has a collation of the C library, whose order is known only to the server "
        "that the rows come from: give the rows in index order and say --sorted");
  }
  *summary = BuildSummary();
  RowReader rows(schema, input.rows, input.plain_headers);
  BulkBuild build(schema, options, sink);
  absl::Status status = input.sorted ? AddSorted(schema, options, &rows, &build, summary)
                                     : SortAndAdd(schema, options, &rows, &build, summary);
  if (status.ok()) status = build.Finish();
  summary->pages = build.page_count();
  return status;
}

}  // namespace tornleaf

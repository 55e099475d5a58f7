// Random insertions and deletions against a model, over many kinds of index and sizes of page.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/tree/replica_test_util.h"
#include "engine/tree/tree_test_util.h"

namespace tornleaf {
namespace {

struct Shape {
  const char* name;
  const char* schema;
  std::uint32_t distinct;  // values of each column; few of them make duplicates
  std::uint32_t page_size;
  bool unique = false;
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

// One value of a column, as its text form.
std::string RandomText(const Attribute& attribute, std::uint32_t distinct, Prng* prng) {
  const std::uint64_t number = prng->Below(distinct);
  switch (attribute.type) {
    case TypeId::kText: {
      // Of many lengths, with long common beginnings.
      std::string text = number % 3 == 0 ? "https://example.org/a/rather/long/path/" : "k";
      text += std::to_string(number * 7919 % 100003);
      text.append(number % 5 * 4, static_cast<char>('a' + number % 26));
      return text;
    }
    case TypeId::kInt2:
      return std::to_string(static_cast<std::int64_t>(number % 30000) - 15000);
    default:
      return std::to_string(static_cast<std::int64_t>(number) - distinct / 2);
  }
}

class RandomWork : public testing::TestWithParam<Shape> {
 protected:
  RandomWork() : index_(GetParam().schema, Options()), model_(RowLess{&index_.schema}) {}

  static TestIndexOptions Options() {
    TestIndexOptions options;
    options.page_size = GetParam().page_size;
    options.frames = 8;
    return options;
  }

  TestRow RandomRow() {
    TestRow row;
    for (const Attribute& attribute : index_.schema.attributes()) {
      if (prng_.Chance(1, 20)) {
        row.columns.emplace_back();
      } else {
        row.columns.emplace_back(
            Stored(attribute.type, RandomText(attribute, GetParam().distinct, &prng_)));
      }
    }
    row.tid = FreshTid();
    return row;
  }

  // Row addresses in no order, each once.
  ItemPointer FreshTid() {
    for (;;) {
      const ItemPointer tid{static_cast<BlockNumber>(prng_.Below(4000)),
                            static_cast<OffsetNumber>(1 + prng_.Below(8))};
      if (tids_.insert(tid).second) return tid;
    }
  }

  // A live row with the same key, if that is forbidden.
  const TestRow* ConflictOf(const TestRow& row) const {
    if (!GetParam().unique) return nullptr;
    const std::uint32_t count = index_.schema.key_count();
    for (std::uint32_t index = 0; index < count; ++index) {
      if (!row.columns[index].has_value() && !index_.schema.nulls_not_distinct()) return nullptr;
    }
    TestRow least = row;
    least.tid = {0, 0};
    const auto found = model_.lower_bound(least);
    if (found == model_.end()) return nullptr;
    const bool equal =
        CompareKeys(index_.schema, found->Values().data(), row.Values().data(), count) == 0;
    return equal ? &*found : nullptr;
  }

  void InsertOne() {
    const TestRow row = RandomRow();
    const TestRow* conflict = ConflictOf(row);
    const absl::StatusOr<InsertResult> result = index_.Insert(
        row, GetParam().unique ? UniqueCheck::kEnforce : UniqueCheck::kNone, prng_.Chance(1, 4));
    ASSERT_TRUE(result.ok()) << result.status();
    if (conflict != nullptr) {
      ASSERT_EQ(result->outcome, InsertResult::kConflict);
      ASSERT_EQ(result->conflict, conflict->tid);
      return;
    }
    ASSERT_EQ(result->outcome, InsertResult::kInserted);
    model_.insert(row);
  }

  void InsertAgain() {
    if (model_.empty()) return;
    const TestRow row = *RandomModelRow();
    const absl::StatusOr<InsertResult> result = index_.Insert(row);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(result->outcome, InsertResult::kAlreadyThere);
  }

  RowModel::iterator RandomModelRow() {
    const TestRow row = RandomRow();
    const auto found = model_.lower_bound(row);
    return found == model_.end() ? model_.begin() : found;
  }

  void DeleteOne() {
    if (model_.empty()) return;
    const auto victim = RandomModelRow();
    index_.liveness.Kill(victim->tid);
    model_.erase(victim);
  }

  void CompareScans() {
    const std::vector<TestRow> expected(model_.begin(), model_.end());
    ASSERT_EQ(index_.Rows(), expected);
    ScanRequest backward;
    backward.backward = true;
    const std::vector<TestRow> reversed(model_.rbegin(), model_.rend());
    ASSERT_EQ(index_.Rows(backward), reversed);
    Scan count(index_.tree.get(), {});
    const absl::StatusOr<std::uint64_t> rows = count.CountRest();
    ASSERT_TRUE(rows.ok()) << rows.status();
    ASSERT_EQ(*rows, expected.size());
  }

  // A range between two random keys of random numbers of columns, in both directions.
  void CompareRange() {
    const TestRow low = RandomRow();
    const TestRow high = RandomRow();
    const auto low_count = static_cast<std::uint32_t>(prng_.Below(index_.schema.key_count() + 1));
    const auto high_count = static_cast<std::uint32_t>(prng_.Below(index_.schema.key_count() + 1));
    ScanRequest request;
    request.lower.values = low.Values();
    request.lower.values.resize(low_count);
    request.lower.inclusive = prng_.Chance(1, 2);
    request.upper.values = high.Values();
    request.upper.values.resize(high_count);
    request.upper.inclusive = prng_.Chance(1, 2);
    std::vector<TestRow> expected;
    for (const TestRow& row : model_) {
      const std::vector<Value> values = row.Values();
      const int to_low =
          CompareKeys(index_.schema, values.data(), request.lower.values.data(), low_count);
      const int to_high =
          CompareKeys(index_.schema, values.data(), request.upper.values.data(), high_count);
      const bool above = low_count == 0 || to_low > 0 || (to_low == 0 && request.lower.inclusive);
      const bool below =
          high_count == 0 || to_high < 0 || (to_high == 0 && request.upper.inclusive);
      if (above && below) expected.push_back(row);
    }
    ASSERT_EQ(index_.Rows(request), expected);
    Scan count(index_.tree.get(), request);
    const absl::StatusOr<std::uint64_t> rows = count.CountRest();
    ASSERT_TRUE(rows.ok()) << rows.status();
    ASSERT_EQ(*rows, expected.size());
    request.backward = true;
    std::reverse(expected.begin(), expected.end());
    ASSERT_EQ(index_.Rows(request), expected);
  }

  void CompareLookup() {
    const TestRow wanted = prng_.Chance(1, 2) || model_.empty() ? RandomRow() : *RandomModelRow();
    const std::vector<Value> values = wanted.Values();
    const auto count = static_cast<std::uint32_t>(1 + prng_.Below(index_.schema.key_count()));
    std::vector<ItemPointer> expected;
    for (const TestRow& row : model_) {
      if (CompareKeys(index_.schema, row.Values().data(), values.data(), count) == 0) {
        expected.push_back(row.tid);
      }
    }
    std::vector<ItemPointer> tids;
    const absl::Status status = Lookup(index_.tree.get(), values.data(), count, &tids);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_EQ(tids, expected);
  }

  void CheckPages() {
    const VerifyReport report = index_.Verify();
    ASSERT_TRUE(report.clean()) << FindingsOf(report);
  }

  TestIndex index_;
  RowModel model_;
  std::set<ItemPointer> tids_;
  Prng prng_{17, GetParam().name};
};

TEST_P(RandomWork, GivesWhatTheModelHolds) {
  for (int batch = 0; batch < 8; ++batch) {
    // The first batches grow the tree, later ones also shrink it.
    const std::uint64_t deletions = static_cast<std::uint64_t>(batch);
    for (int operation = 0; operation < 250; ++operation) {
      const std::uint64_t draw = prng_.Below(20);
      if (draw < deletions) {
        ASSERT_NO_FATAL_FAILURE(DeleteOne());
      } else if (draw == 19) {
        ASSERT_NO_FATAL_FAILURE(InsertAgain());
      } else {
        ASSERT_NO_FATAL_FAILURE(InsertOne());
      }
    }
    ASSERT_NO_FATAL_FAILURE(CheckPages());
    ASSERT_NO_FATAL_FAILURE(CompareScans());
    for (int range = 0; range < 10; ++range) {
      ASSERT_NO_FATAL_FAILURE(CompareRange());
      ASSERT_NO_FATAL_FAILURE(CompareLookup());
    }
  }
  ExpectRedoGivesItsPages(&index_);
}

// With images, as after a checkpoint now and then.
TEST_P(RandomWork, IsRedoneWithImages) {
  index_.log.full_page_images = true;
  for (int operation = 0; operation < 800; ++operation) {
    if (operation % 100 == 0) index_.log.BeginCheckpoint();
    if (prng_.Chance(1, 5)) {
      ASSERT_NO_FATAL_FAILURE(DeleteOne());
    } else {
      ASSERT_NO_FATAL_FAILURE(InsertOne());
    }
  }
  ExpectRedoGivesItsPages(&index_);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RandomWork,
    testing::Values(
        Shape{"int4", "int4", 100000, 512}, Shape{"int4_few", "int4", 20, 512},
        Shape{"int4_some_large_pages", "int4", 200, 8192}, Shape{"int8", "int8", 100000, 1024},
        Shape{"int8_desc", "int8 desc", 500, 512},
        Shape{"int2_nulls_first", "int2 nulls first", 300, 512}, Shape{"oid", "oid", 1000000, 512},
        Shape{"text", "text", 100000, 1024}, Shape{"text_few", "text", 15, 1024},
        Shape{"text_icu", "text collate \"und-x-icu\"", 3000, 1024},
        Shape{"int4_text", "int4, text", 40, 1024}, Shape{"text_int4", "text, int4 desc", 30, 1024},
        Shape{"numeric", "numeric", 300, 512}, Shape{"float8", "float8 desc nulls last", 50, 512},
        Shape{"include", "int4; include text", 300, 1024},
        Shape{"unique", "int4; unique", 1500, 512, true},
        Shape{"unique_text", "text; unique", 1500, 1024, true},
        Shape{"unique_nulls", "int4; unique nulls not distinct", 1500, 512, true},
        Shape{"unique_two", "int4, int4; unique", 35, 512, true}),
    [](const testing::TestParamInfo<Shape>& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace tornleaf

// The engine's redo against a real server: its log brings an index file from what it was to what it
// became, and pg_waldump counts the same records.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "corpus/log_fixture.h"
#include "engine/format/nbtree_mask.h"
#include "engine/tree/dedup.h"
#include "engine/tree/redo.h"
#include "engine/tree/split_point.h"
#include "engine/tree/tree.h"
#include "engine/wal/log_reader.h"
#include "engine/wal/record/names.h"
#include "engine/wal/record/nbtree_records.h"
#include "engine/wal/segment.h"
#include "tests/support/test_environment.h"

namespace tornleaf {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr const char* kCorpus = "corpus/postgres_wal";

std::vector<std::string> Names() {
  const absl::StatusOr<std::vector<std::string>> names = ListFixtures(kCorpus);
  CHECK(names.ok());
  return *names;
}

LogFixture Load(const std::string& name) {
  absl::StatusOr<LogFixture> fixture = ReadLogFixture(absl::StrCat(kCorpus, "/", name));
  CHECK(fixture.ok());
  return *std::move(fixture);
}

std::string NameOf(const std::pair<std::uint8_t, std::uint8_t>& type) {
  return std::string(wal::OperationName(type.first, type.second).view());
}

// A replay of one fixture in memory.
class Replay {
 public:
  explicit Replay(const LogFixture& fixture) : fixture_(fixture) {
    const absl::StatusOr<Schema> schema = Schema::Parse(fixture.schema);
    CHECK(schema.ok());
    schema_ = std::make_unique<Schema>(*schema);
    guard_ = std::make_unique<TreePageGuard>(schema_.get());
    PutLog();
    test_.device.Put("index", fixture.before);
    RelationOptions options;
    options.id = {fixture.relation[0], fixture.relation[1], fixture.relation[2]};
    options.path = "index";
    options.checksums = fixture.checksums;
    absl::StatusOr<std::unique_ptr<Relation>> relation =
        Relation::Open(test_.environment(), options, false);
    CHECK(relation.ok());
    relation_ = *std::move(relation);
    // Few frames, so that pages are written and read again on the way.
    pool_ = std::make_unique<BufferPool>(test_.environment(), 16, 8192, nullptr);
    pooled_ = pool_->Attach(relation_.get(), guard_.get());
    redo_ = std::make_unique<Redo>(pool_.get());
    redo_->AddRelation(options.id, pooled_);
  }

  const Schema& schema() const { return *schema_; }
  const RedoSummary& summary() const { return redo_->summary(); }

  // Calls `before` and `after` with every record before and after it is applied.
  template <typename Before, typename After>
  absl::Status Run(Before before, After after) {
    absl::StatusOr<std::unique_ptr<wal::LogReader>> reader =
        wal::LogReader::Open(&test_.device, "wal", 0);
    if (!reader.ok()) return reader.status();
    for (;;) {
      const absl::StatusOr<bool> more = (*reader)->Next();
      if (!more.ok()) return more.status();
      if (!*more) break;
      before((*reader)->record());
      const absl::Status status = redo_->Apply((*reader)->record(), (*reader)->end());
      if (!status.ok()) return status;
      after((*reader)->record());
      reached_ = (*reader)->end();
    }
    if (reached_ < fixture_.end) return absl::DataLossError((*reader)->end_reason());
    return pool_->WriteAll();
  }
  template <typename Before>
  absl::Status Run(Before before) {
    return Run(before, [](const wal::DecodedRecord&) {});
  }
  Bytes Result() const { return test_.device.Get("index").value_or(Bytes()); }
  // The page of a record's block as it is now, or nothing if there is none.
  Bytes PageOf(const wal::DecodedBlock& block) {
    if (block.block >= BufferPool::block_count(pooled_)) return {};
    const absl::StatusOr<PageRef> page = pool_->Pin(pooled_, block.block, Hold::kShared);
    if (!page.ok()) return {};
    return {page->bytes().begin(), page->bytes().end()};
  }

 private:
  // The log as a folder of segments; the rest of the last one is zeros.
  void PutLog() {
    const std::size_t size = fixture_.segment_bytes;
    const std::uint64_t first = std::stoull(fixture_.first_segment.substr(16), nullptr, 16);
    for (std::size_t at = 0; at < fixture_.log.size(); at += size) {
      Bytes segment(size);
      std::copy_n(fixture_.log.begin() + static_cast<std::ptrdiff_t>(at),
                  std::min(size, fixture_.log.size() - at), segment.begin());
      test_.device.Put(absl::StrCat("wal/", wal::SegmentName(1, first + at / size, size)), segment);
    }
  }

  const LogFixture& fixture_;
  TestEnvironment test_;
  std::unique_ptr<Schema> schema_;
  std::unique_ptr<TreePageGuard> guard_;
  std::unique_ptr<Relation> relation_;
  std::unique_ptr<BufferPool> pool_;
  PooledRelation* pooled_ = nullptr;
  std::unique_ptr<Redo> redo_;
  Lsn reached_ = 0;
};

void MaskAll(Bytes* file) {
  for (std::size_t at = 0; at < file->size(); at += 8192) {
    const MutableBytes page = MutableBytes(*file).subspan(at, 8192);
    if (!AllZero(page)) nbtree::MaskForRedo(page);
  }
}

// Equal byte for byte under the mask.
void ExpectSamePages(Bytes actual, Bytes expected) {
  ASSERT_EQ(actual.size(), expected.size());
  MaskAll(&actual);
  MaskAll(&expected);
  for (std::size_t at = 0; at < actual.size(); ++at) {
    ASSERT_EQ(actual[at], expected[at]) << "block " << at / 8192 << " byte " << at % 8192;
  }
}

class ServerLog : public testing::TestWithParam<std::string> {};

TEST_P(ServerLog, BringsTheFileToWhatTheServerMadeOfIt) {
  const LogFixture fixture = Load(GetParam());
  Replay replay(fixture);
  const absl::Status status = replay.Run([](const wal::DecodedRecord&) {});
  ASSERT_TRUE(status.ok()) << status;
  ExpectSamePages(replay.Result(), fixture.after);

  std::map<std::string, std::uint64_t> applied;
  std::string text;
  for (const auto& [type, count] : replay.summary().applied) {
    applied[NameOf(type)] += count;
    absl::StrAppend(&text, " ", NameOf(type), " ", count);
  }
  std::cout << GetParam() << ":" << text << "; images " << replay.summary().images_restored
            << ", other records " << replay.summary().records_elsewhere << "\n";
  EXPECT_EQ(applied, fixture.records);
  EXPECT_EQ(replay.summary().images_restored, fixture.images);
  EXPECT_EQ(fixture.images > 0, fixture.full_page_writes);

  // Once more over what is there: pages that were made anew are brought forward again, the others
  // have it all.
  const Bytes once = replay.Result();
  const absl::Status again = replay.Run([](const wal::DecodedRecord&) {});
  ASSERT_TRUE(again.ok()) << again;
  ExpectSamePages(replay.Result(), once);
}

// Where the server has added each record's pages as they are after it.
TEST_P(ServerLog, GivesEachPageThatTheServerHadAfterEachRecord) {
  const LogFixture fixture = Load(GetParam());
  Replay replay(fixture);
  std::uint64_t compared = 0;
  const auto compare = [&](const wal::DecodedRecord& record) {
    for (std::uint32_t id = 0; id < record.block_count; ++id) {
      const wal::DecodedBlock& block = record.blocks[id];
      if (!record.has_block(id) || block.fork != wal::kMainFork || !block.has_image) continue;
      if (block.apply_image || block.relation.relation != fixture.relation[2]) continue;
      Bytes expected(8192);
      ASSERT_EQ(wal::RestoreImage(block, expected), wal::RecordError::kNone);
      SCOPED_TRACE(absl::StrCat(NameOf({record.manager, record.info}), ", block ", block.block));
      ExpectSamePages(replay.PageOf(block), expected);
      ++compared;
    }
  };
  const absl::Status status = replay.Run([](const wal::DecodedRecord&) {}, compare);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(compared > 0, fixture.consistency_images);
  if (fixture.consistency_images) {
    std::uint64_t records = 0;
    for (const auto& [type, count] : fixture.records) {
      if (type != "REUSE_PAGE") records += count;
    }
    EXPECT_GE(compared, records);
  }
}

// The tuples of a page as they lie in a record, first item first.
std::vector<Bytes> ItemsIn(ByteView data) {
  std::vector<Bytes> items;
  while (data.size() >= index_tuple::kHeaderSize) {
    const std::uint32_t size = TupleView(data).size();
    items.emplace(items.begin(), data.begin(), data.begin() + size);
    data = data.subspan(size);
  }
  return items;
}

// The new item of a split, from wherever the record has it.
Bytes NewItemOf(const wal::DecodedRecord& record, const wal::SplitRecord& split,
                bool is_rightmost) {
  const ByteView left = record.blocks[0].data;
  if (record.info == wal::kSplitLeft || split.posting_offset != 0) {
    return {left.begin(), left.begin() + TupleView(left).size()};
  }
  // On an internal page the first item of the right half lost its key to the left half's high key.
  if (split.level > 0 && split.new_item_slot == split.first_right) {
    return {left.begin(), left.begin() + TupleView(left).size()};
  }
  const std::size_t at = split.new_item_slot - split.first_right + (is_rightmost ? 0U : 1U);
  return ItemsIn(record.blocks[1].data).at(at);
}

TEST_P(ServerLog, SplitsPagesWhereTheEngineWould) {
  const LogFixture fixture = Load(GetParam());
  Replay replay(fixture);
  std::uint64_t splits = 0;
  const absl::Status status = replay.Run([&](const wal::DecodedRecord& record) {
    wal::SplitRecord split;
    const bool is_split =
        record.manager == static_cast<std::uint8_t>(wal::ResourceManager::kBtree) &&
        (record.info == wal::kSplitLeft || record.info == wal::kSplitRight);
    if (!is_split || record.blocks[0].relation.relation != fixture.relation[2]) return;
    if (record.blocks[0].apply_image) return;
    ASSERT_TRUE(wal::SplitRecord::Decode(record.main_data, &split));
    const Bytes bytes = replay.PageOf(record.blocks[0]);
    const nbtree::NbtreePage page{PageView(bytes)};
    const Bytes new_item = NewItemOf(record, split, page.is_rightmost());
    const SplitPoint point =
        FindSplitPoint(replay.schema(), page, split.new_item_slot, TupleView(new_item), 90);
    EXPECT_EQ(point.first_right, split.first_right)
        << "split " << splits << " level " << split.level;
    EXPECT_EQ(point.new_item_on_left, record.info == wal::kSplitLeft);
    ++splits;
  });
  ASSERT_TRUE(status.ok()) << status;
  const auto count = [&fixture](const char* name) {
    const auto found = fixture.records.find(name);
    return found == fixture.records.end() ? 0U : found->second;
  };
  if (!fixture.full_page_writes) {
    EXPECT_EQ(splits, count("SPLIT_L") + count("SPLIT_R"));
  }
}

// What a pass merges depends on the item that found no room: the next one that comes to the page.
struct Pass {
  Bytes page;
  std::vector<nbtree::DedupInterval> intervals;
};

bool SameIntervals(const std::vector<nbtree::DedupInterval>& a,
                   const std::vector<nbtree::DedupInterval>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) {
                      return left.base == right.base && left.item_count == right.item_count;
                    });
}

TEST_P(ServerLog, MergesWhatTheEngineWould) {
  const LogFixture fixture = Load(GetParam());
  Replay replay(fixture);
  std::map<BlockNumber, Pass> passes;
  std::uint64_t checked = 0;
  std::uint64_t passed_over = 0;
  const absl::Status status = replay.Run([&](const wal::DecodedRecord& record) {
    const bool is_btree = record.manager == static_cast<std::uint8_t>(wal::ResourceManager::kBtree);
    if (!is_btree || !record.has_block(0)) return;
    const wal::DecodedBlock& block = record.blocks[0];
    if (block.relation.relation != fixture.relation[2] || block.apply_image) return;
    if (record.info == wal::kDedup) {
      wal::DedupRecord dedup;
      Pass pass;
      pass.page = replay.PageOf(block);
      passed_over += passes.count(block.block);
      ASSERT_TRUE(wal::DedupRecord::Decode(record.main_data, &dedup));
      ASSERT_TRUE(wal::DecodeIntervals(block.data, dedup.interval_count, &pass.intervals));
      passes[block.block] = std::move(pass);
      return;
    }
    const auto pass = passes.find(block.block);
    if (pass == passes.end()) return;
    if (record.info == wal::kDelete || record.info == wal::kVacuum) {
      ++passed_over;
      passes.erase(pass);
      return;
    }
    Bytes item(block.data.begin(), block.data.end());
    if (record.info == wal::kInsertPosting) item.erase(item.begin(), item.begin() + 2);
    if (record.info == wal::kSplitRight || record.info == wal::kSplitLeft) {
      wal::SplitRecord split;
      ASSERT_TRUE(wal::SplitRecord::Decode(record.main_data, &split));
      const Bytes before = replay.PageOf(block);
      item = NewItemOf(record, split, nbtree::NbtreePage(PageView(before)).is_rightmost());
    }
    const nbtree::NbtreePage page{PageView(pass->second.page)};
    const auto size = static_cast<std::uint32_t>(item.size());
    // The record does not say whether a bottom-up deletion came first.
    const bool same = SameIntervals(PlanDedup(replay.schema(), page, TupleView(item), size, false),
                                    pass->second.intervals) ||
                      SameIntervals(PlanDedup(replay.schema(), page, TupleView(item), size, true),
                                    pass->second.intervals);
    EXPECT_TRUE(same) << "pass " << checked << " on block " << block.block;
    ++checked;
    passes.erase(pass);
  });
  ASSERT_TRUE(status.ok()) << status;
  const auto found = fixture.records.find("DEDUP");
  if (found != fixture.records.end() && !fixture.full_page_writes) {
    EXPECT_EQ(checked + passed_over + passes.size(), found->second);
    EXPECT_GT(checked, found->second / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Postgres, ServerLog, testing::ValuesIn(Names()),
                         [](const testing::TestParamInfo<std::string>& parameter) {
                           std::string name = parameter.param;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

TEST(ServerLogs, HaveEveryTypeOfRecordThatAPrimaryWrites) {
  std::map<std::string, std::uint64_t> all;
  std::uint64_t without_images = 0;
  for (const std::string& name : Names()) {
    const LogFixture fixture = Load(name);
    without_images += fixture.full_page_writes ? 0U : 1U;
    for (const auto& [type, count] : fixture.records) all[type] += count;
  }
  std::string text;
  for (const auto& [type, count] : all) absl::StrAppend(&text, " ", type, " ", count);
  std::cout << "all logs:" << text << "\n";
  for (int info = 0; info < 0xF0; info += 0x10) {
    const char* name = wal::BtreeOperationName(static_cast<std::uint8_t>(info));
    ASSERT_NE(name, nullptr);
    EXPECT_GT(all[name], 0U) << name;
  }
  EXPECT_GT(all["FPI_FOR_HINT"], 0U);
  EXPECT_GE(without_images, 8U);
}

}  // namespace
}  // namespace tornleaf

// Log records for the tests of redo.

#ifndef TORNLEAF_ENGINE_TREE_RECORD_TEST_UTIL_H_
#define TORNLEAF_ENGINE_TREE_RECORD_TEST_UTIL_H_

#include <memory>
#include <vector>

#include "engine/tree/leaf_test_util.h"
#include "engine/wal/record/nbtree_records.h"
#include "engine/wal/record/record.h"

namespace tornleaf {

inline constexpr RelationId kTestIndex{1663, 5, 16384};

// Builds a record and gives it to redo as it would be read back.
class RecordMaker {
 public:
  RecordMaker(wal::ResourceManager manager, std::uint8_t info) {
    draft_.manager = manager;
    draft_.info = info;
  }
  explicit RecordMaker(wal::BtreeOperation operation)
      : RecordMaker(wal::ResourceManager::kBtree, operation) {}

  TupleBytes* Main() { return &main_; }
  RecordMaker& Block(std::uint8_t id, BlockNumber block, std::uint8_t flags = wal::kStandardPage,
                     RelationId relation = kTestIndex) {
    wal::BlockChange change;
    change.id = id;
    change.relation = relation;
    change.block = block;
    change.flags = flags;
    draft_.blocks.push_back(change);
    data_.emplace_back();
    return *this;
  }
  RecordMaker& Data(const TupleBytes& bytes) {
    data_.back().insert(data_.back().end(), bytes.begin(), bytes.end());
    return *this;
  }
  RecordMaker& Image(const TupleBytes& page) {
    with_image_ |= 1ULL << (draft_.blocks.size() - 1);
    images_.push_back(std::make_unique<TupleBytes>(page));
    draft_.blocks.back().page = *images_.back();
    return *this;
  }

  const wal::DecodedRecord& Make() {
    wal::RecordDraft draft = draft_;
    if (!main_.empty()) draft.main_data.push_back(main_);
    for (std::size_t at = 0; at < draft.blocks.size(); ++at) {
      if (!data_[at].empty()) draft.blocks[at].data.push_back(data_[at]);
    }
    bytes_.clear();
    wal::EncodeRecord(draft, 0, with_image_, &bytes_);
    CHECK(wal::DecodeRecord(bytes_, &record_) == wal::RecordError::kNone);
    return record_;
  }

 private:
  wal::RecordDraft draft_;
  TupleBytes main_;
  std::vector<TupleBytes> data_;
  std::vector<std::unique_ptr<TupleBytes>> images_;
  std::uint64_t with_image_ = 0;
  TupleBytes bytes_;
  wal::DecodedRecord record_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_RECORD_TEST_UTIL_H_

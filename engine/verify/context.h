// What the parts of the verifier share: the index's facts, and where findings go.

#ifndef TORNLEAF_ENGINE_VERIFY_CONTEXT_H_
#define TORNLEAF_ENGINE_VERIFY_CONTEXT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/finding.h"
#include "engine/format/nbtree_page.h"
#include "engine/verify/verifier.h"

namespace tornleaf {

// Collects findings into the report, and what follows from them.
//
// One cause breaks many rules, and a report that lists them all hides it. So of what is found on
// one page the first finding of each item and the first of each rule are listed; the rest, and all
// that is found on a page that is not believed as a whole, is counted with the finding before it.
class Reporter {
 public:
  Reporter(VerifyReport* report, std::uint32_t findings_max, BlockNumber block_count)
      : report_(report), findings_max_(findings_max), doubted_(block_count) {}

  void Add(const Finding& finding) {
    ++count_;
    if (IsConsequence(finding)) {
      AddConsequences(1);
    } else if (report_->findings.size() < findings_max_) {
      report_->findings.push_back(finding);
    } else {
      ++report_->findings_unlisted;
    }
  }

  // From here on, what is found on the page is a consequence of what has been found there: it is
  // not the page that belongs there, or nobody knows what it is.
  void Doubt(BlockNumber block) {
    if (block < doubted_.size()) doubted_[block] = true;
    any_doubt_ = true;
  }
  bool any_doubt() const { return any_doubt_; }

  // Holds a finding back for the end, where causes have been found before it.
  void AddLast(const Finding& finding) {
    if (last_.size() < findings_max_) {
      last_.push_back(finding);
    } else {
      ++last_unlisted_;
    }
  }
  // Adds what was held back: as consequences if other findings explain it.
  void AddHeldBack(bool explained) {
    for (const Finding& finding : last_) {
      if (explained) {
        ++count_;
        AddConsequences(1);
      } else {
        Add(finding);
      }
    }
    if (explained) {
      AddConsequences(last_unlisted_);
    } else {
      report_->findings_unlisted += last_unlisted_;
    }
    last_.clear();
  }

  void AddAll(const Findings& findings) {
    for (const Finding& finding : findings) Add(finding);
  }

  // `checks` more checks failed, or could not be made, because of the last finding.
  void AddConsequences(std::uint64_t checks) {
    report_->consequences += checks;
    // Of a finding that is not listed the total alone keeps them.
    if (!report_->findings.empty() && report_->findings_unlisted == 0) {
      report_->findings.back().consequences += static_cast<std::uint32_t>(checks);
    }
  }

  std::uint64_t count() const { return count_; }

 private:
  bool IsConsequence(const Finding& finding);

  VerifyReport* report_;
  std::uint32_t findings_max_;
  std::uint64_t count_ = 0;
  std::vector<bool> doubted_;  // by block
  bool any_doubt_ = false;
  std::vector<Finding> last_;
  std::uint64_t last_unlisted_ = 0;
  // What is listed of the page that the last finding was on.
  BlockNumber block_ = kInvalidBlock;
  std::vector<OffsetNumber> slots_;
  std::vector<const Invariant*> rules_;
};

struct VerifyContext {
  const Schema* schema = nullptr;  // null: structure only
  bool check_order = false;
  bool generic_only = false;
  ChecksumMode checksums = ChecksumMode::kOff;
  BlockNumber block_count = 0;
  nbtree::MetaPage meta;
  bool meta_usable = false;  // false: only a guess, its magic number or version is wrong
  // Versions 2 and 3: the number of attributes in the first pivot that says how many it has.
  std::uint32_t marked_attributes = 0;
  // And the first pivot that only a later version writes, if any: reported if nothing else is.
  Finding too_new_pivot;
  nbtree::Limits limits{8192};
  VerifyReport* report = nullptr;
  Reporter* reporter = nullptr;
  // Tuples whose attributes did not fit the schema, and adjacent pairs out of its order: when most
  // do not, the schema is wrong rather than the index.
  std::uint64_t misfit_tuples = 0;
  std::uint64_t pairs_out_of_order = 0;
  std::uint64_t deformed_tuples = 0;
  std::uint64_t compared_pairs = 0;

  // Posting lists are there though btm_allequalimage denies them, and that has been said.
  bool posting_lists_doubtful = false;
  // btm_root cannot be right, and that has been said.
  bool root_doubtful = false;
  // Blocks behind the end of the file are missing, and that has been said.
  bool tail_missing = false;

  // Whether a block number behind the end of the file says nothing new: it is near, and the file is
  // known to have lost its tail.
  bool IsInMissingTail(BlockNumber block) const {
    constexpr BlockNumber kNear = 1024;
    return tail_missing && block >= block_count &&
           block - block_count < std::max(block_count, kNear);
  }
  // Reports a reference to a block that is not there; the first one behind the end of the file says
  // that its tail is missing.
  void ReportOutside(const Finding& finding, BlockNumber block) {
    if (IsInMissingTail(block)) {
      reporter->AddConsequences(1);
      return;
    }
    if (block != kInvalidBlock && block >= block_count) tail_missing = true;
    reporter->Add(finding);
  }

  VerifyCounts& counts() const { return report->counts; }
  bool heap_tid_is_key() const { return meta.heap_tid_is_key(); }
};

// Builds a finding about a page, or one item of it.
inline Finding At(const Invariant& rule, PageView page, BlockNumber block, OffsetNumber slot,
                  ByteRange bytes, FindingText expected, FindingText actual) {
  Finding finding;
  finding.invariant = &rule;
  finding.block = block;
  finding.slot = slot;
  finding.bytes = bytes;
  finding.lsn = page.lsn();
  finding.expected = expected;
  finding.actual = actual;
  return finding;
}

inline FindingText Words(const char* text) { return FindingText::Format("%s", text); }

// Where a field of the special area, or of the structure at `base`, lies on the page.
inline ByteRange RangeOn(std::uint32_t base, const Field& field) {
  return {base + field.offset, base + field.offset + field.size};
}
inline ByteRange OpaqueRange(PageView page, const Field& field) {
  return RangeOn(page.size() - nbtree::kOpaqueSize, field);
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_CONTEXT_H_

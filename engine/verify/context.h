// What the parts of the verifier share: the index's facts, and where findings go.

#ifndef TORNLEAF_ENGINE_VERIFY_CONTEXT_H_
#define TORNLEAF_ENGINE_VERIFY_CONTEXT_H_

#include <cstdint>
#include <utility>

#include "engine/base/finding.h"
#include "engine/format/nbtree_page.h"
#include "engine/verify/verifier.h"

namespace tornleaf {

// Collects findings into the report, and what follows from them.
class Reporter {
 public:
  Reporter(VerifyReport* report, std::uint32_t findings_max)
      : report_(report), findings_max_(findings_max) {}

  void Add(Finding finding) {
    ++count_;
    if (report_->findings.size() < findings_max_) {
      report_->findings.push_back(std::move(finding));
    } else {
      ++report_->findings_unlisted;
    }
  }

  void AddAll(const Findings& findings) {
    for (const Finding& finding : findings) Add(finding);
  }

  // `checks` more checks failed, or could not be made, because of the last finding.
  void AddConsequences(std::uint64_t checks) {
    report_->consequences += checks;
    if (!report_->findings.empty()) {
      report_->findings.back().consequences += static_cast<std::uint32_t>(checks);
    }
  }

  std::uint64_t count() const { return count_; }

 private:
  VerifyReport* report_;
  std::uint32_t findings_max_;
  std::uint64_t count_ = 0;
};

struct VerifyContext {
  const Schema* schema = nullptr;  // null: structure only
  bool check_order = false;
  bool generic_only = false;
  ChecksumMode checksums = ChecksumMode::kOff;
  BlockNumber block_count = 0;
  nbtree::MetaPage meta;
  nbtree::Limits limits{8192};
  VerifyReport* report = nullptr;
  Reporter* reporter = nullptr;
  // Tuples whose attributes did not fit the schema, and adjacent pairs out of its order: when most
  // do not, the schema is wrong rather than the index.
  std::uint64_t misfit_tuples = 0;
  std::uint64_t unordered_pairs = 0;
  std::uint64_t deformed_tuples = 0;
  std::uint64_t compared_pairs = 0;

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

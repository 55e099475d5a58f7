// The verifier: every rule that an index file can be held to, offline and read-only.
//
// Three strengths, by what is known beside the bytes:
//   nothing     structure: headers, line pointers, tuple geometry, posting lists, links, levels,
//               parents by byte identity, reachability;
//   a schema    also the attributes inside tuples, and the order of keys within and across pages;
//   a schema with a libc collation   attributes, but order is left out and said to be unverifiable.
//
// Work is bounded: each page is read once as a member of its level, internal pages once more as
// parents, pages outside the tree once. Whatever the bytes say, no loop is longer than the file.

#ifndef TORNLEAF_ENGINE_VERIFY_VERIFIER_H_
#define TORNLEAF_ENGINE_VERIFY_VERIFIER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/base/finding.h"
#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"
#include "engine/page/page_check.h"
#include "engine/page/page_source.h"

namespace tornleaf {

struct VerifyOptions {
  const Schema* schema = nullptr;  // not owned; null: structure only
  ChecksumMode checksums = ChecksumMode::kOff;
  // Leaves out the loops specialised for plain leaves: slower, and the same findings.
  bool generic_only = false;
  // After this many findings the rest is counted only.
  std::uint32_t findings_max = 1000;
  // Called now and then with the number of pages done, for a progress display.
  std::function<void(BlockNumber done, BlockNumber total)> progress;
};

// What was looked at, so that "nothing found" says how much that is.
struct VerifyCounts {
  std::uint64_t pages = 0;  // metapage included
  std::uint64_t leaf_pages = 0;
  std::uint64_t internal_pages = 0;
  std::uint64_t deleted_pages = 0;
  std::uint64_t half_dead_pages = 0;
  std::uint64_t new_pages = 0;
  std::uint64_t incomplete_splits = 0;
  std::uint64_t items = 0;  // data items and high keys
  std::uint64_t heap_tids = 0;
  std::uint64_t posting_lists = 0;
  std::uint64_t dead_items = 0;
  std::uint64_t key_comparisons = 0;
  std::uint64_t pages_of_unsupported_format = 0;
};

struct VerifyReport {
  Findings findings;                    // root causes, in the order found
  std::uint64_t findings_unlisted = 0;  // beyond findings_max
  std::uint64_t consequences = 0;       // checks left out, or failed, because of a finding
  VerifyCounts counts;
  nbtree::MetaPage meta;
  bool order_checked = false;       // a schema was given and its order is known
  bool order_unverifiable = false;  // a schema was given, and a libc collation hides its order
  // Most tuples do not fit the schema, or most neighbours are out of its order, while the structure
  // holds: the schema is another index's. The findings say no more than that.
  bool schema_misfit = false;
  // The first block that the environment could not read; the verification ended there.
  std::optional<BlockNumber> unreadable_block;

  bool clean() const { return findings.empty() && !unreadable_block.has_value(); }
};

// Verifies one index. Never fails on what the bytes hold.
VerifyReport Verify(PageSource* pages, const VerifyOptions& options);

// Whether the pages carry checksums: kOn if at least half of the first 64 pages that are not new
// have the right one. Others than 0 are no proof: a cluster whose checksums were turned off keeps
// stale ones, and a single flipped bit makes one.
ChecksumMode DetectChecksums(PageSource* pages);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_VERIFIER_H_

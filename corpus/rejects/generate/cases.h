// One broken index file for every rule: which bytes are changed, and what the verifier must say
// first.

#ifndef TORNLEAF_CORPUS_REJECTS_GENERATE_CASES_H_
#define TORNLEAF_CORPUS_REJECTS_GENERATE_CASES_H_

#include <cstdint>
#include <vector>

#include "corpus/rejects/generate/workpiece.h"
#include "engine/base/finding.h"

namespace tornleaf {

struct RejectCase {
  const char* id;    // the rule that the first finding names
  const char* name;  // of the file
  Workpiece (*make)();
  // Where the first finding is.
  BlockNumber block;
  OffsetNumber slot = 0;
  // How many findings are listed, the first included.
  std::uint32_t findings = 1;
  // Of `tornleaf check`: 2 for a damaged index; 1 for a file that is not recognised as one at all.
  int exit_code = 2;
};

// Sorted by id and name.
std::vector<RejectCase> AllRejectCases();

std::vector<RejectCase> PageCases();   // file, metapage, header, line pointers, flags, counts
std::vector<RejectCase> TupleCases();  // tuples, posting lists, attributes, order on a page
std::vector<RejectCase> TreeCases();   // links, levels, parents, the whole tree

// What the cases start from.
Workpiece Ints();         // int4, leaves 1-4 of six rows, root 5
Workpiece ThreeLevels();  // int4, leaves 1-9 of four rows, pages 10-12 above them, root 13
Workpiece Texts();        // text and int4, leaves 1-3 of four rows, root 4
Workpiece Postings();     // int4, leaves 1-3 of four items, every other one a posting list; root 4
Workpiece Duplicates();   // int4, one key in all rows, leaves 1-3, root 4
Workpiece Nulls();        // int4 and int2, nulls in the second; leaves 1-3, root 4
Workpiece Included();     // int4 include int8, one key in all rows; leaves 1-3, root 4
Workpiece OldInts();      // int4, version 3, leaves 1-4, root 5
// A file of corpus/postgres.
Workpiece FromFixture(const char* name);

}  // namespace tornleaf

#endif  // TORNLEAF_CORPUS_REJECTS_GENERATE_CASES_H_

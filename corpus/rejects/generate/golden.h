// Healthy index files that no server of today writes: older versions of the format, metapages of
// every length, what page deletion left behind before 14, and the smallest and largest pages.

#ifndef TORNLEAF_CORPUS_REJECTS_GENERATE_GOLDEN_H_
#define TORNLEAF_CORPUS_REJECTS_GENERATE_GOLDEN_H_

#include <string>
#include <vector>

#include "corpus/rejects/generate/workpiece.h"

namespace tornleaf {

struct GoldenCase {
  const char* name;
  const char* story;  // what it is an example of
  Workpiece (*make)();
};

std::vector<GoldenCase> AllGoldenCases();

// "corpus/golden/version-2": the working folder is the repository root.
std::string PathOf(const GoldenCase& golden);
std::string DescriptionOf(const GoldenCase& golden, const Workpiece& work);

}  // namespace tornleaf

#endif  // TORNLEAF_CORPUS_REJECTS_GENERATE_GOLDEN_H_

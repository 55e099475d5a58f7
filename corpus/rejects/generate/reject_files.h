// The files under corpus/rejects: NAME.zst is the index, NAME.json what was done and what to
// expect.

#ifndef TORNLEAF_CORPUS_REJECTS_GENERATE_REJECT_FILES_H_
#define TORNLEAF_CORPUS_REJECTS_GENERATE_REJECT_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/rejects/generate/cases.h"

namespace tornleaf {

// "corpus/rejects/LINK-003/cycle-of-two": the working folder is the repository root.
std::string PathOf(const RejectCase& reject);

// Damages the base; checksums, where there are any, are made to fit again, unless the case is
// about them.
Workpiece Make(const RejectCase& reject);

std::string DescriptionOf(const RejectCase& reject, const Workpiece& work);

std::string Compressed(const std::vector<std::uint8_t>& bytes);

}  // namespace tornleaf

#endif  // TORNLEAF_CORPUS_REJECTS_GENERATE_REJECT_FILES_H_

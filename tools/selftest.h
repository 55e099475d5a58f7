// One fixture of corpus/postgres against everything the program can do with it.

#ifndef TORNLEAF_TOOLS_SELFTEST_H_
#define TORNLEAF_TOOLS_SELFTEST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/fixture.h"

namespace tornleaf {

enum class StepResult { kHeld, kFailed, kLeftOut };

struct SelftestResult {
  std::string name;
  std::uint32_t pages = 0;
  StepResult verify = StepResult::kLeftOut;   // no finding, with the schema and without
  StepResult view = StepResult::kLeftOut;     // our tables equal the server's, byte for byte
  StepResult rebuild = StepResult::kLeftOut;  // a build of the rows equals the server's file
  std::vector<std::string> details;           // one line for each failure

  bool held() const {
    return verify != StepResult::kFailed && view != StepResult::kFailed &&
           rebuild != StepResult::kFailed;
  }
};

// Runs all steps on the fixture in `folder`. Fails only if its files cannot be read.
absl::StatusOr<SelftestResult> RunSelftest(const std::string& folder);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_SELFTEST_H_

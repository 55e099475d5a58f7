// Findings and verdicts as text, JSON and CSV.

#ifndef TORNLEAF_TOOLS_FINDING_TEXT_H_
#define TORNLEAF_TOOLS_FINDING_TEXT_H_

#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/page/page_source.h"
#include "engine/verify/verifier.h"
#include "tools/command.h"
#include "tools/output.h"

namespace tornleaf {

// A finding with what people want to know of its page.
struct ShownFinding {
  std::string file;
  std::string page_kind;  // "leaf", "deleted", ...; "cut" for a page that is not whole
  Finding finding;
};

// Looks up what kind of page each finding is on.
std::vector<ShownFinding> ShowFindings(const std::string& file, PageSource* pages,
                                       const Findings& findings);

// "index page 17 leaf lsn 0/19D82E0: slot 4 [8100,8220) tuples do not overlap: found ..., expected
// ...  ITEM-005 (tornleaf explain ITEM-005)", with a newline.
std::string FindingLine(const ShownFinding& shown, bool color);
Json FindingJson(const ShownFinding& shown);
std::vector<std::string> FindingColumns();
std::vector<std::string> FindingRow(const ShownFinding& shown);
// Writes each of them in the session's format; the CSV's heading is the caller's.
void WriteFindings(const Session& session, const std::vector<ShownFinding>& findings);

// "14 pages  2,448 items  ...  order checked": what was looked at.
std::string CountsText(const VerifyReport& report, ChecksumMode checksums);
// The same numbers as members of `json`.
void AddCounts(const VerifyReport& report, ChecksumMode checksums, Json* json);

// "1 finding", "2 findings".
std::string Counted(std::uint64_t number, const char* noun);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_FINDING_TEXT_H_

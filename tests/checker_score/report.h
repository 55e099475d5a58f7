// The scores as text, JSON, CSV and as the page docs/CHECKER_SCORE.md.

#ifndef TORNLEAF_TESTS_CHECKER_SCORE_REPORT_H_
#define TORNLEAF_TESTS_CHECKER_SCORE_REPORT_H_

#include <string>

#include "tests/checker_score/score.h"

namespace tornleaf {
namespace checker_score {

struct Report {
  const Options* options;
  const Score* with_schema;
  const Score* without_schema;
};

std::string AsText(const Report& report);
std::string AsMarkdown(const Report& report);
std::string AsJson(const Report& report);
std::string AsCsv(const Report& report);

// One line of CSV for each mutation and reader: --flips.
std::string FlipHeader();
std::string FlipLine(const Subject& subject, bool with_schema, const Outcome& outcome);

// Up to 16 bytes in hex, then "...".
std::string Hex(const std::vector<std::uint8_t>& bytes, std::size_t bytes_max = 16);

}  // namespace checker_score
}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_CHECKER_SCORE_REPORT_H_

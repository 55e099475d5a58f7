#include "docs/generate/pages.h"

#include <gtest/gtest.h>

#include "docs/generate/files.h"
#include "engine/verify/invariants.h"

namespace tornleaf {
namespace {

TEST(GeneratedPages, AreTheCommittedOnes) {
  for (const GeneratedPage& page : GenerateAllPages()) {
    EXPECT_TRUE(ReadTextFile(page.path) == page.text)
        << page.path << " is out of date; run ./dev docs";
  }
}

TEST(GeneratedPages, InvariantsNameEveryRuleOnce) {
  const std::string text = InvariantsPage();
  for (const Invariant* invariant : AllInvariants()) {
    const std::string heading = std::string("\n### ") + invariant->id + " ";
    const std::size_t first = text.find(heading);
    ASSERT_NE(first, std::string::npos) << invariant->id;
    EXPECT_EQ(text.find(heading, first + 1), std::string::npos) << invariant->id;
  }
}

TEST(FillTemplate, PutsTablesInPlaceOfMarkers) {
  const std::string filled = FillTemplate("before\n<!-- table: line-pointer -->\nafter\n");
  EXPECT_TRUE(filled.starts_with("before\n| bits | name | meaning |\n| --- | --- | --- |\n"));
  EXPECT_NE(filled.find("| 15-16 | `lp_flags` |"), std::string::npos);
  EXPECT_TRUE(filled.ends_with("|\nafter\n"));
}

TEST(FillTemplateDeathTest, KnowsEveryTable) {
  EXPECT_DEATH(FillTemplate("<!-- table: none -->\n"), "CHECK");
}

}  // namespace
}  // namespace tornleaf

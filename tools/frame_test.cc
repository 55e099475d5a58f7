// The frame around the subcommands: suggestions, quoting, exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/command.h"
#include "tools/output.h"

namespace tornleaf {
namespace {

TEST(Csv, QuotesAsPsqlDoes) {
  EXPECT_EQ(CsvLine({"a", "(0,1)", "say \"x\"", "\\.", "", "two\nlines", " space "}),
            "a,\"(0,1)\",\"say \"\"x\"\"\",\"\\.\",,\"two\nlines\", space \n");
}

TEST(Printable, ShowsControlCharactersAsHex) {
  EXPECT_EQ(Printable("a\033[31m\n\x7f\xc3\xa9"), "a\\x1b[31m\\x0a\\x7f\xc3\xa9");
}

TEST(WithCommas, GroupsByThree) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(1000), "1,000");
  EXPECT_EQ(WithCommas(1234567), "1,234,567");
}

TEST(ProgressLine, SaysHowFarHowFastHowLong) {
  EXPECT_EQ(ProgressLine("verify", "pages", 500, 1000, 2.0),
            "verify [############............]  50%  500 of 1,000 pages  250/s  2 s left");
}

TEST(ExitCodes, DamageOutranksWhatCouldNotBeRead) {
  EXPECT_EQ(WorseOf(ExitCode::kCannot, ExitCode::kDamaged), ExitCode::kDamaged);
  EXPECT_EQ(WorseOf(ExitCode::kDamaged, ExitCode::kHeld), ExitCode::kDamaged);
  EXPECT_EQ(WorseOf(ExitCode::kHeld, ExitCode::kCannot), ExitCode::kCannot);
  EXPECT_EQ(ExitCodeOf(absl::DataLossError("cut")), ExitCode::kDamaged);
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("gone")), ExitCode::kCannot);
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), ExitCode::kHeld);
}

void ExpectDescription(const Command& command, const std::string& prefix) {
  EXPECT_GT(std::string(command.info().summary).size(), 10u) << prefix;
  for (const char* example : command.info().examples) {
    EXPECT_THAT(std::string(example), ::testing::HasSubstr(prefix));
  }
}

TEST(Commands, EachHasASummaryAndThreeExamplesThatCallIt) {
  int below = 0;
  for (const auto& command : MakeCommands()) {
    const std::string prefix = std::string("tornleaf ") + command->info().name;
    ExpectDescription(*command, prefix);
    for (const auto& child : command->children()) {
      ExpectDescription(*child, prefix + " " + child->info().name);
      ++below;
    }
  }
  EXPECT_EQ(below, 11);
}

}  // namespace
}  // namespace tornleaf

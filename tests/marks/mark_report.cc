// At the end of a test program, adds how often it passed each mark (engine/base/mark.h) to
// $TORNLEAF_MARKS/<program>.marks, a line "count name" for each. Linked into every test program;
// without the variable it does nothing. tests/marks/report.py adds the files up.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/base/mark.h"

namespace tornleaf {
namespace {

std::string NameOfThisProgram() {
  const std::string path = ::testing::internal::GetArgvs().front();
  return path.substr(path.rfind('/') + 1);
}

class MarkReport final : public ::testing::Environment {
 public:
  // A program may be run many times, and by several ctest jobs at once: appended in one piece.
  void TearDown() override {
    const char* folder = std::getenv("TORNLEAF_MARKS");
    if (folder == nullptr || FirstMark() == nullptr) return;
    std::string text;
    for (const MarkCounter* mark = FirstMark(); mark != nullptr; mark = mark->next()) {
      text += std::to_string(mark->count()) + " " + mark->name() + "\n";
    }
    const std::string path = std::string(folder) + "/" + NameOfThisProgram() + ".marks";
    std::FILE* file = std::fopen(path.c_str(), "a");
    ASSERT_NE(file, nullptr) << path;
    std::setvbuf(file, nullptr, _IOFBF, text.size() + 1);
    EXPECT_EQ(std::fputs(text.c_str(), file) < 0, false);
    EXPECT_EQ(std::fclose(file), 0) << path;
  }
};

const ::testing::Environment* const kRegistered =
    ::testing::AddGlobalTestEnvironment(new MarkReport);

}  // namespace
}  // namespace tornleaf

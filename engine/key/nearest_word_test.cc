#include "engine/key/nearest_word.h"

#include <gtest/gtest.h>

namespace tornleaf {
namespace {

TEST(NearestWordTest, FindsTheWordThatWasMeant) {
  const std::vector<std::string> words = {"plain", "main", "extended", "external"};
  EXPECT_EQ(NearestWord("plane", words), "plain");
  EXPECT_EQ(NearestWord("MIAN", words), "main");
  EXPECT_EQ(NearestWord("externel", words), "external");
  EXPECT_EQ(NearestWord("extendet", words), "extended");
  EXPECT_EQ(NearestWord("toast", words), "");
  EXPECT_EQ(NearestWord("", words), "");
  EXPECT_EQ(NearestWord("x", {}), "");
  EXPECT_EQ(NearestWord(std::string(100, 'x'), {std::string(100, 'x')}), "");
}

}  // namespace
}  // namespace tornleaf

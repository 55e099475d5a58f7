#include "engine/base/mark.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/mark_test_util.h"

namespace tornleaf {
namespace {

std::vector<MarkCounter*> MarksOfName(const std::string& name) {
  std::vector<MarkCounter*> found;
  for (MarkCounter* mark = FirstMark(); mark != nullptr; mark = mark->next()) {
    if (mark->name() == name) found.push_back(mark);
  }
  return found;
}

// There is exactly one counter of that name.
std::uint64_t CountOf(const std::string& name) {
  const std::vector<MarkCounter*> found = MarksOfName(name);
  EXPECT_EQ(found.size(), 1u) << name;
  return found.empty() ? 0 : found[0]->count();
}

[[maybe_unused]] void NeverCalled() { MARK("test.never_reached"); }

inline void NeverCalledInline() { MARK("test.never_reached.inline"); }

TEST(MarkTest, IsCountedEachTime) {
  for (int round = 0; round < 3; ++round) MARK("test.three_times");
  EXPECT_EQ(CountOf("test.three_times"), 3u);
}

TEST(MarkTest, IsKnownWithoutBeingReached) {
  EXPECT_EQ(CountOf("test.never_reached"), 0u);
  EXPECT_EQ(CountOf("test.never_reached.inline"), 0u);
  EXPECT_EQ(CountOf("test.behind_a_condition"), 0u);
  if (FirstMark() == nullptr) MARK("test.behind_a_condition");
  if (FirstMark() == nullptr) NeverCalledInline();
}

TEST(MarkTest, OneCounterForANameInSeveralPlacesAndUnits) {
  MARK("test.two_units");
  MARK("test.two_units");
  mark_test::PassElsewhere();
  EXPECT_EQ(CountOf("test.two_units"), 3u);

  mark_test::PassInline();
  mark_test::PassInlineElsewhere();
  EXPECT_EQ(CountOf("test.inline"), 2u);

  mark_test::PassTemplate<int>();
  mark_test::PassTemplate<long>();
  mark_test::PassTemplateElsewhere();
  EXPECT_EQ(CountOf("test.template"), 3u);
}

TEST(MarkTest, OnlyWhatIsInstantiatedIsThere) {
  mark_test::PassBranch<true>();
  EXPECT_EQ(CountOf("test.branch.deep"), 1u);
  EXPECT_TRUE(MarksOfName("test.branch.flat").empty());
}

TEST(MarkTest, NamesThatBeginAlikeAreDifferent) {
  MARK("test.alike");
  MARK("test.alike.not");
  MARK("test.alike.not");
  EXPECT_EQ(CountOf("test.alike"), 1u);
  EXPECT_EQ(CountOf("test.alike.not"), 2u);
  MarksOfName("test.alike.not").front()->Reset();
  EXPECT_EQ(CountOf("test.alike.not"), 0u);
  EXPECT_EQ(CountOf("test.alike"), 1u);
}

}  // namespace
}  // namespace tornleaf

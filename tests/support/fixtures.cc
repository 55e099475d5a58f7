#include "tests/support/fixtures.h"

namespace tornleaf {

namespace {

constexpr std::string_view kFolder = "corpus/postgres";

template <typename T>
T ValueOrDie(absl::StatusOr<T> value) {
  CHECK(value.ok());
  return *std::move(value);
}

std::string PathOf(std::string_view name) {
  std::string path(kFolder);
  path.append("/").append(name);
  return path;
}

}  // namespace

std::string ReadWholeFile(const std::string& path) { return ValueOrDie(ReadCorpusFile(path)); }

std::string FixtureText(std::string_view name, std::string_view file) {
  return ReadWholeFile(PathOf(name).append("/").append(file));
}

std::vector<std::string> FixtureNames() { return ValueOrDie(ListFixtures(std::string(kFolder))); }

Fixture LoadFixture(std::string_view name) {
  Fixture fixture = ValueOrDie(ReadFixture(PathOf(name)));
  CHECK(fixture.name == name);
  return fixture;
}

}  // namespace tornleaf

// checker-score: how much damage the verifier sees, by region and field. See docs/CHECKER_SCORE.md.
//
// Exit code: 0 thresholds reached, 1 usage or environment, 2 below the thresholds.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tests/checker_score/report.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace checker_score {
namespace {

struct Arguments {
  Options options;
  std::vector<std::string> fixtures;
  std::string index_path;
  std::string schema_text;
  std::string format = "text";
  bool flips = false;
  bool trace = false;
};

Subject SubjectOf(const std::string& fixture_name) {
  Fixture fixture = LoadFixture(fixture_name);
  absl::StatusOr<Schema> schema = Schema::Parse(fixture.schema);
  CHECK(schema.ok());
  return {fixture_name, *std::move(schema), fixture.page_size, std::move(fixture.index)};
}

// An index file beside the fixtures, of pages of 8 KiB.
bool MakeSubject(const Arguments& arguments, std::vector<Subject>* subjects) {
  absl::StatusOr<Schema> schema = Schema::Parse(arguments.schema_text);
  if (!schema.ok()) {
    std::fprintf(stderr, "checker-score: --schema: %s\n", schema.status().ToString().c_str());
    return false;
  }
  const std::string bytes = ReadWholeFile(arguments.index_path);
  subjects->push_back({"index", *std::move(schema), 8192, {bytes.begin(), bytes.end()}});
  return true;
}

void Progress(std::size_t done, std::size_t total, const std::string& name) {
  if (isatty(STDERR_FILENO) != 0) {
    std::fprintf(stderr, "\r%zu/%zu %-40s%s", done, total, name.c_str(), done == total ? "\n" : "");
  } else if (done % 20 == 0 || done == total) {
    std::fprintf(stderr, "%zu/%zu indexes\n", done, total);
  }
}

int Run(Arguments* arguments) {
  std::vector<Subject> subjects;
  if (!arguments->index_path.empty()) {
    if (!MakeSubject(*arguments, &subjects)) return 1;
  } else {
    const bool all = arguments->fixtures.empty();
    for (const std::string& name : all ? FixtureNames() : arguments->fixtures) {
      subjects.push_back(SubjectOf(name));
    }
  }
  if (arguments->flips) {
    std::fputs(FlipHeader().c_str(), stdout);
    arguments->options.after_each = [](const Subject& subject, bool knows, const Outcome& outcome) {
      std::fputs(FlipLine(subject, knows, outcome).c_str(), stdout);
    };
  }
  if (arguments->trace) {
    arguments->options.before_each = [](const Subject& subject, const Mutation& mutation) {
      std::fputs(FlipLine(subject, true, {&mutation, nullptr, nullptr}).c_str(), stderr);
    };
  }
  Score with_schema;
  Score without_schema;
  for (std::size_t index = 0; index < subjects.size(); ++index) {
    ScoreSubject(subjects[index], arguments->options, RunVerifier, &with_schema, &without_schema);
    Progress(index + 1, subjects.size(), subjects[index].name);
  }
  const Report report{&arguments->options, &with_schema, &without_schema};
  const std::map<std::string, std::string (*)(const Report&)> formats = {
      {"text", AsText}, {"markdown", AsMarkdown}, {"json", AsJson}, {"csv", AsCsv}};
  if (!arguments->flips) std::fputs(formats.at(arguments->format)(report).c_str(), stdout);
  const bool reached =
      ReachesThresholds(with_schema, true) && ReachesThresholds(without_schema, false);
  if (!reached) std::fprintf(stderr, "checker-score: below the thresholds\n");
  return reached ? 0 : 2;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Damages index files field by field and counts what the verifier sees.");
  app.add_option("--seed", arguments.options.seed, "which changes are drawn (default 1)");
  app.add_option("--sample", arguments.options.per_field,
                 "changes of each field of each index; 0 for all (default 80)");
  app.add_option("--fixture", arguments.fixtures, "only these folders of corpus/postgres");
  auto* index = app.add_option("--index", arguments.index_path, "an index file instead")
                    ->check(CLI::ExistingFile);
  app.add_option("--schema", arguments.schema_text, "its schema")->needs(index);
  app.add_option("--format", arguments.format, "text, markdown, json or csv")
      ->check(CLI::IsMember({"text", "markdown", "json", "csv"}));
  app.add_flag("--flips", arguments.flips, "print each change with its outcome as CSV instead");
  app.add_flag("--trace", arguments.trace, "print each change before it is tried");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  return Run(&arguments);
}

}  // namespace
}  // namespace checker_score
}  // namespace tornleaf

int main(int argc, char** argv) { return tornleaf::checker_score::Main(argc, argv); }

#include "tests/checker_score/report.h"

#include <cinttypes>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tornleaf {
namespace checker_score {

namespace {

constexpr const char* kVerdicts[] = {"seen", "missed", "harmless", "undetectable", "disputed"};

const char* VerdictOf(const Rule* rule, const Invariant* found) {
  if (rule == nullptr) return found != nullptr ? kVerdicts[0] : kVerdicts[1];
  if (found != nullptr) return kVerdicts[4];
  return rule->harmless ? kVerdicts[2] : kVerdicts[3];
}

// Percent with two decimals, rounded down, so that 100.00 means all.
std::string Percent(const Counts& counts) {
  if (counts.seen + counts.missed == 0) return "-";
  const std::uint64_t parts = counts.SeenPerMillion() / 100;
  return absl::StrFormat("%u.%02u", parts / 100, parts % 100);
}

std::string Row(std::string_view region, std::string_view field, const Counts& counts) {
  return absl::StrFormat("%-14s %-34s %8u %8u %9u %13u %7u %9s %8u\n", region, field, counts.tried,
                         counts.seen, counts.harmless, counts.undetectable, counts.missed,
                         Percent(counts), counts.disputed);
}

std::string SurvivorText(const Survivor& survivor) {
  const Mutation& mutation = survivor.mutation;
  std::string where =
      absl::StrFormat("%s block %u slot %u byte %u %s/%s", survivor.subject, mutation.field.block,
                      mutation.field.slot, mutation.field.begin, NameOf(mutation.field.region),
                      mutation.field.name);
  absl::StrAppend(&where, " ", NameOf(mutation.kind));
  if (mutation.kind == MutationKind::kBit) absl::StrAppend(&where, " ", mutation.bit);
  absl::StrAppend(&where, " ", Hex(mutation.old_bytes), " -> ", Hex(mutation.new_bytes),
                  survivor.with_schema ? " with schema" : " without schema");
  if (survivor.rule != nullptr) {
    absl::StrAppend(&where, ": excused as ", survivor.rule->name, ", yet ", survivor.found->id,
                    " sees it");
  }
  return where;
}

std::string TableText(const Score& score) {
  std::string text =
      absl::StrFormat("%-14s %-34s %8s %8s %9s %13s %7s %9s %8s\n", "region", "field", "tried",
                      "seen", "harmless", "undetectable", "missed", "seen %", "disputed");
  for (std::uint32_t number = 0; number < kRegionCount; ++number) {
    const auto region = static_cast<Region>(number);
    const Counts total = score.Total(region);
    if (total.tried == 0) continue;
    absl::StrAppend(&text, Row(NameOf(region), "", total));
    for (const auto& [key, counts] : score.fields) {
      if (key.first == region) absl::StrAppend(&text, Row("", key.second, counts));
    }
  }
  absl::StrAppend(&text, Row("all", "", score.Total()));
  return text;
}

std::string SurvivorsText(const Report& report, std::size_t lines_max) {
  std::string text;
  std::size_t lines = 0;
  for (const Score* score : {report.with_schema, report.without_schema}) {
    for (const Survivor& survivor : score->survivors) {
      if (++lines <= lines_max) absl::StrAppend(&text, SurvivorText(survivor), "\n");
    }
  }
  if (lines > lines_max) absl::StrAppend(&text, "... and ", lines - lines_max, " more\n");
  return lines == 0 ? "none\n" : text;
}

std::string Introduction(const Report& report) {
  return absl::StrFormat(
      "%u indexes, seed %u, %s changes of each field of each: %u of %u possible changes tried,\n"
      "each by a reader with the schema and by one without. Checksums are out of play.\n",
      report.with_schema->subjects, report.options->seed,
      report.options->per_field == 0 ? "all" : absl::StrCat("up to ", report.options->per_field),
      report.with_schema->Total().tried, report.with_schema->possible);
}

std::uint64_t TimesExcused(const Score& score, const Rule& rule) {
  const auto found = score.rules.find(rule.name);
  return found == score.rules.end() ? 0 : found->second;
}

}  // namespace

std::string Hex(const std::vector<std::uint8_t>& bytes, std::size_t bytes_max) {
  std::string text;
  for (std::size_t index = 0; index < bytes.size() && index < bytes_max; ++index) {
    absl::StrAppendFormat(&text, "%02x", bytes[index]);
  }
  if (bytes.size() > bytes_max) absl::StrAppend(&text, "...");
  return text;
}

std::string AsText(const Report& report) {
  std::string text = Introduction(report);
  absl::StrAppend(&text, "\nWith the schema\n", TableText(*report.with_schema));
  absl::StrAppend(&text, "\nWithout a schema\n", TableText(*report.without_schema));
  absl::StrAppend(&text, "\nRules: excused with the schema, without\n");
  for (const Rule* rule : AllRules()) {
    absl::StrAppendFormat(
        &text, "%-20s %8u %8u  %s\n", rule->name, TimesExcused(*report.with_schema, *rule),
        TimesExcused(*report.without_schema, *rule), rule->harmless ? "harmless" : "undetectable");
  }
  constexpr std::size_t kLinesMax = 200;
  absl::StrAppend(&text, "\nSurvivors\n", SurvivorsText(report, kLinesMax));
  return text;
}

std::string AsMarkdown(const Report& report) {
  std::string text =
      "# How much damage the verifier sees\n\n"
      "Generated: `./dev checker-score --doc`. One bit is turned over, or one field replaced (by\n"
      "0, all ones, one more, one less, the bytes of such a field elsewhere, random bytes), in a\n"
      "healthy index that a PostgreSQL 15 server wrote (corpus/postgres); then the verifier "
      "looks.\n"
      "`seen`: any finding. `harmless` and `undetectable`: excused by one of the rules below, "
      "which\n"
      "are computed from the bytes before and after (tests/checker_score/oracle.h) and never by\n"
      "asking the verifier. `missed`: everything else. `seen %` is of seen and missed. "
      "`disputed`:\n"
      "excused and yet seen, which would be a false alarm or a rule that excuses too much.\n\n";
  absl::StrAppend(&text, Introduction(report));
  absl::StrAppend(&text, "\n## With the schema\n\n```\n", TableText(*report.with_schema), "```\n");
  absl::StrAppend(
      &text, "\n## Without a schema\n\n```\n", TableText(*report.without_schema),
      "```\n\n## Rules\n\n| rule | | with schema | without | why |\n|---|---|---:|---:|---|\n");
  for (const Rule* rule : AllRules()) {
    absl::StrAppendFormat(&text, "| %s | %s | %u | %u | %s |\n", rule->name,
                          rule->harmless ? "harmless" : "undetectable",
                          TimesExcused(*report.with_schema, *rule),
                          TimesExcused(*report.without_schema, *rule), rule->why);
  }
  constexpr std::size_t kLinesMax = 1000;
  absl::StrAppend(&text, "\n## Survivors\n\n```\n", SurvivorsText(report, kLinesMax), "```\n");
  return text;
}

namespace {

nlohmann::json ScoreJson(const Score& score) {
  nlohmann::json fields = nlohmann::json::array();
  for (const auto& [key, counts] : score.fields) {
    fields.push_back({{"region", NameOf(key.first)},
                      {"field", key.second},
                      {"tried", counts.tried},
                      {"seen", counts.seen},
                      {"harmless", counts.harmless},
                      {"undetectable", counts.undetectable},
                      {"missed", counts.missed},
                      {"disputed", counts.disputed}});
  }
  nlohmann::json rules = nlohmann::json::object();
  for (const auto& [name, times] : score.rules) rules[std::string(name)] = times;
  nlohmann::json survivors = nlohmann::json::array();
  for (const Survivor& survivor : score.survivors) {
    survivors.push_back({{"fixture", survivor.subject},
                         {"block", survivor.mutation.field.block},
                         {"slot", survivor.mutation.field.slot},
                         {"byte", survivor.mutation.field.begin},
                         {"region", NameOf(survivor.mutation.field.region)},
                         {"field", survivor.mutation.field.name},
                         {"kind", NameOf(survivor.mutation.kind)},
                         {"bit", survivor.mutation.bit},
                         {"old", Hex(survivor.mutation.old_bytes)},
                         {"new", Hex(survivor.mutation.new_bytes)},
                         {"verdict", VerdictOf(survivor.rule, survivor.found)}});
  }
  return {{"fields", fields}, {"rules", rules}, {"survivors", survivors}};
}

std::string CsvRows(const Score& score, const char* reader) {
  std::string text;
  for (const auto& [key, counts] : score.fields) {
    absl::StrAppendFormat(&text, "%s,%s,\"%s\",%u,%u,%u,%u,%u,%u\n", reader, NameOf(key.first),
                          key.second, counts.tried, counts.seen, counts.harmless,
                          counts.undetectable, counts.missed, counts.disputed);
  }
  return text;
}

}  // namespace

std::string AsJson(const Report& report) {
  const nlohmann::json json = {{"seed", report.options->seed},
                               {"per_field", report.options->per_field},
                               {"indexes", report.with_schema->subjects},
                               {"possible", report.with_schema->possible},
                               {"with_schema", ScoreJson(*report.with_schema)},
                               {"without_schema", ScoreJson(*report.without_schema)}};
  return json.dump(2) + "\n";
}

std::string AsCsv(const Report& report) {
  return absl::StrCat("reader,region,field,tried,seen,harmless,undetectable,missed,disputed\n",
                      CsvRows(*report.with_schema, "schema"),
                      CsvRows(*report.without_schema, "no schema"));
}

std::string FlipHeader() {
  return "fixture,reader,block,slot,region,field,kind,bit,begin,old,new,verdict,rule,finding\n";
}

std::string FlipLine(const Subject& subject, bool with_schema, const Outcome& outcome) {
  const Mutation& mutation = *outcome.mutation;
  return absl::StrFormat(
      "%s,%s,%u,%u,%s,\"%s\",%s,%u,%u,%s,%s,%s,%s,%s\n", subject.name,
      with_schema ? "schema" : "no schema", mutation.field.block, mutation.field.slot,
      NameOf(mutation.field.region), mutation.field.name, NameOf(mutation.kind), mutation.bit,
      mutation.field.begin, Hex(mutation.old_bytes, mutation.old_bytes.size()),
      Hex(mutation.new_bytes, mutation.new_bytes.size()), VerdictOf(outcome.rule, outcome.found),
      outcome.rule != nullptr ? outcome.rule->name : "",
      outcome.found != nullptr ? outcome.found->id : "");
}

}  // namespace checker_score
}  // namespace tornleaf

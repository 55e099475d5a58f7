// tornleaf whatif: what an index holds on each level, by which page formats are compared.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/env/posix_device.h"
#include "tools/commands.h"
#include "tools/level_survey.h"
#include "tools/target.h"

namespace tornleaf {
namespace {

double Ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// The numbers that are printed, the same in every output format.
struct LevelFigures {
  explicit LevelFigures(const LevelSurvey& survey)
      : fill(Ratio(survey.used_bytes, survey.room_bytes)),
        bytes_per_item(Ratio(survey.item_bytes, survey.items)),
        bytes_per_key(Ratio(survey.item_bytes, survey.keys)),
        rows_per_key(Ratio(survey.rows, survey.keys)),
        column_bytes(Ratio(survey.column_bytes, survey.columns)),
        neighbour_prefix(Ratio(survey.neighbour_prefix_bytes, survey.neighbours)),
        page_prefix(Ratio(survey.page_prefix_bytes, survey.columns)) {}

  double fill;
  double bytes_per_item;
  double bytes_per_key;
  double rows_per_key;
  double column_bytes;
  double neighbour_prefix;
  double page_prefix;
};

class WhatifCommand final : public Command {
 public:
  WhatifCommand()
      : Command({"whatif",
                 "measure an index level by level: pages, fill, bytes a key, duplicates, prefixes",
                 {"tornleaf whatif index --schema int4",
                  "tornleaf whatif index --schema int4 --format json",
                  "tornleaf whatif index --schema int4 --format csv"}}) {}

  void AddOptions(CLI::App* app) override {
    app->add_option("file", file_, "index file")->required()->option_text("FILE");
    AddSchemaOption(app, "columns of the index (required)", &schema_text_)->required();
  }

  ExitCode Run(const Session& session) override {
    PosixDevice device;
    const absl::StatusOr<Schema> schema = ParseRequiredSchema(schema_text_);
    if (!schema.ok()) return session.Fail(schema.status());
    const auto file = OpenRelation(&device, file_);
    if (!file.ok()) return session.Fail(file.status());
    Progress progress(session.progress, absl::StrCat("whatif ", file_), "pages");
    const BlockNumber total = (*file)->block_count();
    const auto levels = SurveyLevels(file->get(), *schema,
                                     [&](std::uint64_t done) { progress.Update(done, total); });
    progress.Clear();
    if (!(*file)->status().ok()) return session.Fail((*file)->status());
    if (!levels.ok()) {
      return session.Fail(absl::Status(levels.status().code(),
                                       absl::StrCat(file_, ": ", levels.status().message())));
    }
    const ExitCode code = Judge(session, *levels);
    if (code == ExitCode::kCannot) return code;
    Write(session, *levels, **file);
    if ((*file)->trailing_bytes() == 0) return code;
    session.Complain(absl::StrCat(file_, ": the last ", (*file)->trailing_bytes(),
                                  " bytes are a page cut short; not counted"));
    return WorseOf(code, ExitCode::kDamaged);
  }

 private:
  // Items that cannot be read make the figures wrong; most of them, and the schema is.
  ExitCode Judge(const Session& session, const std::vector<LevelSurvey>& levels) const {
    std::uint64_t items = 0;
    std::uint64_t unreadable = 0;
    for (const LevelSurvey& level : levels) {
      items += level.items;
      unreadable += level.unreadable;
    }
    if (unreadable == 0) return ExitCode::kHeld;
    if (unreadable * 2 > items) {
      session.Complain(absl::StrCat(file_, ": the schema '", schema_text_,
                                    "' is not that of this index: ", unreadable, " of ", items,
                                    " items do not fit it"));
      return ExitCode::kCannot;
    }
    session.Complain(absl::StrCat(file_, ": ", unreadable, " of ", items,
                                  " items are damaged and left out; 'tornleaf check' says more"));
    return ExitCode::kDamaged;
  }

  void Write(const Session& session, const std::vector<LevelSurvey>& levels,
             const RelationFile& file) const {
    if (session.format == OutputFormat::kText) WriteHeading(session, file);
    if (session.format == OutputFormat::kCsv) {
      session.out->WriteCsv({"level", "pages", "items", "rows", "keys", "fill", "bytes_per_item",
                             "bytes_per_key", "rows_per_key", "column_bytes", "neighbour_prefix",
                             "page_prefix"});
    }
    for (const LevelSurvey& level : levels) WriteLevel(session, level);
  }

  void WriteHeading(const Session& session, const RelationFile& file) const {
    session.out->Write(absl::StrFormat(
        "%s  %s pages of %u bytes; prefix: bytes of the first column in common with the left "
        "neighbour, and with the whole page\n%5s %9s %10s %10s %10s %6s %10s %9s %8s %7s %9s %7s\n",
        file_, WithCommas(file.block_count()), file.page_size(), "level", "pages", "items", "rows",
        "keys", "fill", "bytes/item", "bytes/key", "rows/key", "column", "neighbour", "page"));
  }

  void WriteLevel(const Session& session, const LevelSurvey& level) const {
    const LevelFigures figures(level);
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(absl::StrFormat(
            "%5u %9u %10u %10u %10u %5.1f%% %10.1f %9.1f %8.2f %7.1f %9.1f %7.1f\n", level.level,
            level.pages, level.items, level.rows, level.keys, figures.fill * 100,
            figures.bytes_per_item, figures.bytes_per_key, figures.rows_per_key,
            figures.column_bytes, figures.neighbour_prefix, figures.page_prefix));
        return;
      case OutputFormat::kJson:
        session.out->WriteJson({{"schema", "tornleaf.whatif.level/1"},
                                {"file", file_},
                                {"page_format", "nbtree"},
                                {"level", level.level},
                                {"pages", level.pages},
                                {"items", level.items},
                                {"rows", level.rows},
                                {"keys", level.keys},
                                {"fill", figures.fill},
                                {"bytes_per_item", figures.bytes_per_item},
                                {"bytes_per_key", figures.bytes_per_key},
                                {"rows_per_key", figures.rows_per_key},
                                {"column_bytes", figures.column_bytes},
                                {"neighbour_prefix", figures.neighbour_prefix},
                                {"page_prefix", figures.page_prefix}});
        return;
      case OutputFormat::kCsv: {
        const auto text = [](double number) { return absl::StrFormat("%.4f", number); };
        session.out->WriteCsv({absl::StrCat(level.level), absl::StrCat(level.pages),
                               absl::StrCat(level.items), absl::StrCat(level.rows),
                               absl::StrCat(level.keys), text(figures.fill),
                               text(figures.bytes_per_item), text(figures.bytes_per_key),
                               text(figures.rows_per_key), text(figures.column_bytes),
                               text(figures.neighbour_prefix), text(figures.page_prefix)});
        return;
      }
    }
  }

  std::string file_;
  std::string schema_text_;
};

}  // namespace

std::unique_ptr<Command> MakeWhatifCommand() { return std::make_unique<WhatifCommand>(); }

}  // namespace tornleaf

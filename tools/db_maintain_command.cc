// tornleaf db vacuum, checkpoint, check.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/db/check.h"
#include "engine/db/layout.h"
#include "engine/env/overlay_device.h"
#include "engine/store/relation_file.h"
#include "engine/wal/segment.h"
#include "tools/db_command.h"
#include "tools/finding_text.h"

namespace tornleaf {

namespace {

class DbVacuumCommand final : public DbCommand {
 public:
  DbVacuumCommand()
      : DbCommand({"vacuum",
                   "remove deleted rows, and free the pages that they leave empty",
                   {"tornleaf db vacuum db", "tornleaf db vacuum db --format json",
                    "tornleaf db vacuum db --frames 64"}}) {}

  void AddOptions(CLI::App* app) override { AddOpening(app); }

  ExitCode Run(const Session& session) override {
    return With(session, [&](Database* database) {
      absl::StatusOr<VacuumSummary> summary = absl::UnknownError("");
      {
        Progress progress(session.progress, absl::StrCat("vacuum ", directory()), "pages");
        summary = database->Vacuum(
            [&](BlockNumber done, BlockNumber total) { progress.Update(done, total); });
      }
      if (!summary.ok()) return FailHere(session, summary.status());
      Write(session, *summary);
      return ExitCode::kHeld;
    });
  }

 private:
  void Write(const Session& session, const VacuumSummary& summary) const {
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(absl::StrFormat(
            "%s: %s removed, %s left; %s, %s deleted now, %s deleted in all, %s free\n",
            Printable(directory()), Counted(summary.rows_removed, "row"),
            WithCommas(summary.rows_left), Counted(summary.pages_scanned, "page"),
            WithCommas(summary.pages_deleted_now), WithCommas(summary.pages_deleted),
            WithCommas(summary.pages_free)));
        break;
      case OutputFormat::kJson:
        session.out->WriteJson({{"schema", "tornleaf.db.vacuum/1"},
                                {"directory", directory()},
                                {"rows_removed", summary.rows_removed},
                                {"rows_left", summary.rows_left},
                                {"pages_scanned", summary.pages_scanned},
                                {"pages_deleted_now", summary.pages_deleted_now},
                                {"pages_deleted", summary.pages_deleted},
                                {"pages_free", summary.pages_free}});
        break;
      case OutputFormat::kCsv:
        session.out->WriteCsv({"rows_removed", "rows_left", "pages_scanned", "pages_deleted_now",
                               "pages_deleted", "pages_free"});
        session.out->WriteCsv(
            {absl::StrCat(summary.rows_removed), absl::StrCat(summary.rows_left),
             absl::StrCat(summary.pages_scanned), absl::StrCat(summary.pages_deleted_now),
             absl::StrCat(summary.pages_deleted), absl::StrCat(summary.pages_free)});
        break;
    }
  }
};

class DbCheckpointCommand final : public DbCommand {
 public:
  DbCheckpointCommand()
      : DbCommand({"checkpoint",
                   "write out all pages, so that recovery has nothing to replay",
                   {"tornleaf db checkpoint db", "tornleaf db checkpoint db --format json",
                    "tornleaf db checkpoint db --frames 64"}}) {}

  void AddOptions(CLI::App* app) override { AddOpening(app); }

  ExitCode Run(const Session& session) override {
    return With(session, [&](Database* database) {
      const absl::Status status = database->Checkpoint();
      if (!status.ok()) return FailHere(session, status);
      const std::string text = wal::LsnText(database->log()->redo());
      switch (session.format) {
        case OutputFormat::kText:
          session.out->Write(absl::StrCat(Printable(directory()), ": checkpoint at ", text, "\n"));
          break;
        case OutputFormat::kJson:
          session.out->WriteJson(
              {{"schema", "tornleaf.db.checkpoint/1"}, {"directory", directory()}, {"redo", text}});
          break;
        case OutputFormat::kCsv:
          session.out->WriteCsv({"directory", "redo"});
          session.out->WriteCsv({directory(), text});
          break;
      }
      return ExitCode::kHeld;
    });
  }
};

class DbCheckCommand final : public DbCommand {
 public:
  DbCheckCommand()
      : DbCommand({"check",
                   "verify the database as recovery would leave it; writes nothing",
                   {"tornleaf db check db", "tornleaf db check db --format json",
                    "tornleaf db check db --findings-max 10"}}) {}

  void AddOptions(CLI::App* app) override {
    AddOpening(app);
    app->add_option("--findings-max", findings_max_, "list at most so many, and count the rest")
        ->check(WholeNumber())
        ->option_text("N (1000)");
  }

  ExitCode Run(const Session& session) override {
    OverlayDevice overlay(environment().device);
    absl::StatusOr<DatabaseCheck> check = absl::UnknownError("");
    {
      Progress progress(session.progress, absl::StrCat("check ", directory()), "pages");
      DatabaseCheckOptions check_options;
      check_options.open = options();
      check_options.findings_max = findings_max_;
      check_options.progress = [&](BlockNumber done, BlockNumber total) {
        progress.Update(done, total);
      };
      check = CheckDatabase(environment(), &overlay, directory(), check_options);
    }
    if (!check.ok()) return session.Fail(check.status());
    if (session.format == OutputFormat::kCsv) session.out->WriteCsv(FindingColumns());
    ShowIndexFindings(session, &overlay, check->index.findings);
    for (const std::string& problem : check->problems) WriteProblem(session, problem);
    WriteVerdict(session, *check);
    return check->clean() ? ExitCode::kHeld : ExitCode::kDamaged;
  }

 private:
  void ShowIndexFindings(const Session& session, Device* device, const Findings& findings) const {
    if (findings.empty()) return;
    const std::string path = Layout(directory()).index();
    const auto pages = RelationFile::Open(device, path);
    if (!pages.ok()) {
      session.Fail(pages.status());
      return;
    }
    WriteFindings(session, ShowFindings(path, pages->get(), findings));
  }

  void WriteProblem(const Session& session, const std::string& problem) const {
    if (session.format == OutputFormat::kJson) {
      session.out->WriteJson({{"schema", "tornleaf.db.check.problem/1"},
                              {"directory", directory()},
                              {"problem", problem}});
    } else if (session.format == OutputFormat::kText) {
      session.out->Write(absl::StrCat(Printable(directory()), ": ", problem, "\n"));
    } else {
      session.Complain(absl::StrCat(directory(), ": ", problem));
    }
  }

  std::string VerdictText(const DatabaseCheck& check, bool color) const {
    std::string text = Colored(color, check.clean() ? Color::kGreen : Color::kRed,
                               check.clean() ? "PASS" : "FAIL");
    absl::StrAppend(&text, "  ", Printable(directory()), "  ");
    const std::uint64_t findings =
        check.index.findings.size() + check.index.findings_unlisted + check.problems.size();
    if (findings != 0) absl::StrAppend(&text, Counted(findings, "finding"), "  ");
    if (check.rows_counted()) {
      absl::StrAppend(&text, Counted(check.live_rows, "row"), "  ", WithCommas(check.deleted_rows),
                      " deleted, with ", WithCommas(check.deleted_entries),
                      " still in the index  ");
    } else {
      absl::StrAppend(&text, "rows not counted  ");
    }
    absl::StrAppend(&text, Counted(check.records_replayed, "record"), " replayed  ");
    return text + CountsText(check.index, check.checksums);
  }

  void WriteVerdict(const Session& session, const DatabaseCheck& check) const {
    if (session.format == OutputFormat::kText) {
      session.out->Write(VerdictText(check, session.color) + "\n");
    } else if (session.format == OutputFormat::kCsv) {
      session.Complain(VerdictText(check, false));
    } else {
      Json json = {{"schema", "tornleaf.db.check.verdict/1"},
                   {"directory", directory()},
                   {"verdict", check.clean() ? "pass" : "fail"},
                   {"problems", check.problems.size()},
                   {"live_rows", nullptr},
                   {"deleted_rows", check.deleted_rows},
                   {"deleted_entries", nullptr},
                   {"records_replayed", check.records_replayed}};
      if (check.rows_counted()) {
        json["live_rows"] = check.live_rows;
        json["deleted_entries"] = check.deleted_entries;
      }
      AddCounts(check.index, check.checksums, &json);
      session.out->WriteJson(json);
    }
  }

  std::uint32_t findings_max_ = 1000;
};

}  // namespace

std::unique_ptr<Command> MakeDbVacuumCommand() { return std::make_unique<DbVacuumCommand>(); }
std::unique_ptr<Command> MakeDbCheckpointCommand() {
  return std::make_unique<DbCheckpointCommand>();
}
std::unique_ptr<Command> MakeDbCheckCommand() { return std::make_unique<DbCheckCommand>(); }

}  // namespace tornleaf

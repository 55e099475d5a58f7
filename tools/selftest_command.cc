// tornleaf selftest: every committed index of a real server against what this program says of it.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/commands.h"
#include "tools/finding_text.h"
#include "tools/selftest.h"

namespace tornleaf {
namespace {

const char* Word(StepResult result) {
  switch (result) {
    case StepResult::kHeld:
      return "ok";
    case StepResult::kFailed:
      return "FAILED";
    case StepResult::kLeftOut:
      return "-";
  }
  return "?";
}

class SelftestCommand final : public Command {
 public:
  SelftestCommand()
      : Command({"selftest",
                 "verify, view and rebuild index files that a PostgreSQL server wrote",
                 {"tornleaf selftest corpus/postgres",
                  "tornleaf selftest corpus/postgres --only int4,text-c",
                  "tornleaf selftest corpus/postgres --format json"}}) {}

  void AddOptions(CLI::App* app) override {
    app->add_option("folder", folder_, "folder of fixtures, as corpus/postgres/README.md says")
        ->required()
        ->option_text("DIR");
    app->add_option("--only", only_, "names of fixtures, separated by commas")
        ->delimiter(',')
        ->option_text("NAME,...");
  }

  ExitCode Run(const Session& session) override {
    const absl::StatusOr<std::vector<std::string>> names = ListFixtures(folder_);
    if (!names.ok()) return session.Fail(names.status());
    const std::vector<std::string>& chosen = only_.empty() ? *names : only_;
    WriteHeading(session);
    ExitCode worst = ExitCode::kHeld;
    Progress progress(session.progress, "selftest", "indexes");
    for (std::size_t done = 0; done < chosen.size(); ++done) {
      progress.Update(done, chosen.size());
      const auto result = RunSelftest(absl::StrCat(folder_, "/", chosen[done]));
      if (!result.ok()) {
        worst = WorseOf(worst, session.Fail(result.status()));
        ++unreadable_;
        continue;
      }
      Count(*result);
      Write(session, *result);
      if (!result->held()) worst = WorseOf(worst, ExitCode::kDamaged);
    }
    progress.Clear();
    WriteVerdict(session, worst == ExitCode::kHeld);
    return worst;
  }

 private:
  // How often a step was run, and held.
  struct Tally {
    std::uint64_t run = 0;
    std::uint64_t held = 0;

    void Add(StepResult result) {
      if (result != StepResult::kLeftOut) ++run;
      if (result == StepResult::kHeld) ++held;
    }
    std::string Text(const char* name) const { return absl::StrCat(name, " ", held, " of ", run); }
  };

  void Count(const SelftestResult& result) {
    ++indexes_;
    pages_ += result.pages;
    verify_.Add(result.verify);
    view_.Add(result.view);
    rebuild_.Add(result.rebuild);
  }

  static void WriteHeading(const Session& session) {
    if (session.format == OutputFormat::kText) {
      session.out->Write(absl::StrFormat("%-40s %6s  %-7s %-7s %-7s\n", "index", "pages", "verify",
                                         "view", "rebuild"));
    } else if (session.format == OutputFormat::kCsv) {
      session.out->WriteCsv({"name", "pages", "verify", "view", "rebuild", "details"});
    }
  }

  static void Write(const Session& session, const SelftestResult& result) {
    std::string details;
    for (const std::string& detail : result.details) absl::StrAppend(&details, "  ", detail, "\n");
    switch (session.format) {
      case OutputFormat::kText: {
        const std::string line =
            absl::StrFormat("%-40s %6u  %-7s %-7s %s\n", result.name, result.pages,
                            Word(result.verify), Word(result.view), Word(result.rebuild));
        session.out->Write(Colored(session.color && !result.held(), Color::kRed, line) + details);
        return;
      }
      case OutputFormat::kJson:
        session.out->WriteJson({{"schema", "tornleaf.selftest.index/1"},
                                {"name", result.name},
                                {"pages", result.pages},
                                {"verify", Word(result.verify)},
                                {"view", Word(result.view)},
                                {"rebuild", Word(result.rebuild)},
                                {"details", result.details}});
        return;
      case OutputFormat::kCsv:
        session.out->WriteCsv({result.name, absl::StrCat(result.pages), Word(result.verify),
                               Word(result.view), Word(result.rebuild), details});
        return;
    }
  }

  void WriteVerdict(const Session& session, bool pass) const {
    if (session.format == OutputFormat::kJson) {
      session.out->WriteJson({{"schema", "tornleaf.selftest.verdict/1"},
                              {"verdict", pass ? "pass" : "fail"},
                              {"indexes", indexes_},
                              {"unreadable", unreadable_},
                              {"pages", pages_},
                              {"verify_run", verify_.run},
                              {"verify_held", verify_.held},
                              {"view_run", view_.run},
                              {"view_held", view_.held},
                              {"rebuild_run", rebuild_.run},
                              {"rebuild_held", rebuild_.held}});
      return;
    }
    const std::string counts = absl::StrCat(
        "  ", indexes_, " indexes  ", WithCommas(pages_), " pages  ", verify_.Text("verify"), "  ",
        view_.Text("view"), "  ", rebuild_.Text("rebuild"), "  ", indexes_ - rebuild_.run,
        " not rebuildable", unreadable_ == 0 ? "" : absl::StrCat("  ", unreadable_, " unreadable"));
    if (session.format == OutputFormat::kCsv) {
      session.Complain(absl::StrCat(pass ? "PASS" : "FAIL", counts));
      return;
    }
    session.out->Write(
        Colored(session.color, pass ? Color::kGreen : Color::kRed, pass ? "PASS" : "FAIL") +
        counts + "\n");
  }

  std::string folder_;
  std::vector<std::string> only_;
  std::uint64_t indexes_ = 0;
  std::uint64_t unreadable_ = 0;
  std::uint64_t pages_ = 0;
  Tally verify_;
  Tally view_;
  Tally rebuild_;
};

}  // namespace

std::unique_ptr<Command> MakeSelftestCommand() { return std::make_unique<SelftestCommand>(); }

}  // namespace tornleaf

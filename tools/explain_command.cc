// tornleaf explain: what a rule says, what its violation does to a reader, where it comes from.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/key/nearest_word.h"
#include "engine/verify/invariants.h"
#include "tools/commands.h"

namespace tornleaf {
namespace {

class ExplainCommand final : public Command {
 public:
  ExplainCommand()
      : Command({"explain",
                 "print the rule behind an id such as ITEM-004, or list all rules",
                 {"tornleaf explain", "tornleaf explain ITEM-004",
                  "tornleaf explain PAGE-002 --format json"}}) {}

  void AddOptions(CLI::App* app) override {
    app->add_option("id", id_, "id of a rule, as a finding names it; all rules if left out")
        ->option_text("[ID]");
  }

  ExitCode Run(const Session& session) override {
    if (session.format == OutputFormat::kCsv) {
      session.out->WriteCsv({"id", "title", "rule", "damage", "source"});
    }
    if (id_.empty()) {
      for (const Invariant* invariant : AllInvariants()) Write(session, *invariant, true);
      return ExitCode::kHeld;
    }
    const Invariant* invariant = FindInvariant(id_);
    if (invariant == nullptr) {
      session.Complain(Unknown());
      return ExitCode::kCannot;
    }
    Write(session, *invariant, false);
    return ExitCode::kHeld;
  }

 private:
  std::string Unknown() const {
    std::vector<std::string> ids;
    for (const Invariant* invariant : AllInvariants()) ids.emplace_back(invariant->id);
    const std::string nearest = NearestWord(id_, ids);
    return absl::StrCat("no rule has the id '", id_, "'",
                        nearest.empty() ? ";" : absl::StrCat("; did you mean ", nearest, "?"),
                        " 'tornleaf explain' lists all");
  }

  static void Write(const Session& session, const Invariant& invariant, bool one_line) {
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(absl::StrCat(Colored(session.color, Color::kCyan, invariant.id), "  ",
                                        invariant.title, "\n"));
        if (one_line) return;
        session.out->Write(absl::StrFormat("  rule    %s\n  damage  %s\n  source  %s\n",
                                           invariant.rule, invariant.damage, invariant.source));
        return;
      case OutputFormat::kJson:
        session.out->WriteJson({{"schema", "tornleaf.explain/1"},
                                {"id", invariant.id},
                                {"title", invariant.title},
                                {"rule", invariant.rule},
                                {"damage", invariant.damage},
                                {"source", invariant.source}});
        return;
      case OutputFormat::kCsv:
        session.out->WriteCsv(
            {invariant.id, invariant.title, invariant.rule, invariant.damage, invariant.source});
        return;
    }
  }

  std::string id_;
};

}  // namespace

std::unique_ptr<Command> MakeExplainCommand() { return std::make_unique<ExplainCommand>(); }

}  // namespace tornleaf

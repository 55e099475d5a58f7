// tornleaf check: holds index files to every rule, and says what was looked at.

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/env/posix_device.h"
#include "engine/verify/verifier.h"
#include "tools/commands.h"
#include "tools/finding_text.h"
#include "tools/target.h"

namespace tornleaf {
namespace {

enum class ChecksumWish { kAuto, kOn, kOff };

// What became of one index.
struct Verdict {
  ExitCode code = ExitCode::kHeld;
  std::string file;
  std::string error;  // why it could not be checked, or not to its end
  VerifyReport report;
  ChecksumMode checksums = ChecksumMode::kOff;
};

class CheckCommand final : public Command {
 public:
  CheckCommand()
      : Command({"check",
                 "verify index files: checksums, structure, and with a schema the order of keys",
                 {"tornleaf check index", "tornleaf check index --schema int4 --checksums auto",
                  "tornleaf check index --format json"}}) {}

  void AddOptions(CLI::App* app) override {
    app->add_option("file", files_,
                    "index files; of a relation in 1 GiB segments any of them, for the whole")
        ->required()
        ->option_text("FILE...");
    AddSchemaOption(app, "columns of the index, to check values and order too", &schema_text_);
    AddChoice<ChecksumWish>(
        app, "--checksums", "whether pages carry checksums; auto looks at the file", "MODE",
        {{"auto", ChecksumWish::kAuto}, {"on", ChecksumWish::kOn}, {"off", ChecksumWish::kOff}},
        &checksums_);
    app->add_option("--findings-max", findings_max_, "list at most so many, and count the rest")
        ->check(WholeNumber())
        ->option_text("N (1000)");
  }

  ExitCode Run(const Session& session) override {
    const absl::StatusOr<std::optional<Schema>> schema = ParseSchemaOption(schema_text_);
    if (!schema.ok()) return session.Fail(schema.status());
    schema_ = PointerTo(*schema);
    if (session.format == OutputFormat::kCsv) session.out->WriteCsv(FindingColumns());

    std::vector<Verdict> verdicts;
    for (const std::string& path : Relations()) {
      verdicts.push_back(Check(session, path));
      Write(session, verdicts.back());
    }
    ExitCode worst = ExitCode::kHeld;
    for (const Verdict& verdict : verdicts) worst = WorseOf(worst, verdict.code);
    if (verdicts.size() > 1) WriteSummary(session, verdicts, worst);
    return worst;
  }

 private:
  // The relations that the files belong to, each once, in the order named.
  std::vector<std::string> Relations() {
    std::vector<std::string> relations;
    for (const std::string& file : files_) {
      const std::string first = FirstSegmentPath(&device_, file);
      if (std::find(relations.begin(), relations.end(), first) == relations.end()) {
        relations.push_back(first);
      }
    }
    return relations;
  }

  Verdict Check(const Session& session, const std::string& path) {
    Verdict verdict;
    verdict.file = path;
    const auto file = RelationFile::Open(&device_, path);
    if (!file.ok()) {
      verdict.error = std::string(file.status().message());
      verdict.code = ExitCodeOf(file.status());
      return verdict;
    }
    VerifyFile(session, file->get(), &verdict);
    Judge(**file, &verdict);
    if (verdict.report.schema_misfit) return verdict;
    WriteFindings(session, ShowFindings(path, file->get(), verdict.report.findings));
    DoubtSchema(session, verdict, file->get());
    return verdict;
  }

  void VerifyFile(const Session& session, RelationFile* file, Verdict* verdict) const {
    verdict->checksums = checksums_ == ChecksumWish::kAuto ? DetectChecksums(file)
                         : checksums_ == ChecksumWish::kOn ? ChecksumMode::kOn
                                                           : ChecksumMode::kOff;
    Progress progress(session.progress, absl::StrCat("check ", verdict->file), "pages");
    VerifyOptions options;
    options.schema = schema_;
    options.checksums = verdict->checksums;
    options.findings_max = findings_max_;
    options.progress = [&](BlockNumber done, BlockNumber total) { progress.Update(done, total); };
    verdict->report = Verify(file, options);
  }

  void Judge(const RelationFile& file, Verdict* verdict) const {
    const VerifyReport& report = verdict->report;
    if (report.schema_misfit) {
      const Finding& first = report.findings.front();
      verdict->code = ExitCode::kCannot;
      verdict->error = absl::StrFormat(
          "%s: the schema '%s' is not that of this index: page %u slot %u: %s: found %s; compare "
          "it with the index's definition (\\d in psql)",
          verdict->file, schema_text_, first.block, first.slot, first.invariant->title,
          first.actual.c_str());
      return;
    }
    if (!file.status().ok()) {
      verdict->error = absl::StrCat(verdict->file, ": ", std::string(file.status().message()),
                                    "; the rest was not checked");
      verdict->code = ExitCode::kCannot;
    }
    if (!report.findings.empty()) verdict->code = ExitCode::kDamaged;
  }

  // A schema that nearly fits gives findings like those of a damaged index. Structure alone tells
  // them apart, so it is worth a second look.
  void DoubtSchema(const Session& session, const Verdict& verdict, RelationFile* file) const {
    if (schema_ == nullptr || verdict.report.findings.empty()) return;
    VerifyOptions options;
    options.checksums = verdict.checksums;
    options.findings_max = 1;
    if (!Verify(file, options).clean()) return;
    session.Complain(
        absl::StrFormat("%s: without the schema nothing is wrong; if '%s' is not that of this "
                        "index, its collations and directions included, the findings say no more "
                        "than that",
                        verdict.file, schema_text_));
  }

  static std::string VerdictText(const Verdict& verdict, bool color) {
    const VerifyReport& report = verdict.report;
    const bool pass = verdict.code == ExitCode::kHeld;
    std::string text = Colored(color, pass ? Color::kGreen : Color::kRed, pass ? "PASS" : "FAIL");
    absl::StrAppend(&text, "  ", Printable(verdict.file), "  ");
    if (!report.findings.empty()) {
      const std::uint64_t findings = report.findings.size() + report.findings_unlisted;
      absl::StrAppend(&text, Counted(findings, "finding"), "  ");
      if (report.findings_unlisted != 0) {
        absl::StrAppend(&text, WithCommas(report.findings_unlisted), " not listed  ");
      }
      if (report.consequences != 0) {
        absl::StrAppend(&text, Counted(report.consequences, "consequence"), "  ");
      }
    }
    return text + CountsText(report, verdict.checksums);
  }

  static const char* VerdictWord(ExitCode code) {
    switch (code) {
      case ExitCode::kHeld:
        return "pass";
      case ExitCode::kCannot:
        return "cannot";
      case ExitCode::kDamaged:
        return "fail";
    }
    return "?";
  }

  static void Write(const Session& session, const Verdict& verdict) {
    if (!verdict.error.empty()) session.Complain(verdict.error);
    const bool was_checked = verdict.report.counts.pages != 0 && !verdict.report.schema_misfit;
    if (session.format == OutputFormat::kJson) {
      Json json = {{"schema", "tornleaf.check.verdict/1"},
                   {"file", verdict.file},
                   {"verdict", VerdictWord(verdict.code)},
                   {"error", verdict.error.empty() ? Json(nullptr) : Json(verdict.error)}};
      if (was_checked) AddCounts(verdict.report, verdict.checksums, &json);
      session.out->WriteJson(json);
    } else if (was_checked && session.format == OutputFormat::kText) {
      session.out->Write(VerdictText(verdict, session.color) + "\n");
    } else if (was_checked) {
      // The rows of a CSV table are findings; the verdict is for people then.
      session.Complain(VerdictText(verdict, false));
    }
  }

  static void WriteSummary(const Session& session, const std::vector<Verdict>& verdicts,
                           ExitCode worst) {
    if (session.format != OutputFormat::kText) return;
    const auto count = [&](ExitCode code) {
      return std::count_if(verdicts.begin(), verdicts.end(),
                           [&](const Verdict& verdict) { return verdict.code == code; });
    };
    const bool pass = worst == ExitCode::kHeld;
    session.out->Write(absl::StrFormat(
        "%s  %d indexes: %d hold, %d damaged, %d could not be checked\n",
        Colored(session.color, pass ? Color::kGreen : Color::kRed, pass ? "PASS" : "FAIL"),
        verdicts.size(), count(ExitCode::kHeld), count(ExitCode::kDamaged),
        count(ExitCode::kCannot)));
  }

  PosixDevice device_;
  std::vector<std::string> files_;
  std::string schema_text_;
  ChecksumWish checksums_ = ChecksumWish::kAuto;
  std::uint32_t findings_max_ = 1000;
  const Schema* schema_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> MakeCheckCommand() { return std::make_unique<CheckCommand>(); }

}  // namespace tornleaf

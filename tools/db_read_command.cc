// tornleaf db get, scan, count, min, max: rows out.

#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/db_command.h"
#include "tools/key_arguments.h"
#include "tools/row_printer.h"

namespace tornleaf {

namespace {

constexpr const char* kRowSchema = "tornleaf.db.row/1";

// Prints the rows of a scan, at most `limit`.
absl::Status PrintRows(const Session& session, Database* database, ScanRequest request,
                       bool tids_only, std::uint64_t limit) {
  request.with_values = !tids_only;
  const absl::StatusOr<std::unique_ptr<Scan>> scan = database->NewScan(std::move(request));
  if (!scan.ok()) return scan.status();
  RowPrinter printer(session, database->schema(), kRowSchema, tids_only);
  printer.Begin();
  for (std::uint64_t rows = 0; rows < limit && !session.out->reader_gone(); ++rows) {
    const absl::StatusOr<bool> more = (*scan)->Next();
    if (!more.ok() || !*more) return more.status();
    printer.Print(tids_only ? nullptr : (*scan)->values(), (*scan)->tid());
  }
  return absl::OkStatus();
}

class DbGetCommand final : public DbCommand {
 public:
  DbGetCommand()
      : DbCommand({"get",
                   "print the rows of one key",
                   {"tornleaf db get db 42", "tornleaf db get db 42 --tids-only",
                    "tornleaf db get db --format json -- -42"}}) {}

  void AddOptions(CLI::App* app) override {
    AddOpening(app);
    app->add_option("key", words_,
                    "leading key columns, a word for each; \\N is null; after -- if one begins "
                    "with a minus")
        ->required()
        ->option_text("KEY...");
    app->add_flag("--tids-only", tids_only_, "of each row its address only");
  }

  ExitCode Run(const Session& session) override {
    return With(session, [&](Database* database) {
      const absl::StatusOr<KeyArguments> key = ParseKeyArguments(database->schema(), words_);
      if (!key.ok()) return session.Fail(key.status());
      ScanRequest request;
      request.lower.values = key->values;
      request.upper.values = key->values;
      const absl::Status status =
          PrintRows(session, database, std::move(request), tids_only_, ~std::uint64_t{0});
      return status.ok() ? ExitCode::kHeld : FailHere(session, status);
    });
  }

 private:
  std::vector<std::string> words_;
  bool tids_only_ = false;
};

class DbScanCommand final : public DbCommand {
 public:
  DbScanCommand()
      : DbCommand({"scan",
                   "print rows in index order, as dump does",
                   {"tornleaf db scan db > rows",
                    "tornleaf db scan db --lower 100 --upper 200 --backward --limit 10",
                    "tornleaf db scan db --lower 100 --lower-excluded --tids-only --format csv"}}) {
  }

  void AddOptions(CLI::App* app) override {
    AddOpening(app);
    AddBound(app, "lower", &lower_, &lower_excluded_);
    AddBound(app, "upper", &upper_, &upper_excluded_);
    app->add_flag("--backward", backward_, "from the last row to the first");
    app->add_option("--limit", limit_, "at most so many rows")
        ->check(WholeNumber())
        ->option_text("N");
    app->add_flag("--tids-only", tids_only_, "of each row its address only");
  }

  ExitCode Run(const Session& session) override {
    return With(session, [&](Database* database) {
      const absl::StatusOr<KeyArguments> lower = ParseKeyArguments(database->schema(), lower_);
      if (!lower.ok()) return session.Fail(lower.status());
      const absl::StatusOr<KeyArguments> upper = ParseKeyArguments(database->schema(), upper_);
      if (!upper.ok()) return session.Fail(upper.status());
      ScanRequest request;
      request.lower = {lower->values, !lower_excluded_};
      request.upper = {upper->values, !upper_excluded_};
      request.backward = backward_;
      const absl::Status status =
          PrintRows(session, database, std::move(request), tids_only_, limit_);
      return status.ok() ? ExitCode::kHeld : FailHere(session, status);
    });
  }

 private:
  static void AddBound(CLI::App* app, const std::string& which, std::vector<std::string>* words,
                       bool* excluded) {
    app->add_option("--" + which, *words,
                    which + " end of the range, in index order; once for each leading key column")
        ->expected(1)
        ->take_all()
        ->option_text("VALUE");
    app->add_flag("--" + which + "-excluded", *excluded, "without the rows of that key");
  }

  std::vector<std::string> lower_;
  std::vector<std::string> upper_;
  bool lower_excluded_ = false;
  bool upper_excluded_ = false;
  bool backward_ = false;
  bool tids_only_ = false;
  std::uint64_t limit_ = ~std::uint64_t{0};
};

class DbCountCommand final : public DbCommand {
 public:
  DbCountCommand()
      : DbCommand({"count",
                   "count the rows",
                   {"tornleaf db count db", "tornleaf db count db --format json",
                    "tornleaf db count db --frames 64"}}) {}

  void AddOptions(CLI::App* app) override { AddOpening(app); }

  ExitCode Run(const Session& session) override {
    return With(session, [&](Database* database) {
      const absl::StatusOr<std::uint64_t> rows = database->Count();
      if (!rows.ok()) return FailHere(session, rows.status());
      switch (session.format) {
        case OutputFormat::kText:
          session.out->Write(absl::StrCat(*rows, "\n"));
          break;
        case OutputFormat::kJson:
          session.out->WriteJson({{"schema", "tornleaf.db.count/1"}, {"rows", *rows}});
          break;
        case OutputFormat::kCsv:
          session.out->WriteCsv({"rows"});
          session.out->WriteCsv({absl::StrCat(*rows)});
          break;
      }
      return ExitCode::kHeld;
    });
  }
};

// The row with the least or the greatest value of the first column; nulls are no values.
class DbEdgeCommand final : public DbCommand {
 public:
  DbEdgeCommand(const CommandInfo& info, bool greatest) : DbCommand(info), greatest_(greatest) {}

  void AddOptions(CLI::App* app) override { AddOpening(app); }

  ExitCode Run(const Session& session) override {
    return With(session, [&](Database* database) {
      const Attribute& first = database->schema().attribute(0);
      ScanRequest request;
      request.backward = greatest_ != first.descending;
      // Nulls stand at one end of the index, and may be all that there is.
      ScanBound no_nulls;
      no_nulls.values.emplace_back();
      no_nulls.inclusive = false;
      (first.nulls_first ? request.lower : request.upper) = no_nulls;
      const absl::Status status =
          PrintRows(session, database, std::move(request), /*tids_only=*/false, 1);
      return status.ok() ? ExitCode::kHeld : FailHere(session, status);
    });
  }

 private:
  bool greatest_;
};

}  // namespace

std::unique_ptr<Command> MakeDbGetCommand() { return std::make_unique<DbGetCommand>(); }
std::unique_ptr<Command> MakeDbScanCommand() { return std::make_unique<DbScanCommand>(); }
std::unique_ptr<Command> MakeDbCountCommand() { return std::make_unique<DbCountCommand>(); }
std::unique_ptr<Command> MakeDbMinCommand() {
  return std::make_unique<DbEdgeCommand>(
      CommandInfo{"min",
                  "print a row with the least value of the first column",
                  {"tornleaf db min db", "tornleaf db min db --format json",
                   "tornleaf db min db --format csv"}},
      /*greatest=*/false);
}
std::unique_ptr<Command> MakeDbMaxCommand() {
  return std::make_unique<DbEdgeCommand>(
      CommandInfo{"max",
                  "print a row with the greatest value of the first column",
                  {"tornleaf db max db", "tornleaf db max db --format json",
                   "tornleaf db max db --format csv"}},
      /*greatest=*/true);
}

}  // namespace tornleaf

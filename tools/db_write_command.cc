// tornleaf db put, tornleaf db delete: rows in, with word of what is durable.

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/build/row_text.h"
#include "engine/key/value_text.h"
#include "tools/bulk_feed.h"
#include "tools/db_command.h"
#include "tools/file_text.h"
#include "tools/finding_text.h"
#include "tools/interrupt.h"

namespace tornleaf {

namespace {

constexpr std::uint32_t kThreadsMax = 1024;

// What an end before the last row leaves.
std::string DurableText(std::uint64_t rows) {
  if (rows == 0) return "no row of the input is known to be durable";
  if (rows == 1) return "the first row of the input is durable";
  return absl::StrCat("the first ", Counted(rows, "row"), " of the input are durable");
}

// "(42,abc)", cut where it gets long.
std::string KeyText(const Schema& schema, const Value* values) {
  constexpr std::size_t kValueMax = 100;
  std::string text = "(";
  for (std::uint32_t index = 0; index < schema.key_count(); ++index) {
    if (index != 0) text += ",";
    if (values[index].is_null) {
      text += "null";
      continue;
    }
    std::string value;
    AppendValueText(schema.attribute(index).type, values[index], &value, kValueMax + 1);
    if (value.size() > kValueMax) value = value.substr(0, kValueMax) + "...";
    text += value;
  }
  return text + ")";
}

std::string TidText(ItemPointer tid) {
  std::string text;
  AppendTidText(tid, &text);
  return text;
}

// What `put` and `delete` are but for what they do with a row.
class BulkCommand : public DbCommand {
 public:
  using DbCommand::DbCommand;

  void AddOptions(CLI::App* app) override {
    AddOpening(app);
    app->add_option("rows", rows_,
                    "rows in the text format of COPY: the columns of the schema, then the row's "
                    "address as (block,offset); standard input if left out or -")
        ->option_text("[ROWS.tsv]");
    app->add_option("--sync-every", sync_every_,
                    "sync after so many rows, and print 'durable N': the first N rows of the input "
                    "are durable (10000)")
        ->check(WholeNumber())
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62))
        ->option_text("N");
    app->add_option("--threads", threads_, "rows at work at once (1)")
        ->check(WholeNumber())
        ->check(CLI::Range(1U, kThreadsMax))
        ->option_text("N");
  }

  ExitCode Run(const Session& session) override {
    FileText text(rows_, session.progress);
    const absl::Status status = text.Open();
    if (!status.ok()) return session.Fail(status);
    return With(session, [&](Database* database) {
      text.ExplainTerminal(session);
      NoticeInterrupts();
      RowReader reader(database->schema(), &text);
      if (session.format == OutputFormat::kCsv) session.out->WriteCsv({"durable"});
      return Report(session, Feed(session, database, &reader), text.name());
    });
  }

 protected:
  // Whether the row changed anything.
  virtual absl::StatusOr<bool> Apply(Database* database, const Value* values, ItemPointer tid) = 0;
  // "put", "were there already".
  virtual const char* changed_words() const = 0;
  virtual const char* unchanged_words() const = 0;

 private:
  BulkResult Feed(const Session& session, Database* database, RowReader* reader) {
    BulkJob job;
    job.schema = &database->schema();
    job.reader = reader;
    job.apply = [&](const Value* values, ItemPointer tid) { return Apply(database, values, tid); };
    job.sync = [&] { return database->Sync().status(); };
    job.durable = [&](std::uint64_t rows) { WriteDurable(session, rows); };
    // That nobody reads the results is no reason to leave rows out.
    job.interrupted = Interrupted;
    job.sync_every = sync_every_;
    job.tasks = threads_;
    return BulkFeed(environment().executor, job).Run();
  }

  // At once: whoever reads it may act on it.
  static void WriteDurable(const Session& session, std::uint64_t rows) {
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(absl::StrCat("durable ", rows, "\n"));
        break;
      case OutputFormat::kJson:
        session.out->WriteJson({{"schema", "tornleaf.db.durable/1"}, {"rows", rows}});
        break;
      case OutputFormat::kCsv:
        session.out->WriteCsv({absl::StrCat(rows)});
        break;
    }
    session.out->Flush();
  }

  ExitCode Report(const Session& session, const BulkResult& result, const std::string& input) {
    if (session.format == OutputFormat::kJson) {
      session.out->WriteJson({{"schema", absl::StrCat("tornleaf.db.", info().name, "/1")},
                              {"directory", directory()},
                              {"durable", result.rows},
                              {"changed", result.changed},
                              {"unchanged", result.unchanged}});
    } else if (session.format == OutputFormat::kText) {
      session.out->Write(absl::StrCat(Printable(directory()), ": ", Counted(result.changed, "row"),
                                      " ", changed_words(), ", ", WithCommas(result.unchanged), " ",
                                      unchanged_words(), "\n"));
    }
    const std::string kept = "; " + DurableText(result.rows);
    if (!result.status.ok()) {
      const std::string line = result.line == 0 ? "" : absl::StrCat("line ", result.line, ": ");
      // Damage is the database's, not the input's.
      const std::string where =
          absl::IsDataLoss(result.status) ? absl::StrCat(directory(), ": ") : "";
      return session.Fail(
          absl::Status(result.status.code(),
                       absl::StrCat(input, ": ", line, where, result.status.message(), kept)));
    }
    if (!result.interrupted) return ExitCode::kHeld;
    session.Complain(
        absl::StrCat(input, ": interrupted", kept, ", and the same command goes on from there"));
    return ExitCode::kCannot;
  }

  std::string rows_ = "-";
  std::uint64_t sync_every_ = 10000;
  std::uint32_t threads_ = 1;
};

class DbPutCommand final : public BulkCommand {
 public:
  DbPutCommand()
      : BulkCommand({"put",
                     "put rows in; those that are there already are passed over",
                     {"tornleaf db put db rows.tsv",
                      "tornleaf dump index --schema int4 | tornleaf db put db",
                      "tornleaf db put db rows.tsv --threads 4 --sync-every 1000"}}) {}

 protected:
  absl::StatusOr<bool> Apply(Database* database, const Value* values, ItemPointer tid) override {
    const absl::StatusOr<InsertResult> put = database->Put(values, tid);
    if (!put.ok()) return put.status();
    if (put->outcome != InsertResult::kConflict) return put->outcome == InsertResult::kInserted;
    return absl::AlreadyExistsError(absl::StrCat("key ", KeyText(database->schema(), values),
                                                 " is that of row ", TidText(put->conflict),
                                                 ", and the index is unique"));
  }
  const char* changed_words() const override { return "put"; }
  const char* unchanged_words() const override { return "were there already"; }
};

class DbDeleteCommand final : public BulkCommand {
 public:
  DbDeleteCommand()
      : BulkCommand({"delete",
                     "delete rows; those that are not there are passed over",
                     {"tornleaf db delete db rows.tsv",
                      "tornleaf db scan db --upper 100 > some && tornleaf db delete db some",
                      "tornleaf db delete db rows.tsv --threads 4 --sync-every 1000"}}) {}

 protected:
  absl::StatusOr<bool> Apply(Database* database, const Value* values, ItemPointer tid) override {
    return database->Delete(values, tid);
  }
  const char* changed_words() const override { return "deleted"; }
  const char* unchanged_words() const override { return "were not there"; }
};

}  // namespace

std::unique_ptr<Command> MakeDbPutCommand() { return std::make_unique<DbPutCommand>(); }
std::unique_ptr<Command> MakeDbDeleteCommand() { return std::make_unique<DbDeleteCommand>(); }

}  // namespace tornleaf

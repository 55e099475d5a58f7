// tornleaf db: an index in a directory, with a log, that survives whatever ends a process.

#include "tools/db_command.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "tools/commands.h"
#include "tools/finding_text.h"

namespace tornleaf {

namespace {

class DbGroup final : public Command {
 public:
  DbGroup()
      : Command({"db",
                 "keep an index in a directory, with a log and recovery",
                 {"tornleaf db init new --schema int4",
                  "tornleaf db init new --schema int4 --from index && tornleaf db count new",
                  "tornleaf db init new --schema int4 && tornleaf db put new rows.tsv && "
                  "tornleaf db scan new --limit 10"}}) {
    commands_.push_back(MakeDbInitCommand());
    commands_.push_back(MakeDbPutCommand());
    commands_.push_back(MakeDbDeleteCommand());
    commands_.push_back(MakeDbGetCommand());
    commands_.push_back(MakeDbScanCommand());
    commands_.push_back(MakeDbCountCommand());
    commands_.push_back(MakeDbMinCommand());
    commands_.push_back(MakeDbMaxCommand());
    commands_.push_back(MakeDbVacuumCommand());
    commands_.push_back(MakeDbCheckpointCommand());
    commands_.push_back(MakeDbCheckCommand());
  }

  std::span<const std::unique_ptr<Command>> children() const override { return commands_; }
  void AddOptions(CLI::App*) override {}
  ExitCode Run(const Session&) override { return ExitCode::kHeld; }

 private:
  std::vector<std::unique_ptr<Command>> commands_;
};

}  // namespace

std::unique_ptr<Command> MakeDbCommand() { return std::make_unique<DbGroup>(); }

void DbCommand::AddDirectory(CLI::App* app) {
  app->add_option("directory", directory_, "directory of the database (required)")
      ->required()
      ->option_text("DIR");
}

void DbCommand::AddOpening(CLI::App* app) {
  AddDirectory(app);
  app->add_option("--frames", options_.frames, "pages in memory, at least 8 (16384)")
      ->check(WholeNumber())
      ->check(CLI::Range(kFramesMin, std::numeric_limits<std::uint32_t>::max()))
      ->option_text("N");
  app->add_option("--checkpoint-distance", options_.checkpoint_distance,
                  "bytes of log after which a checkpoint is made (268435456)")
      ->check(WholeNumber())
      ->option_text("BYTES");
}

absl::StatusOr<std::unique_ptr<Database>> DbCommand::Open(const Session& session) {
  absl::StatusOr<std::unique_ptr<Database>> database =
      Database::Open(environment(), directory_, options_);
  if (!database.ok()) return database;
  std::uint64_t replayed = 0;
  for (const auto& [operation, count] : (*database)->recovery().applied) replayed += count;
  if (replayed != 0) {
    session.Complain(absl::StrCat(directory_, ": not closed in order last time; recovered by ",
                                  Counted(replayed, "record"), " of the log"));
  }
  return database;
}

ExitCode DbCommand::Close(const Session& session, Database* database) {
  const absl::Status status = database->Close();
  // What left the files in doubt has been said.
  if (status.ok() || absl::IsFailedPrecondition(status)) return ExitCode::kHeld;
  return session.Fail(status);
}

ExitCode DbCommand::FailHere(const Session& session, const absl::Status& status) const {
  return session.Fail(
      absl::Status(status.code(), absl::StrCat(directory_, ": ", status.message())));
}

}  // namespace tornleaf

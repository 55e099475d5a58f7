// What the commands below `tornleaf db` share: a directory, how it is opened, and how it is closed.

#ifndef TORNLEAF_TOOLS_DB_COMMAND_H_
#define TORNLEAF_TOOLS_DB_COMMAND_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/db/database.h"
#include "engine/env/environment.h"
#include "engine/env/posix_clock.h"
#include "engine/env/posix_device.h"
#include "engine/env/thread_executor.h"
#include "tools/command.h"

namespace tornleaf {

class DbCommand : public Command {
 public:
  using Command::Command;

 protected:
  // DIR alone; AddOpening() adds DIR and the options of opening a database.
  void AddDirectory(CLI::App* app);
  void AddOpening(CLI::App* app);

  const std::string& directory() const { return directory_; }
  const DatabaseOptions& options() const { return options_; }
  Environment environment() {
    return {.device = &device_, .clock = &clock_, .executor = &executor_};
  }

  // Says on standard error what recovery did, if it did anything.
  absl::StatusOr<std::unique_ptr<Database>> Open(const Session& session);
  // Opens the database, does `work` with it and closes it, whatever came of that: unless the files
  // are in doubt.
  template <typename Work>
  ExitCode With(const Session& session, Work work) {
    const absl::StatusOr<std::unique_ptr<Database>> database = Open(session);
    if (!database.ok()) return session.Fail(database.status());
    const ExitCode code = work(database->get());
    return WorseOf(code, Close(session, database->get()));
  }

  // "new: ..." before messages that do not name the database.
  ExitCode FailHere(const Session& session, const absl::Status& status) const;

 private:
  static ExitCode Close(const Session& session, Database* database);

  std::string directory_;
  DatabaseOptions options_;
  PosixDevice device_;
  PosixClock clock_;
  ThreadExecutor executor_;
};

// Each in the file of its name.
std::unique_ptr<Command> MakeDbInitCommand();
std::unique_ptr<Command> MakeDbPutCommand();
std::unique_ptr<Command> MakeDbDeleteCommand();
std::unique_ptr<Command> MakeDbGetCommand();
std::unique_ptr<Command> MakeDbScanCommand();
std::unique_ptr<Command> MakeDbCountCommand();
std::unique_ptr<Command> MakeDbMinCommand();
std::unique_ptr<Command> MakeDbMaxCommand();
std::unique_ptr<Command> MakeDbVacuumCommand();
std::unique_ptr<Command> MakeDbCheckpointCommand();
std::unique_ptr<Command> MakeDbCheckCommand();

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_DB_COMMAND_H_

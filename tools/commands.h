// Makers of the subcommands; each stands in the file of its name.

#ifndef TORNLEAF_TOOLS_COMMANDS_H_
#define TORNLEAF_TOOLS_COMMANDS_H_

#include <memory>

#include "tools/command.h"

namespace tornleaf {

std::unique_ptr<Command> MakeBuildCommand();
std::unique_ptr<Command> MakeCheckCommand();
std::unique_ptr<Command> MakeDbCommand();
std::unique_ptr<Command> MakeDumpCommand();
std::unique_ptr<Command> MakeExplainCommand();
std::unique_ptr<Command> MakeFormatsCommand();
std::unique_ptr<Command> MakeLogCommand();
std::unique_ptr<Command> MakeRedoCommand();
std::unique_ptr<Command> MakeSelftestCommand();
std::unique_ptr<Command> MakeViewCommand();
std::unique_ptr<Command> MakeWhatifCommand();

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_COMMANDS_H_

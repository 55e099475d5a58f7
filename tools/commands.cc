#include "tools/commands.h"

namespace tornleaf {

std::vector<std::unique_ptr<Command>> MakeCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(MakeCheckCommand());
  commands.push_back(MakeViewCommand());
  commands.push_back(MakeBuildCommand());
  commands.push_back(MakeDumpCommand());
  commands.push_back(MakeWhatifCommand());
  commands.push_back(MakeLogCommand());
  commands.push_back(MakeRedoCommand());
  commands.push_back(MakeExplainCommand());
  commands.push_back(MakeFormatsCommand());
  commands.push_back(MakeDbCommand());
  commands.push_back(MakeSelftestCommand());
  return commands;
}

}  // namespace tornleaf

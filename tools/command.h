// What every subcommand of `tornleaf` is made of: one file per subcommand, one frame around them.
//
// Rules that the frame keeps, so that a subcommand need not: standard output carries results only;
// messages and progress go to standard error; colour only on a terminal and without NO_COLOR;
// `--format` and `--color` are there in every subcommand; a reader that closes the pipe early is no
// error. A subcommand answers with an ExitCode, the truth about what it found.

#ifndef TORNLEAF_TOOLS_COMMAND_H_
#define TORNLEAF_TOOLS_COMMAND_H_

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/output.h"

namespace tornleaf {

enum class ExitCode : int {
  kHeld = 0,     // the job was done and nothing is wrong
  kCannot = 1,   // the job could not be done: usage, no such file, not a B-tree index, disk full
  kDamaged = 2,  // a page or an index breaks a rule, truncation included
};

// The worse of two: damage outranks what could not be looked at.
ExitCode WorseOf(ExitCode a, ExitCode b);

// kDamaged for DataLoss, which means damaged bytes here; kCannot for every other error.
ExitCode ExitCodeOf(const absl::Status& status);

enum class OutputFormat { kText, kJson, kCsv };

// What a subcommand gets from the frame for one run.
struct Session {
  std::string_view command;
  OutputFormat format = OutputFormat::kText;
  bool color = false;     // for results
  bool progress = false;  // standard error is a terminal
  Output* out = nullptr;  // standard output

  // Writes "tornleaf COMMAND: TEXT" and a newline to standard error.
  void Complain(std::string_view text) const;
  // Writes the status message the same way and gives the exit code that belongs to it.
  ExitCode Fail(const absl::Status& status) const;
};

struct CommandInfo {
  const char* name;
  const char* summary;  // one line for the list of subcommands
  std::array<const char*, 3>
      examples;  // whole command lines; a test runs them beside a file `index`
};

class Command {
 public:
  explicit Command(const CommandInfo& info) : info_(info) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  const CommandInfo& info() const { return info_; }

  // The commands below this one, as in `tornleaf db put`. One that has some does nothing itself,
  // and neither AddOptions() nor Run() are called.
  virtual std::span<const std::unique_ptr<Command>> children() const { return {}; }

  // Adds the options and positional arguments; they store into members.
  virtual void AddOptions(CLI::App* app) = 0;
  virtual ExitCode Run(const Session& session) = 0;

 private:
  CommandInfo info_;
};

// An option that takes one of a few words.
template <typename T>
void AddChoice(CLI::App* app, const char* name, const char* description, const char* type,
               const std::vector<std::pair<std::string, T>>& choices, T* value) {
  std::string words;
  for (const auto& [word, meaning] : choices) {
    absl::StrAppend(&words, words.empty() ? "" : (word == choices.back().first ? " or " : ", "),
                    word);
  }
  const CLI::callback_t store = [=](const CLI::results_t& typed) {
    for (const auto& [word, meaning] : choices) {
      if (word != typed.back()) continue;
      *value = meaning;
      return true;
    }
    throw CLI::ValidationError(name, absl::StrCat("'", typed.back(), "' is not one of ", words));
  };
  app->add_option(name, store, absl::StrCat(description, ": ", words))->option_text(type);
}

// For options that take a number: CLI11 takes the empty word for 0, and for a word that is no
// number it only repeats it.
inline CLI::Validator WholeNumber() {
  return CLI::Validator(
      [](std::string& typed) {
        const bool good =
            !typed.empty() && typed.find_first_not_of("0123456789") == std::string::npos;
        return good ? std::string() : absl::StrCat("'", typed, "' is no whole number");
      },
      "");
}

// Every subcommand, in the order in which help lists them: commands.cc.
std::vector<std::unique_ptr<Command>> MakeCommands();

// The whole program: parses, runs, writes; gives the exit code of the process.
int RunCommandLine(int argc, const char* const* argv, Output* out);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_COMMAND_H_

// The frame: CLI11 does the parsing; this file gives its errors our exit codes and suggestions.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>

#include "absl/strings/str_cat.h"
#include "engine/key/nearest_word.h"
#include "tools/command.h"

namespace tornleaf {
namespace {

constexpr const char* kVersion = "tornleaf 0.1.0";

constexpr const char* kHelpText = "print this help and exit";

constexpr const char* kSchemaHelp = R"(
SCHEMA names the columns in order: types without names, separated by commas, each followed by what
is not the default of: collate NAME (C), storage plain|main|extended|external (the type's), asc|desc,
nulls first|last (last; first after desc). Then '; include TYPE, ...' and '; unique', if so:
  'text collate "de-x-icu", numeric(10,2) desc nulls last; include uuid; unique'
)";

// What `tornleaf formats` lists.
enum class PageFormat : std::uint8_t { kNbtree };

struct CommonOptions {
  OutputFormat format = OutputFormat::kText;
  PageFormat page_format = PageFormat::kNbtree;
  ColorWish color = ColorWish::kAuto;
};

// One line, whatever the names and values that it quotes are; of a long one begin and end, where
// the place and the reason stand.
void Message(std::string_view text) {
  constexpr std::size_t kEachEndMax = 1000;
  std::string line = Printable(text);
  if (line.size() > 2 * kEachEndMax) {
    line.replace(kEachEndMax, line.size() - 2 * kEachEndMax, " ... ");
  }
  std::fprintf(stderr, "tornleaf: %s\n", line.c_str());
}

void AddCommonOptions(CLI::App* app, CommonOptions* common) {
  AddChoice<OutputFormat>(
      app, "--format", "output format", "FORMAT",
      {{"text", OutputFormat::kText}, {"json", OutputFormat::kJson}, {"csv", OutputFormat::kCsv}},
      &common->format);
  AddChoice<ColorWish>(
      app, "--color", "when to use colour", "WHEN",
      {{"auto", ColorWish::kAuto}, {"always", ColorWish::kAlways}, {"never", ColorWish::kNever}},
      &common->color);
  // One so far; scripts that name it will go on to work when there are more.
  AddChoice<PageFormat>(app, "--page-format", "page format of the index", "NAME",
                        {{"nbtree", PageFormat::kNbtree}}, &common->page_format);
}

using Commands = std::span<const std::unique_ptr<Command>>;

std::vector<std::string> NamesOf(Commands commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.emplace_back(command->info().name);
  return names;
}

std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string DidYouMean(std::string_view typed, const std::vector<std::string>& candidates) {
  const std::string nearest = NearestWord(typed, candidates);
  return nearest.empty() ? ";" : absl::StrCat("; did you mean '", nearest, "'?");
}

// What is wrong with the arguments that nobody took, or CLI11's own words for another error.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error) {
  const bool has_extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  // An option that is unknown may be why something else is missing.
  if (!has_extras && dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) {
    return absl::StrCat(error.what(), ";");
  }
  for (const std::string& argument : app.remaining(true)) {
    if (argument.size() > 1 && argument[0] == '-') {
      const std::string name = argument.substr(0, argument.find('='));
      return absl::StrCat("unknown option '", name, "'", DidYouMean(name, OptionsOf(app)));
    }
  }
  if (!has_extras) return absl::StrCat(error.what(), ";");
  return absl::StrCat("unexpected argument '", app.remaining(true).front(), "';");
}

std::string Footer(const Command& command, bool has_schema) {
  std::string footer = "Examples:\n";
  for (const char* example : command.info().examples) {
    absl::StrAppend(&footer, "  ", example, "\n");
  }
  if (has_schema) footer += kSchemaHelp;
  absl::StrAppend(&footer,
                  "\nExit code: 0 nothing is wrong; 1 the job could not be done; 2 an index is "
                  "damaged.");
  return footer;
}

// Two levels at most: `tornleaf db put`.
void AddCommands(Commands commands, CommonOptions* common, CLI::App* app) {
  for (const auto& command : commands) {
    CLI::App* sub = app->add_subcommand(command->info().name, command->info().summary);
    sub->set_help_flag("-h,--help", kHelpText);
    if (command->children().empty()) {
      command->AddOptions(sub);
      AddCommonOptions(sub, common);
    } else {
      sub->require_subcommand(1);
      AddCommands(command->children(), common, sub);
    }
    sub->footer(Footer(*command, sub->get_option_no_throw("--schema") != nullptr));
  }
}

// The command that the first words name.
struct Selection {
  Command* command = nullptr;
  CLI::App* app = nullptr;
  std::string name;  // "check", "db put"

  std::string Help() const {
    const std::size_t group = name.rfind(' ');
    return app->help(group == std::string::npos ? "tornleaf"
                                                : absl::StrCat("tornleaf ", name.substr(0, group)));
  }
};

// Follows the words from `words[0]` on as far as they name commands. False, with a message, where
// one is unknown.
bool Select(Commands commands, CLI::App* app, std::span<const char* const> words,
            Selection* selection) {
  selection->app = app;
  for (const char* typed : words) {
    const std::string word = typed;
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const auto& command) {
      return word == command->info().name;
    });
    if (found == commands.end()) {
      const bool option = word.starts_with('-');
      // What the command itself takes: --help, --version.
      if (option && (selection->command != nullptr || word == "--version")) return true;
      const std::string below = selection->name.empty() ? "" : selection->name + ": ";
      const std::string lister = selection->name.empty() ? "" : selection->name + " ";
      Message(absl::StrCat(below, "unknown ", option ? "option" : "command", " '", word, "'",
                           DidYouMean(word, option ? OptionsOf(*app) : NamesOf(commands)),
                           " 'tornleaf ", lister, "--help' lists all"));
      return false;
    }
    selection->command = found->get();
    selection->app = selection->app->get_subcommand(word);
    absl::StrAppend(&selection->name, selection->name.empty() ? "" : " ", word);
    commands = selection->command->children();
    if (commands.empty()) return true;
  }
  return true;
}

// Writes out what is left. The code becomes that of a failure where results were lost.
ExitCode FlushResults(std::string_view command, ExitCode code, Output* out) {
  out->Flush();
  if (out->error() == 0) return code;
  Message(absl::StrCat(std::string(command),
                       ": cannot write the results: ", std::strerror(out->error())));
  return WorseOf(code, ExitCode::kCannot);
}

ExitCode RunCommand(const Selection& selection, const CommonOptions& common, Output* out) {
  Session session;
  session.command = selection.name;
  session.format = common.format;
  session.color = WantsColor(common.color, STDOUT_FILENO);
  session.progress = ::isatty(STDERR_FILENO) == 1;
  session.out = out;
  ExitCode code = ExitCode::kCannot;
  try {
    code = selection.command->Run(session);
  } catch (const std::bad_alloc&) {
    // A database that was open is as after a crash: what was acknowledged is there.
    session.Complain("out of memory; ask for less, such as fewer --frames, or give it more");
  }
  return FlushResults(session.command, code, out);
}

}  // namespace

ExitCode WorseOf(ExitCode a, ExitCode b) { return a > b ? a : b; }

ExitCode ExitCodeOf(const absl::Status& status) {
  if (status.ok()) return ExitCode::kHeld;
  return absl::IsDataLoss(status) ? ExitCode::kDamaged : ExitCode::kCannot;
}

void Session::Complain(std::string_view text) const {
  out->Flush();  // On a terminal the message stands behind the results that came before it.
  Message(absl::StrCat(std::string(command), ": ", std::string(text)));
}

ExitCode Session::Fail(const absl::Status& status) const {
  const absl::string_view message = status.message();
  Complain({message.data(), message.size()});
  return ExitCodeOf(status);
}

int RunCommandLine(int argc, const char* const* argv, Output* out) {
  const std::vector<std::unique_ptr<Command>> commands = MakeCommands();
  CommonOptions common;
  CLI::App app{
      "Read, verify and rebuild B-tree index files, page by page; what is read is never changed, "
      "but by "
      "`db`, which keeps an index of its own.",
      "tornleaf"};
  app.set_help_flag("-h,--help", kHelpText);
  app.set_version_flag("--version", kVersion, "print the version and exit");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  AddCommands(commands, &common, &app);

  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return static_cast<int>(ExitCode::kCannot);
  }
  std::string word = argv[1];
  const bool help_about = word == "help" && argc > 2 && argv[2][0] != '-';
  if (!help_about && (word == "help" || word == "--help" || word == "-h")) {
    out->Write(app.help());
    return static_cast<int>(FlushResults("help", ExitCode::kHeld, out));
  }
  const int first = help_about ? 2 : 1;
  Selection selection;
  if (!Select(commands, &app, {argv + first, static_cast<std::size_t>(argc - first)}, &selection)) {
    return static_cast<int>(ExitCode::kCannot);
  }
  if (help_about) {
    out->Write(selection.Help());
    return static_cast<int>(FlushResults("help", ExitCode::kHeld, out));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    out->Write(selection.Help());
    return static_cast<int>(FlushResults(selection.name, ExitCode::kHeld, out));
  } catch (const CLI::CallForVersion&) {
    out->Write(absl::StrCat(kVersion, "\n"));
    return static_cast<int>(FlushResults(word, ExitCode::kHeld, out));
  } catch (const CLI::ParseError& error) {
    Message(absl::StrCat(selection.name, ": ", UsageError(*selection.app, error), " 'tornleaf ",
                         selection.name, " --help' says more"));
    return static_cast<int>(ExitCode::kCannot);
  }
  return static_cast<int>(RunCommand(selection, common, out));
}

}  // namespace tornleaf

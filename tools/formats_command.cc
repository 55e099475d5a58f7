// tornleaf formats: the page formats this program knows, and what it can do with each.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/format/nbtree_v4.h"
#include "engine/page/slotted_page_v4.h"
#include "tools/commands.h"

namespace tornleaf {
namespace {

struct FormatRow {
  const char* name;
  std::uint32_t version_min;
  std::uint32_t version_max;
  bool reads;
  std::uint32_t writes_version;  // 0: read-only
  const char* what;
};

constexpr FormatRow kFormats[] = {
    {"nbtree", nbtree::kVersionMin, nbtree::kVersionMax, true, nbtree::kVersionMax,
     "PostgreSQL's B-tree: 2 up to 10, 3 is 11, 4 since 12"},
};

class FormatsCommand final : public Command {
 public:
  FormatsCommand()
      : Command({"formats",
                 "list the page formats, their versions, and what can be done with them",
                 {"tornleaf formats", "tornleaf formats --format json",
                  "tornleaf formats --format csv"}}) {}

  void AddOptions(CLI::App*) override {}

  ExitCode Run(const Session& session) override {
    if (session.format == OutputFormat::kCsv) {
      session.out->WriteCsv({"name", "version_min", "version_max", "read", "write_version",
                             "page_size_min", "page_size_max", "description"});
    }
    for (const FormatRow& row : kFormats) WriteRow(session, row);
    return ExitCode::kHeld;
  }

 private:
  static void WriteRow(const Session& session, const FormatRow& row) {
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(absl::StrFormat(
            "%s  versions %u to %u  %s%s  page size %u to %u bytes\n    %s\n", row.name,
            row.version_min, row.version_max, row.reads ? "read" : "",
            row.writes_version == 0 ? "" : absl::StrCat(", write version ", row.writes_version),
            slotted_v4::kPageSizeMin, slotted_v4::kPageSizeMax, row.what));
        return;
      case OutputFormat::kJson:
        session.out->WriteJson({{"schema", "tornleaf.formats/1"},
                                {"name", row.name},
                                {"version_min", row.version_min},
                                {"version_max", row.version_max},
                                {"read", row.reads},
                                {"write_version", row.writes_version},
                                {"page_size_min", slotted_v4::kPageSizeMin},
                                {"page_size_max", slotted_v4::kPageSizeMax},
                                {"description", row.what}});
        return;
      case OutputFormat::kCsv:
        session.out->WriteCsv({row.name, absl::StrCat(row.version_min),
                               absl::StrCat(row.version_max), row.reads ? "t" : "f",
                               absl::StrCat(row.writes_version),
                               absl::StrCat(slotted_v4::kPageSizeMin),
                               absl::StrCat(slotted_v4::kPageSizeMax), row.what});
        return;
    }
  }
};

}  // namespace

std::unique_ptr<Command> MakeFormatsCommand() { return std::make_unique<FormatsCommand>(); }

}  // namespace tornleaf

// tornleaf dump: the rows of an index file, in index order and in the form that build takes.

#include "absl/strings/str_cat.h"
#include "engine/build/index_rows.h"
#include "engine/env/posix_device.h"
#include "tools/commands.h"
#include "tools/row_printer.h"
#include "tools/target.h"

namespace tornleaf {
namespace {

class DumpCommand final : public Command {
 public:
  DumpCommand()
      : Command(
            {"dump",
             "print the rows of an index, as build takes them",
             {"tornleaf dump index --schema int4", "tornleaf dump index --schema int4 > rows.tsv",
              "tornleaf dump index --schema int4 --format csv"}}) {}

  void AddOptions(CLI::App* app) override {
    app->add_option("file", path_, "index file")->required()->option_text("FILE");
    AddSchemaOption(app, "columns of the index (required)", &schema_text_)->required();
  }

  ExitCode Run(const Session& session) override {
    const absl::StatusOr<Schema> schema = ParseRequiredSchema(schema_text_);
    if (!schema.ok()) return session.Fail(schema.status());
    PosixDevice device;
    const auto file = OpenRelation(&device, path_);
    if (!file.ok()) return session.Fail(file.status());
    IndexRows rows(*schema, file->get());
    const absl::Status status = Dump(session, *schema, &rows);
    if (rows.dead_rows() != 0) {
      session.Complain(absl::StrCat(path_, ": ", WithCommas(rows.dead_rows()),
                                    " rows left out, whose items are marked dead"));
    }
    if (!(*file)->status().ok()) return session.Fail((*file)->status());
    if (!status.ok()) {
      return session.Fail(absl::Status(status.code(), absl::StrCat(path_, ": ", status.message())));
    }
    if ((*file)->trailing_bytes() != 0) {
      return session.Fail(absl::DataLossError(absl::StrCat(
          path_, ": the last ", (*file)->trailing_bytes(), " bytes are a page cut short")));
    }
    return ExitCode::kHeld;
  }

 private:
  static absl::Status Dump(const Session& session, const Schema& schema, IndexRows* rows) {
    RowPrinter printer(session, schema, "tornleaf.dump/1");
    printer.Begin();
    while (!session.out->reader_gone()) {
      const absl::StatusOr<bool> read = rows->Next();
      if (!read.ok() || !*read) return read.status();
      printer.Print(rows->values(), rows->tid());
    }
    return absl::OkStatus();
  }

  std::string path_;
  std::string schema_text_;
};

}  // namespace

std::unique_ptr<Command> MakeDumpCommand() { return std::make_unique<DumpCommand>(); }

}  // namespace tornleaf

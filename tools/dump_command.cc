// tornleaf dump: the rows of an index file, in index order and in the form that build takes.

#include "absl/strings/str_cat.h"
#include "engine/build/index_rows.h"
#include "engine/build/row_text.h"
#include "engine/env/posix_device.h"
#include "engine/key/value_text.h"
#include "tools/commands.h"
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
    if (session.format == OutputFormat::kCsv) session.out->WriteCsv(Header(schema));
    std::string line;
    while (!session.out->reader_gone()) {
      const absl::StatusOr<bool> read = rows->Next();
      if (!read.ok() || !*read) return read.status();
      switch (session.format) {
        case OutputFormat::kText:
          line.clear();
          AppendRowText(schema, rows->values(), rows->tid(), &line);
          session.out->Write(line);
          break;
        case OutputFormat::kJson:
          session.out->WriteJson(RowJson(schema, *rows));
          break;
        case OutputFormat::kCsv:
          session.out->WriteCsv(RowCsv(schema, *rows));
          break;
      }
    }
    return absl::OkStatus();
  }

  static std::vector<std::string> Header(const Schema& schema) {
    std::vector<std::string> names;
    for (std::uint32_t index = 0; index < schema.attribute_count(); ++index) {
      const bool is_key = index < schema.key_count();
      names.push_back(is_key ? absl::StrCat("key", index + 1)
                             : absl::StrCat("include", index - schema.key_count() + 1));
    }
    names.emplace_back("tid");
    return names;
  }

  static std::string ValueText(const Schema& schema, const IndexRows& rows, std::uint32_t index) {
    std::string text;
    if (!rows.values()[index].is_null) {
      AppendValueText(schema.attribute(index).type, rows.values()[index], &text);
    }
    return text;
  }

  static std::string TidText(ItemPointer tid) {
    std::string text;
    AppendTidText(tid, &text);
    return text;
  }

  // As psql does: null is an empty field.
  static std::vector<std::string> RowCsv(const Schema& schema, const IndexRows& rows) {
    std::vector<std::string> fields;
    for (std::uint32_t index = 0; index < schema.attribute_count(); ++index) {
      fields.push_back(ValueText(schema, rows, index));
    }
    fields.push_back(TidText(rows.tid()));
    return fields;
  }

  // Values are text, as numbers of JSON hold neither int8 nor numeric.
  static Json RowJson(const Schema& schema, const IndexRows& rows) {
    Json columns = Json::array();
    for (std::uint32_t index = 0; index < schema.attribute_count(); ++index) {
      if (rows.values()[index].is_null) {
        columns.push_back(nullptr);
      } else {
        columns.push_back(ValueText(schema, rows, index));
      }
    }
    return {{"schema", "tornleaf.dump/1"}, {"columns", columns}, {"tid", TidText(rows.tid())}};
  }

  std::string path_;
  std::string schema_text_;
};

}  // namespace

std::unique_ptr<Command> MakeDumpCommand() { return std::make_unique<DumpCommand>(); }

}  // namespace tornleaf

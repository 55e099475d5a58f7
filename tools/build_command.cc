// tornleaf build: rows in, an index file out, as CREATE INDEX lays it out.

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/build/index_build.h"
#include "engine/env/posix_device.h"
#include "engine/store/relation_writer.h"
#include "tools/commands.h"
#include "tools/file_text.h"
#include "tools/lsn_text.h"
#include "tools/target.h"

namespace tornleaf {
namespace {

class BuildCommand final : public Command {
 public:
  BuildCommand()
      : Command({"build",
                 "build an index file of rows, as CREATE INDEX lays it out",
                 {"tornleaf build --schema int4 -o new rows.tsv",
                  "tornleaf build --schema 'text collate C; unique' --checksums -o new rows.tsv",
                  "tornleaf dump index --schema int4 | "
                  "tornleaf build --schema int4 --sorted -o new"}}) {}

  void AddOptions(CLI::App* app) override {
    app->add_option("rows", rows_,
                    "rows in the text format of COPY: the columns of the schema, then the row's "
                    "address as (block,offset); standard input if left out or -")
        ->option_text("[ROWS.tsv]");
    AddSchemaOption(app, "columns of the index (required)", &schema_text_)->required();
    app->add_option("-o,--output", output_, "the index file to write (required)")
        ->required()
        ->option_text("FILE");
    app->add_flag("--force", force_, "replace the file if it exists");
    app->add_flag("--sorted", input_.sorted,
                  "rows come in index order: they are checked, and not kept in memory");
    app->add_option("--fillfactor", options_.fillfactor, "how full leaves get, in percent (90)")
        ->check(WholeNumber())
        ->check(CLI::Range(nbtree::kFillFactorMin, nbtree::kFillFactorMax))
        ->option_text("N");
    app->add_flag_callback(
        "--no-dedup", [this] { options_.deduplicate = false; }, "no posting lists");
    app->add_flag("--checksums", options_.checksums, "as in a cluster with data checksums");
    app->add_option("--page-size", options_.page_size,
                    "bytes, as of a server built with that block size (8192)")
        ->check(WholeNumber())
        ->check(CLI::IsMember({512, 1024, 2048, 4096, 8192, 16384, 32768}))
        ->option_text("N");
    app->add_option("--lsn", lsn_text_,
                    "log position of every page (0/0); past the end of the log of the server that "
                    "gets the file, its recovery would skip records")
        ->option_text("X/X");
    app->add_flag_callback(
        "--long-headers", [this] { input_.plain_headers = PlainHeaders::kLong; },
        "COPY put the rows into the table: short values of columns with storage plain keep "
        "headers of four bytes");
  }

  ExitCode Run(const Session& session) override {
    const absl::Status status = Build(session);
    if (!status.ok()) return session.Fail(status);
    const std::uint64_t bytes = std::uint64_t{summary_.pages} * options_.page_size;
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(absl::StrFormat("%s: %s rows, %s pages, %s bytes\n", Printable(output_),
                                           WithCommas(summary_.rows), WithCommas(summary_.pages),
                                           WithCommas(bytes)));
        break;
      case OutputFormat::kJson:
        session.out->WriteJson({{"schema", "tornleaf.build/1"},
                                {"file", output_},
                                {"rows", summary_.rows},
                                {"pages", summary_.pages},
                                {"bytes", bytes}});
        break;
      case OutputFormat::kCsv:
        session.out->WriteCsv({"file", "rows", "pages", "bytes"});
        session.out->WriteCsv({output_, absl::StrCat(summary_.rows), absl::StrCat(summary_.pages),
                               absl::StrCat(bytes)});
        break;
    }
    return ExitCode::kHeld;
  }

 private:
  absl::Status Build(const Session& session) {
    const absl::StatusOr<Schema> schema = ParseRequiredSchema(schema_text_);
    if (!schema.ok()) return schema.status();
    if (!lsn_text_.empty()) {
      const std::optional<Lsn> lsn = ParseLsn(lsn_text_);
      if (!lsn) {
        return absl::InvalidArgumentError(
            absl::StrCat("--lsn '", lsn_text_, "': expected two hex numbers such as 0/16B3748"));
      }
      options_.lsn = *lsn;
    }
    if (output_.empty()) return absl::InvalidArgumentError("--output '': name the file to write");
    FileText text(rows_, session.progress);
    absl::Status status = text.Open();
    if (!status.ok()) return status;
    input_.rows = &text;

    PosixDevice device;
    device.RemoveUnfinishedOnSignals();
    auto writer = RelationWriter::Create(&device, output_, options_.page_size, force_);
    if (absl::IsAlreadyExists(writer.status())) {
      return absl::AlreadyExistsError(
          absl::StrCat(writer.status().message(), "; --force replaces it"));
    }
    if (!writer.ok()) return writer.status();
    text.ExplainTerminal(session);
    status = BuildIndex(*schema, options_, input_, writer->get(), &summary_);
    if (absl::IsInvalidArgument(status)) {
      return absl::InvalidArgumentError(absl::StrCat(text.name(), ": ", status.message()));
    }
    return status.ok() ? (*writer)->Commit() : status;
  }

  std::string rows_ = "-";
  std::string schema_text_;
  std::string output_;
  std::string lsn_text_;
  bool force_ = false;
  BuildOptions options_;
  BuildInput input_;
  BuildSummary summary_;
};

}  // namespace

std::unique_ptr<Command> MakeBuildCommand() { return std::make_unique<BuildCommand>(); }

}  // namespace tornleaf

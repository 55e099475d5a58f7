// tornleaf db init: makes an empty database, or one that starts from an index file.

#include "tools/db_command.h"
#include "tools/target.h"

namespace tornleaf {

namespace {

class DbInitCommand final : public DbCommand {
 public:
  DbInitCommand()
      : DbCommand({"init",
                   "make a database, empty or from an index file",
                   {"tornleaf db init new --schema int4",
                    "tornleaf db init new --schema 'text collate C, int8 desc; unique' "
                    "--fillfactor 70 --log-segment-bytes 1048576",
                    "tornleaf db init new --schema int4 --from index"}}) {}

  void AddOptions(CLI::App* app) override {
    AddDirectory(app);
    AddSchemaOption(app, "columns of the index (required)", &schema_text_)->required();
    app->add_option("--from", from_,
                    "start as a copy of this index file, of version 4 and in its page size; any "
                    "segment of a larger one stands for all")
        ->option_text("FILE");
    app->add_option("--page-size", format_.page_size, "bytes (8192)")
        ->check(WholeNumber())
        ->check(CLI::IsMember({512, 1024, 2048, 4096, 8192, 16384, 32768}))
        ->option_text("N");
    app->add_option("--fillfactor", format_.tree.fillfactor,
                    "how full a split leaves the last leaf, in percent (90)")
        ->check(WholeNumber())
        ->check(CLI::Range(nbtree::kFillFactorMin, nbtree::kFillFactorMax))
        ->option_text("N");
    app->add_flag_callback(
        "--no-dedup", [this] { format_.tree.deduplicate = false; }, "no posting lists");
    app->add_flag_callback(
        "--no-checksums", [this] { format_.checksums = false; },
        "pages without checksums: damage by the disk is not noticed when they are read");
    app->add_flag_callback(
        "--no-full-page-images", [this] { format_.full_page_images = false; },
        "no images of pages in the log: less is written, and a page of which a power failure left "
        "a part cannot be repaired");
    app->add_option("--log-segment-bytes", format_.log_segment_bytes,
                    "size of the log's files, a power of two (16777216)")
        ->check(WholeNumber())
        ->option_text("N");
  }

  ExitCode Run(const Session& session) override {
    const absl::StatusOr<Schema> schema = ParseRequiredSchema(schema_text_);
    if (!schema.ok()) return session.Fail(schema.status());
    const absl::Status status =
        Database::Create(environment(), directory(), *schema, format_, from_);
    if (!status.ok()) return session.Fail(status);
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(Printable(directory()) + ": made\n");
        break;
      case OutputFormat::kJson:
        session.out->WriteJson({{"schema", "tornleaf.db.init/1"},
                                {"directory", directory()},
                                {"index_schema", schema->ToString()}});
        break;
      case OutputFormat::kCsv:
        session.out->WriteCsv({"directory", "index_schema"});
        session.out->WriteCsv({directory(), schema->ToString()});
        break;
    }
    return ExitCode::kHeld;
  }

 private:
  std::string schema_text_;
  std::string from_;
  DatabaseFormat format_;
};

}  // namespace

std::unique_ptr<Command> MakeDbInitCommand() { return std::make_unique<DbInitCommand>(); }

}  // namespace tornleaf

// tornleaf redo: a server's log, replayed over a copy of an index file.

#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/env/overlay_device.h"
#include "engine/env/posix_device.h"
#include "engine/env/posix_environment.h"
#include "engine/store/relation_writer.h"
#include "engine/tree/redo.h"
#include "engine/tree/tree.h"
#include "engine/verify/verifier.h"
#include "engine/wal/log_reader.h"
#include "engine/wal/record/names.h"
#include "tools/commands.h"
#include "tools/lsn_text.h"
#include "tools/page_items.h"
#include "tools/target.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kFrames = 4096;

struct Replayed {
  RedoSummary summary;
  Lsn begin = 0;  // of the first record that was read
  Lsn end = 0;    // of the last one that was replayed
  std::string end_reason;
  std::set<RelationId> indexes;  // that the log has B-tree records of
};

std::string TypeName(const std::pair<std::uint8_t, std::uint8_t>& type) {
  return std::string(wal::OperationName(type.first, type.second).view());
}

class RedoCommand final : public Command {
 public:
  RedoCommand()
      : Command({"redo",
                 "replay a server's log over a copy of an index file",
                 {"tornleaf redo index --log pg_wal --relation 1663/5/16384",
                  "tornleaf redo index --log pg_wal --relation 1663/5/16384 -o new",
                  "tornleaf redo index --log pg_wal --relation 1663/5/16384 --until 0/2000000 "
                  "--format json"}}) {}

  void AddOptions(CLI::App* app) override {
    app->add_option("file", path_, "index file as it was, copied from a server; it is only read")
        ->required()
        ->option_text("FILE");
    app->add_option("--log", log_,
                    "folder with the server's log since the copy: pg_wal, or the segments of an "
                    "archive; a gap in it shows only where a record does not fit (required)")
        ->required()
        ->option_text("DIR");
    app->add_option("--relation", relation_text_,
                    "the index in the log: TABLESPACE/DATABASE/RELATION, the last of which is "
                    "pg_relation_filenode('index') and the first 1663 by default (required)")
        ->required()
        ->option_text("T/D/R");
    app->add_option("-o,--output", output_, "write the file that results; else it is only counted")
        ->option_text("OUT");
    app->add_flag("--force", force_, "replace OUT if it exists");
    app->add_option("--until", until_text_, "replay records that end at or before this position")
        ->option_text("X/X");
  }

  ExitCode Run(const Session& session) override {
    const absl::Status status = Prepare();
    if (!status.ok()) return session.Fail(status);
    PosixDevice posix;
    posix.RemoveUnfinishedOnSignals();
    OverlayDevice overlay(&posix);
    Environment environment = PosixEnvironment();
    environment.device = &overlay;
    Replayed replayed;
    const absl::Status done = ReplayAndWrite(environment, &posix, &replayed);
    if (!done.ok()) return session.Fail(done);
    Report(session, replayed);
    return ExitCode::kHeld;
  }

 private:
  absl::Status Prepare() {
    const std::optional<RelationId> id = ParseRelationId(relation_text_);
    if (!id) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--relation '", relation_text_, "': expected three numbers such as 1663/5/16384"));
    }
    relation_id_ = *id;
    if (until_text_.empty()) return absl::OkStatus();
    until_ = ParseLsn(until_text_);
    if (until_) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--until '", until_text_, "': expected two hex numbers such as 0/16B3748"));
  }

  // Replays into memory, on top of the files.
  absl::Status ReplayAndWrite(const Environment& environment, Device* target, Replayed* replayed) {
    RelationOptions options;
    {
      const auto file = OpenRelation(environment.device, path_);
      if (!file.ok()) return file.status();
      options.page_size = (*file)->page_size();
      options.checksums = DetectChecksums(file->get()) == ChecksumMode::kOn;
      options.path = (*file)->path();
    }
    options.id = relation_id_;
    const auto relation = Relation::Open(environment, options, /*create=*/false);
    if (!relation.ok()) return relation.status();
    TreePageGuard guard(nullptr);
    BufferPool pool(environment, kFrames, options.page_size, nullptr);
    Redo redo(&pool);
    redo.AddRelation(relation_id_, pool.Attach(relation->get(), &guard));
    absl::Status status = Replay(environment.device, &redo, replayed);
    if (status.ok()) status = pool.WriteAll();
    if (!status.ok() || output_.empty()) return status;
    return Write(target, relation->get());
  }

  absl::Status Replay(Device* device, Redo* redo, Replayed* replayed) const {
    const auto reader = wal::LogReader::Open(device, log_, 0);
    if (!reader.ok()) return reader.status();
    replayed->end_reason = "--until";
    for (;;) {
      const absl::StatusOr<bool> more = (*reader)->Next();
      if (!more.ok()) return more.status();
      if (!*more) {
        replayed->end_reason = (*reader)->end_reason();
        break;
      }
      if (until_ && (*reader)->end() > *until_) break;
      const wal::DecodedRecord& record = (*reader)->record();
      if (replayed->begin == 0) replayed->begin = (*reader)->start();
      NoteIndex(record, replayed);
      const absl::Status status = redo->Apply(record, (*reader)->end());
      if (!status.ok()) {
        return absl::Status(status.code(),
                            absl::StrCat(path_, ": record at ", LsnText((*reader)->start()), ": ",
                                         status.message()));
      }
      replayed->end = (*reader)->end();
    }
    replayed->summary = redo->summary();
    if (!replayed->summary.applied.empty()) return absl::OkStatus();
    return absl::NotFoundError(NothingFound(*replayed));
  }

  static void NoteIndex(const wal::DecodedRecord& record, Replayed* replayed) {
    constexpr std::size_t kNamed = 5;
    const bool btree = record.manager == static_cast<std::uint8_t>(wal::ResourceManager::kBtree);
    if (!btree || !record.has_block(0) || replayed->indexes.size() >= kNamed) return;
    replayed->indexes.insert(record.blocks[0].relation);
  }

  std::string NothingFound(const Replayed& replayed) const {
    std::string text =
        absl::StrCat(log_, ": no record of ", relation_text_, " up to ", LsnText(replayed.end));
    if (replayed.indexes.empty()) return text;
    return absl::StrCat(
        text, "; it has some of ",
        absl::StrJoin(replayed.indexes, ", ", [](std::string* out, const RelationId& id) {
          absl::StrAppend(out, RelationIdText(id));
        }));
  }

  absl::Status Write(Device* target, Relation* relation) const {
    auto writer = RelationWriter::Create(target, output_, relation->page_size(), force_);
    if (absl::IsAlreadyExists(writer.status())) {
      return absl::AlreadyExistsError(
          absl::StrCat(writer.status().message(), "; --force replaces it"));
    }
    if (!writer.ok()) return writer.status();
    std::vector<std::uint8_t> page(relation->page_size());
    for (BlockNumber block = 0; block < relation->block_count(); ++block) {
      absl::Status status = relation->Read(block, page);
      if (status.ok()) status = (*writer)->WritePage(block, page);
      if (!status.ok()) return status;
    }
    return (*writer)->Commit();
  }

  void Report(const Session& session, const Replayed& replayed) const {
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(Text(replayed));
        break;
      case OutputFormat::kJson:
        session.out->WriteJson(AsJson(replayed));
        break;
      case OutputFormat::kCsv:
        session.out->WriteCsv({"record", "count"});
        for (const auto& [type, count] : replayed.summary.applied) {
          session.out->WriteCsv({TypeName(type), absl::StrCat(count)});
        }
        break;
    }
  }

  std::string Text(const Replayed& replayed) const {
    const RedoSummary& summary = replayed.summary;
    std::string text =
        absl::StrFormat("%s: %s to %s (%s)\n", Printable(path_), LsnText(replayed.begin),
                        LsnText(replayed.end), Printable(replayed.end_reason));
    for (const auto& [type, count] : summary.applied) {
      absl::StrAppendFormat(&text, "%12s  %s\n", WithCommas(count), TypeName(type));
    }
    absl::StrAppendFormat(&text, "%12s  pages restored from images\n",
                          WithCommas(summary.images_restored));
    absl::StrAppendFormat(&text, "%12s  page changes made, %s already there\n",
                          WithCommas(summary.pages_changed), WithCommas(summary.pages_skipped));
    absl::StrAppendFormat(&text, "%12s  records of others\n",
                          WithCommas(summary.records_elsewhere));
    return text;
  }

  Json AsJson(const Replayed& replayed) const {
    const RedoSummary& summary = replayed.summary;
    Json records = Json::object();
    for (const auto& [type, count] : summary.applied) records[TypeName(type)] = count;
    return {{"schema", "tornleaf.redo/1"},
            {"file", path_},
            {"output", output_.empty() ? Json(nullptr) : Json(output_)},
            {"relation", RelationIdText(relation_id_)},
            {"begin", LsnText(replayed.begin)},
            {"end", LsnText(replayed.end)},
            {"end_reason", replayed.end_reason},
            {"records", records},
            {"images_restored", summary.images_restored},
            {"page_changes", summary.pages_changed},
            {"page_changes_skipped", summary.pages_skipped},
            {"records_elsewhere", summary.records_elsewhere}};
  }

  std::string path_;
  std::string log_;
  std::string relation_text_;
  std::string output_;
  std::string until_text_;
  bool force_ = false;
  RelationId relation_id_;
  std::optional<Lsn> until_;
};

}  // namespace

std::unique_ptr<Command> MakeRedoCommand() { return std::make_unique<RedoCommand>(); }

}  // namespace tornleaf

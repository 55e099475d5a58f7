// tornleaf view: what stands on a page, or on all pages of a file. It shows and does not judge:
// the exit code is 0 unless there is nothing to show.

#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/env/posix_device.h"
#include "tools/commands.h"
#include "tools/page_picture.h"
#include "tools/page_text.h"
#include "tools/pageinspect.h"
#include "tools/target.h"

namespace tornleaf {
namespace {

enum class Part { kDefault, kItems, kStats, kMeta, kHex };

class ViewCommand final : public Command {
 public:
  ViewCommand()
      : Command({"view",
                 "show a page, or a whole index, as text, JSON, or pageinspect's CSV",
                 {"tornleaf view index", "tornleaf view index:1 --hex --color always",
                  "tornleaf view index --items --format csv"}}) {}

  void AddOptions(CLI::App* app) override {
    app->add_option("target", target_text_,
                    "index file, or FILE:BLOCK for one page; without options a list of pages, or "
                    "the page; of --items, --stats, --meta and --hex one at a time")
        ->required()
        ->option_text("FILE[:BLOCK]");
    const auto part = [&](const char* name, Part value, const char* description) {
      CLI::Option* option = app->add_flag_callback(
          name, [this, value] { part_ = value; }, description);
      return option->option_text(" ");  // or help lists what it excludes
    };
    CLI::Option* items = part("--items", Part::kItems, "items (csv: as bt_page_items)");
    CLI::Option* stats = part("--stats", Part::kStats, "page statistics (csv: as bt_page_stats)");
    CLI::Option* meta = part("--meta", Part::kMeta, "metapage (csv: as bt_metap)");
    CLI::Option* hex = part("--hex", Part::kHex, "bytes, with names and regions");
    items->excludes(stats, meta, hex);
    stats->excludes(meta, hex);
    meta->excludes(hex);
    AddSchemaOption(app, "columns of the index, to show keys as values", &schema_text_);
  }

  ExitCode Run(const Session& session) override {
    PosixDevice device;
    const absl::StatusOr<Target> target = ParseTarget(&device, target_text_);
    if (!target.ok()) return session.Fail(target.status());
    const absl::StatusOr<std::optional<Schema>> schema = ParseSchemaOption(schema_text_);
    if (!schema.ok()) return session.Fail(schema.status());
    options_ = {PointerTo(*schema), session.color};
    auto file = OpenRelation(&device, target->path);
    if (!file.ok()) return session.Fail(file.status());
    file_ = file->get();
    path_ = file_->path();
    block_ = target->block;
    buffer_.resize(file_->page_size());
    if (block_ && *block_ >= file_->block_count()) {
      return session.Fail(BeyondTheEnd(*block_));
    }
    if (!block_ && file_->trailing_bytes() != 0) {
      session.Complain(absl::StrFormat("%s: the last %u bytes are a page cut short; not shown",
                                       path_, file_->trailing_bytes()));
    }
    return Show(session);
  }

 private:
  using PageFunction = std::function<void(PageView page, BlockNumber block)>;

  absl::Status BeyondTheEnd(BlockNumber block) const {
    const BlockNumber last = file_->block_count() - 1;
    if (block == last + 1 && file_->trailing_bytes() != 0) {
      return absl::DataLossError(absl::StrFormat("%s: block %u is cut short: %u of %u bytes", path_,
                                                 block, file_->trailing_bytes(),
                                                 file_->page_size()));
    }
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: there is no block %u; the file has blocks 0 to %u", path_, block, last));
  }

  ExitCode Show(const Session& session) {
    Part part = part_;
    if (part == Part::kDefault && session.format != OutputFormat::kText) {
      part = block_ == nbtree::kMetaBlock ? Part::kMeta : Part::kItems;
    }
    switch (part) {
      case Part::kDefault:
        return block_ ? ShowPage(session) : ShowOverview(session);
      case Part::kItems:
        return ShowItems(session);
      case Part::kStats:
        return ShowStats(session);
      case Part::kMeta:
        return ShowMeta(session);
      case Part::kHex:
        return ShowHex(session);
    }
    return ExitCode::kCannot;
  }

  // Calls the function for the page that was named, or for all from `first` on.
  ExitCode ForEachPage(const Session& session, BlockNumber first, const PageFunction& function) {
    const BlockNumber begin = block_.value_or(first);
    const BlockNumber end = block_ ? *block_ + 1 : file_->block_count();
    for (BlockNumber block = begin; block < end && !session.out->reader_gone(); ++block) {
      const ByteView bytes = file_->ReadSequential(block, buffer_);
      if (bytes.empty()) return session.Fail(file_->status());
      function(PageView(bytes), block);
    }
    return ExitCode::kHeld;
  }

  ExitCode ShowPage(const Session& session) {
    return ForEachPage(session, 0, [&](PageView page, BlockNumber block) {
      session.out->Write(PageText(path_, page, block, options_));
    });
  }

  ExitCode ShowOverview(const Session& session) {
    const ExitCode code = ShowMeta(session);
    return code == ExitCode::kHeld ? ShowStats(session) : code;
  }

  ExitCode ShowItems(const Session& session) {
    if (session.format == OutputFormat::kCsv) {
      pageinspect::Row columns = pageinspect::ItemColumns();
      if (!block_) columns.insert(columns.begin(), "blkno");
      session.out->WriteCsv(columns);
    }
    return ForEachPage(session, 1, [&](PageView page, BlockNumber block) {
      const std::vector<PageItem> items = ItemsOf(page, block);
      if (session.format == OutputFormat::kText) {
        session.out->Write(PageHeadline(path_, page, block));
      }
      for (const PageItem& item : items) ShowItem(session, page, block, item);
    });
  }

  void ShowItem(const Session& session, PageView page, BlockNumber block, const PageItem& item) {
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(ItemLine(item, options_));
        return;
      case OutputFormat::kJson:
        session.out->WriteJson(ItemJson(path_, page, block, item, options_));
        return;
      case OutputFormat::kCsv: {
        pageinspect::Row row = pageinspect::ItemRow(item);
        if (!block_) row.insert(row.begin(), absl::StrCat(block));
        session.out->WriteCsv(row);
        return;
      }
    }
  }

  ExitCode ShowStats(const Session& session) {
    const pageinspect::Row& columns = pageinspect::StatsColumns();
    if (session.format == OutputFormat::kCsv) session.out->WriteCsv(columns);
    if (session.format == OutputFormat::kText) session.out->Write(StatsHeading());
    return ForEachPage(session, 1, [&](PageView page, BlockNumber block) {
      const std::optional<pageinspect::Stats> stats = pageinspect::StatsOf(page, block);
      if (session.format == OutputFormat::kText) {
        session.out->Write(StatsLine(page, block, stats));
      } else if (!stats) {
        return;  // The server has no row for such a page either.
      } else if (session.format == OutputFormat::kCsv) {
        session.out->WriteCsv(pageinspect::StatsRow(*stats));
      } else {
        session.out->WriteJson(StatsJson(page, *stats));
      }
    });
  }

  static std::string StatsHeading() {
    return absl::StrFormat("%8s  %-9s  %5s  %5s  %5s  %7s  %6s  %8s  %8s  %-10s  %s\n", "block",
                           "kind", "level", "items", "dead", "average", "free", "prev", "next",
                           "lsn", "flags");
  }

  static std::string StatsLine(PageView page, BlockNumber block,
                               const std::optional<pageinspect::Stats>& stats) {
    const char* kind = NameOf(KindOfPage(page, block));
    if (!stats) return absl::StrFormat("%8u  %s\n", block, kind);
    return absl::StrFormat("%8u  %-9s  %5u  %5u  %5u  %7u  %6u  %8u  %8u  %-10s  %s\n", block, kind,
                           stats->level, stats->live_items + stats->dead_items, stats->dead_items,
                           stats->average_item_size, stats->free_size, stats->prev, stats->next,
                           LsnText(page.lsn()), FlagsText(stats->flags, nbtree::kFlagBits));
  }

  Json StatsJson(PageView page, const pageinspect::Stats& stats) const {
    return {{"schema", "tornleaf.view.stats/1"},
            {"file", path_},
            {"block", stats.block},
            {"page", NameOf(KindOfPage(page, stats.block))},
            {"lsn", LsnText(page.lsn())},
            {"type", std::string(1, stats.type)},
            {"live_items", stats.live_items},
            {"dead_items", stats.dead_items},
            {"avg_item_size", stats.average_item_size},
            {"page_size", stats.page_size},
            {"free_size", stats.free_size},
            {"btpo_prev", stats.prev},
            {"btpo_next", stats.next},
            {"btpo_level", stats.level},
            {"btpo_flags", stats.flags}};
  }

  ExitCode ShowMeta(const Session& session) {
    const ByteView bytes = file_->Read(nbtree::kMetaBlock, buffer_);
    if (bytes.empty()) return session.Fail(file_->status());
    const pageinspect::Row& columns = pageinspect::MetaColumns();
    const pageinspect::Row row = pageinspect::MetaRow(PageView(bytes));
    if (session.format == OutputFormat::kCsv) {
      session.out->WriteCsv(columns);
      session.out->WriteCsv(row);
      return ExitCode::kHeld;
    }
    if (session.format == OutputFormat::kJson) {
      Json json = {{"schema", "tornleaf.view.meta/1"},
                   {"file", path_},
                   {"page_size", file_->page_size()},
                   {"blocks", file_->block_count()}};
      for (std::size_t index = 0; index < columns.size(); ++index)
        json[columns[index]] = MetaJson(row[index]);
      session.out->WriteJson(json);
      return ExitCode::kHeld;
    }
    session.out->Write(absl::StrFormat("%s  %u blocks of %u bytes\n", Printable(path_),
                                       file_->block_count(), file_->page_size()));
    for (std::size_t index = 0; index < columns.size(); ++index) {
      session.out->Write(absl::StrFormat("  %-26s %s\n", columns[index] + ":", row[index]));
    }
    return ExitCode::kHeld;
  }

  // The row's texts are numbers, but for the boolean at its end.
  static Json MetaJson(const std::string& text) {
    if (text == "t" || text == "f") return text == "t";
    const Json number = Json::parse(text, nullptr, false);
    return number.is_discarded() ? Json(text) : number;  // NaN and infinities are no JSON numbers
  }

  ExitCode ShowHex(const Session& session) {
    if (session.format == OutputFormat::kCsv) {
      session.out->WriteCsv({"blkno", "structure", "offset", "size", "name", "value"});
    }
    return ForEachPage(session, 0, [&](PageView page, BlockNumber block) {
      if (session.format == OutputFormat::kText) {
        session.out->Write(PageHeadline(path_, page, block));
        session.out->Write(RegionLegend(RegionsOf(page, block), session.color) + "\n");
        session.out->Write(HexDump(page, block, session.color));
        return;
      }
      Json fields = Json::array();
      for (const FieldValue& field : FieldsOf(page, block)) {
        if (session.format == OutputFormat::kCsv) {
          session.out->WriteCsv({absl::StrCat(block), field.structure, absl::StrCat(field.offset),
                                 absl::StrCat(field.size), field.name, field.value});
        }
        fields.push_back({{"structure", field.structure},
                          {"offset", field.offset},
                          {"size", field.size},
                          {"name", field.name},
                          {"value", field.value}});
      }
      if (session.format != OutputFormat::kJson) return;
      session.out->WriteJson({{"schema", "tornleaf.view.hex/1"},
                              {"file", path_},
                              {"block", block},
                              {"page", NameOf(KindOfPage(page, block))},
                              {"fields", std::move(fields)},
                              {"bytes", pageinspect::HexText(page.bytes())}});
    });
  }

  std::string target_text_;
  std::string schema_text_;
  Part part_ = Part::kDefault;

  // Of the run.
  PageTextOptions options_;
  RelationFile* file_ = nullptr;
  std::string path_;
  std::optional<BlockNumber> block_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace

std::unique_ptr<Command> MakeViewCommand() { return std::make_unique<ViewCommand>(); }

}  // namespace tornleaf

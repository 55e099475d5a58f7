// tornleaf log: the records of a write-ahead log, ours or a server's, and where it ends.

#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "engine/env/posix_device.h"
#include "engine/wal/log_reader.h"
#include "engine/wal/record/names.h"
#include "engine/wal/segment.h"
#include "tools/commands.h"
#include "tools/log_text.h"

namespace tornleaf {
namespace {

struct Sum {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // without images
  std::uint64_t image_bytes = 0;
};
// By resource manager and operation.
using Sums = std::map<std::pair<std::uint8_t, std::uint8_t>, Sum>;

// "1A/2B3C4D58".
bool ParseLsn(const std::string& text, Lsn* lsn) {
  const std::vector<std::string> words = absl::StrSplit(text, '/');
  std::uint32_t high = 0;
  std::uint32_t low = 0;
  if (words.size() != 2) return false;
  if (!absl::SimpleHexAtoi(words[0], &high) || !absl::SimpleHexAtoi(words[1], &low)) return false;
  *lsn = static_cast<Lsn>(high) << 32 | low;
  return true;
}

class LogCommand final : public Command {
 public:
  LogCommand()
      : Command({"log",
                 "print the records of a write-ahead log, as pg_waldump does",
                 {"tornleaf log corpus/golden/log-v15",
                  "tornleaf log corpus/golden/log-v15 --from 0/1000 --format json",
                  "tornleaf log corpus/golden/log-v15 --stats"}}) {}

  void AddOptions(CLI::App* app) override {
    app->add_option("dir", folder_, "folder with the segments: DIR/wal of a database, or pg_wal")
        ->required()
        ->option_text("DIR");
    app->add_option("--from", from_, "begin at the first record at or after this position")
        ->option_text("LSN");
    app->add_flag("--stats", stats_, "print counts and sizes by kind of record instead");
  }

  ExitCode Run(const Session& session) override {
    Lsn from = 0;
    if (!from_.empty() && (!ParseLsn(from_, &from) || from == 0)) {
      session.Complain(
          absl::StrCat("--from: '", from_, "' is no position; they look like 0/19D82E0"));
      return ExitCode::kCannot;
    }
    PosixDevice device;
    auto reader = wal::LogReader::Open(&device, folder_, from);
    if (!reader.ok()) return session.Fail(reader.status());
    if (session.format == OutputFormat::kCsv) {
      session.out->WriteCsv(stats_ ? StatsColumns() : RecordColumns());
    }
    Sums sums;
    while (!session.out->reader_gone()) {
      const absl::StatusOr<bool> next = (*reader)->Next();
      if (!next.ok()) return session.Fail(next.status());
      if (!*next) break;
      if (stats_) {
        Add((*reader)->record(), &sums);
      } else {
        WriteRecord(session, **reader);
      }
    }
    if (stats_) WriteStats(session, sums);
    WriteEnd(session, **reader);
    return ExitCode::kHeld;
  }

 private:
  static void Add(const wal::DecodedRecord& record, Sums* sums) {
    Sum& sum = (*sums)[{record.manager, wal::OperationBits(record.manager, record.info)}];
    const std::uint32_t image_bytes = ImageBytes(record);
    ++sum.records;
    sum.bytes += record.total_length - image_bytes;
    sum.image_bytes += image_bytes;
  }

  static void WriteRecord(const Session& session, const wal::LogReader& reader) {
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(RecordLine(reader));
        break;
      case OutputFormat::kJson:
        session.out->WriteJson(RecordJson(reader));
        break;
      case OutputFormat::kCsv:
        session.out->WriteCsv(RecordRow(reader));
        break;
    }
  }

  static std::vector<std::string> StatsColumns() {
    return {"manager", "operation", "records", "bytes", "image_bytes"};
  }

  static void WriteStats(const Session& session, const Sums& sums) {
    if (session.format == OutputFormat::kText) {
      session.out->Write(
          absl::StrFormat("%-32s %12s %16s %16s\n", "record", "count", "bytes", "image bytes"));
    }
    Sum total;
    for (const auto& [kind, sum] : sums) {
      WriteSum(session, wal::ResourceManagerName(kind.first).c_str(),
               wal::OperationName(kind.first, kind.second).c_str(), sum);
      total.records += sum.records;
      total.bytes += sum.bytes;
      total.image_bytes += sum.image_bytes;
    }
    if (session.format == OutputFormat::kText) WriteSum(session, "all", "", total);
  }

  static void WriteSum(const Session& session, const std::string& manager,
                       const std::string& operation, const Sum& sum) {
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(absl::StrFormat(
            "%-32s %12s %16s %16s\n",
            operation.empty() ? manager : absl::StrCat(manager, "/", operation),
            WithCommas(sum.records), WithCommas(sum.bytes), WithCommas(sum.image_bytes)));
        break;
      case OutputFormat::kJson:
        session.out->WriteJson({{"schema", "tornleaf.log.stats/1"},
                                {"manager", manager},
                                {"operation", operation},
                                {"records", sum.records},
                                {"bytes", sum.bytes},
                                {"image_bytes", sum.image_bytes}});
        break;
      case OutputFormat::kCsv:
        session.out->WriteCsv({manager, operation, absl::StrCat(sum.records),
                               absl::StrCat(sum.bytes), absl::StrCat(sum.image_bytes)});
        break;
    }
  }

  // CSV is a table of one kind of row; the end is no row of it.
  static void WriteEnd(const Session& session, const wal::LogReader& reader) {
    if (session.format == OutputFormat::kText) {
      session.out->Write(absl::StrCat("the log ends at ", reader.end_reason(), "\n"));
    } else if (session.format == OutputFormat::kJson) {
      session.out->WriteJson({{"schema", "tornleaf.log.end/1"},
                              {"lsn", wal::LsnText(reader.end())},
                              {"last_record_lsn", wal::LsnText(reader.start())},
                              {"reason", reader.end_reason()},
                              {"timeline", reader.timeline()},
                              {"system_identifier", absl::StrCat(reader.system_identifier())},
                              {"page_bytes", reader.page_bytes()},
                              {"segment_bytes", reader.segment_bytes()}});
    }
  }

  std::string folder_;
  std::string from_;
  bool stats_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeLogCommand() { return std::make_unique<LogCommand>(); }

}  // namespace tornleaf

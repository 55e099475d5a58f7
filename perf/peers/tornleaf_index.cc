#include <memory>

#include "engine/db/database.h"
#include "engine/env/posix_environment.h"
#include "perf/peers/index.h"

namespace tornleaf::peers {

namespace {

template <typename Status>
void Demand(const Status& status) {
  if (!status.ok()) CheckFailed("tornleaf", 0, std::string(status.message()).c_str());
}
template <typename T>
T Must(absl::StatusOr<T> result) {
  Demand(result.status());
  return *std::move(result);
}

class TornleafIndex final : public Index {
 public:
  explicit TornleafIndex(KeyType type)
      : schema_(Must(Schema::Parse(type == KeyType::kUrl ? "text collate C" : "int8"))) {}
  ~TornleafIndex() override { Close(); }

  void Open(const std::string& folder) override {
    const Environment environment = PosixEnvironment();
    const std::string directory = folder + "/index";
    if (!Must(FileExists(environment.device, directory + "/control"))) {
      Demand(Database::Create(environment, directory, schema_, DatabaseFormat{}));
    }
    DatabaseOptions options;
    options.frames = 131'072;  // 1 GiB
    options.checkpoint_distance = std::uint64_t{64} << 30;
    database_ = Must(Database::Open(environment, directory, options));
  }

  void Close() override {
    if (database_ == nullptr) return;
    Demand(database_->Close());
    database_ = nullptr;
  }

  void Insert(const RowList& rows) override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Value key = KeyOf(rows, i);
      CHECK(Must(database_->Put(&key, UnpackTid(rows.tid(i)))).outcome == InsertResult::kInserted);
    }
  }

  Answer Lookup(const RowList& keys) override {
    Answer answer;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Value key = KeyOf(keys, i);
      for (const ItemPointer tid : Must(database_->Get(&key, 1))) answer.AddRow(PackTid(tid));
    }
    return answer;
  }

  Answer Scan() override {
    Answer answer;
    const auto scan = Must(database_->NewScan({}));
    while (Must(scan->Next())) AddRow(scan.get(), &answer);
    return answer;
  }

  Answer ScanRanges(const RowList& starts, std::uint32_t length) override {
    Answer answer;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      ScanRequest request;
      request.lower.values = {KeyOf(starts, i)};
      const auto scan = Must(database_->NewScan(std::move(request)));
      for (std::uint32_t left = length; left > 0 && Must(scan->Next()); --left) {
        AddRow(scan.get(), &answer);
      }
    }
    return answer;
  }

  std::uint64_t Count() override { return Must(database_->Count()); }

 private:
  static Value KeyOf(const RowList& rows, std::size_t i) {
    return Value::Of({rows.key(i), rows.key_size()});
  }
  // A URL ends with its last character, an integer has no more than its 8 bytes.
  static void AddRow(tornleaf::Scan* scan, Answer* answer) {
    const Value& key = scan->values()[0];
    answer->AddRow(PackTid(scan->tid()), key.data + key.size);
  }

  Schema schema_;
  std::unique_ptr<Database> database_;
};

}  // namespace

Engine TornleafEngine() {
  return {
      "Tornleaf", "",
      "text collate C, int8; log, full-page images and checksums on, 131,072 frames, no "
      "checkpoint while rows are loaded; each insertion is whole and ordered in the log, each "
      "lookup and scan a call of its own. A crash of the process or the machine loses what was "
      "inserted since the last sync, as a suffix",
      [](KeyType type) -> std::unique_ptr<Index> { return std::make_unique<TornleafIndex>(type); }};
}

}  // namespace tornleaf::peers

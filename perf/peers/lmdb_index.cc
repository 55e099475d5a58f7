#include <lmdb.h>

#include <cstring>

#include "perf/peers/index.h"

namespace tornleaf::peers {

namespace {

constexpr std::size_t kMapBytes = std::size_t{8} << 30;
constexpr std::size_t kTidSize = 6;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

void Demand(int code) {
  if (code != MDB_SUCCESS) CheckFailed("lmdb", code, mdb_strerror(code));
}

// Duplicates are ordered by their bytes: most significant first.
void StoreTidBytes(PackedTid tid, std::uint8_t* to) {
  const std::uint64_t swapped = __builtin_bswap64(tid << 16);
  std::memcpy(to, &swapped, kTidSize);
}

PackedTid LoadTidBytes(const MDB_val& value) {
  std::uint64_t swapped = 0;
  std::memcpy(&swapped, value.mv_data, kTidSize);
  return __builtin_bswap64(swapped) >> 16;
}

class LmdbIndex final : public Index {
 public:
  explicit LmdbIndex(KeyType type) : type_(type) {}
  ~LmdbIndex() override { Close(); }

  void Open(const std::string& folder) override {
    Demand(mdb_env_create(&environment_));
    Demand(mdb_env_set_mapsize(environment_, kMapBytes));
    Demand(mdb_env_open(environment_, folder.c_str(),
                        MDB_WRITEMAP | MDB_NOSYNC | MDB_NOLOCK | MDB_NOTLS | MDB_NOMEMINIT, 0644));
    MDB_txn* transaction = nullptr;
    Demand(mdb_txn_begin(environment_, nullptr, 0, &transaction));
    unsigned flags = MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED;
    if (type_ == KeyType::kInt8) flags |= MDB_INTEGERKEY;
    Demand(mdb_dbi_open(transaction, nullptr, flags, &database_));
    Demand(mdb_txn_commit(transaction));
  }

  void Close() override {
    if (environment_ == nullptr) return;
    Demand(mdb_env_sync(environment_, 1));
    mdb_env_close(environment_);
    environment_ = nullptr;
  }

  void Insert(const RowList& rows) override {
    MDB_txn* transaction = nullptr;
    Demand(mdb_txn_begin(environment_, nullptr, 0, &transaction));
    MDB_cursor* cursor = nullptr;
    Demand(mdb_cursor_open(transaction, database_, &cursor));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::uint64_t integer = 0;
      MDB_val key = KeyOf(rows, i, &integer);
      std::uint8_t tid[kTidSize];
      StoreTidBytes(rows.tid(i), tid);
      MDB_val value{kTidSize, tid};
      Demand(mdb_cursor_put(cursor, &key, &value, MDB_NODUPDATA));
    }
    mdb_cursor_close(cursor);
    Demand(mdb_txn_commit(transaction));
  }

  Answer Lookup(const RowList& keys) override {
    const Reader reader(environment_, database_);
    Answer answer;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::uint64_t integer = 0;
      MDB_val key = KeyOf(keys, i, &integer);
      MDB_val value{};
      int code = mdb_cursor_get(reader.cursor, &key, &value, MDB_SET);
      while (code == MDB_SUCCESS) {
        answer.AddRow(LoadTidBytes(value));
        code = mdb_cursor_get(reader.cursor, &key, &value, MDB_NEXT_DUP);
      }
      CHECK(code == MDB_NOTFOUND);
    }
    return answer;
  }

  Answer Scan() override {
    const Reader reader(environment_, database_);
    Answer answer;
    MDB_val key{};
    MDB_val value{};
    int code = mdb_cursor_get(reader.cursor, &key, &value, MDB_FIRST);
    while (code == MDB_SUCCESS) {
      AddRow(key, value, &answer);
      code = mdb_cursor_get(reader.cursor, &key, &value, MDB_NEXT);
    }
    CHECK(code == MDB_NOTFOUND);
    return answer;
  }

  Answer ScanRanges(const RowList& starts, std::uint32_t length) override {
    const Reader reader(environment_, database_);
    Answer answer;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      std::uint64_t integer = 0;
      MDB_val key = KeyOf(starts, i, &integer);
      MDB_val value{};
      int code = mdb_cursor_get(reader.cursor, &key, &value, MDB_SET_RANGE);
      for (std::uint32_t left = length; code == MDB_SUCCESS; --left) {
        AddRow(key, value, &answer);
        if (left == 1) break;
        code = mdb_cursor_get(reader.cursor, &key, &value, MDB_NEXT);
      }
      CHECK(code == MDB_SUCCESS || code == MDB_NOTFOUND);
    }
    return answer;
  }

  std::uint64_t Count() override {
    const Reader reader(environment_, database_);
    MDB_stat statistics{};
    Demand(mdb_stat(reader.transaction, database_, &statistics));
    return statistics.ms_entries;
  }

 private:
  struct Reader {
    Reader(MDB_env* environment, MDB_dbi database) {
      Demand(mdb_txn_begin(environment, nullptr, MDB_RDONLY, &transaction));
      Demand(mdb_cursor_open(transaction, database, &cursor));
    }
    ~Reader() {
      mdb_cursor_close(cursor);
      mdb_txn_abort(transaction);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    MDB_txn* transaction = nullptr;
    MDB_cursor* cursor = nullptr;
  };

  // MDB_INTEGERKEY orders by unsigned value, so the sign is turned around.
  MDB_val KeyOf(const RowList& rows, std::size_t i, std::uint64_t* integer) const {
    if (type_ == KeyType::kUrl) {
      // LMDB does not write to keys; its interface knows no const.
      return {rows.key_size(), const_cast<std::uint8_t*>(rows.key(i))};
    }
    *integer = static_cast<std::uint64_t>(rows.integer(i)) ^ kSign;
    return {sizeof *integer, integer};
  }

  void AddRow(const MDB_val& key, const MDB_val& value, Answer* answer) const {
    const auto* end = static_cast<const std::uint8_t*>(key.mv_data) + key.mv_size;
    if (type_ == KeyType::kUrl) {
      answer->AddRow(LoadTidBytes(value), end);
    } else {
      std::uint64_t integer = 0;
      std::memcpy(&integer, key.mv_data, sizeof integer);
      answer->AddRow(LoadTidBytes(value), integer ^ kSign);
    }
  }

  KeyType type_;
  MDB_env* environment_ = nullptr;
  MDB_dbi database_ = 0;
};

}  // namespace

Engine LmdbEngine() {
  return {"LMDB",
          std::to_string(MDB_VERSION_MAJOR) + "." + std::to_string(MDB_VERSION_MINOR) + "." +
              std::to_string(MDB_VERSION_PATCH),
          "key -> TID under MDB_DUPSORT and MDB_DUPFIXED, int8 with its sign turned under "
          "MDB_INTEGERKEY; MDB_WRITEMAP, MDB_NOSYNC, MDB_NOLOCK, MDB_NOTLS, MDB_NOMEMINIT; one "
          "transaction and one cursor for each line. No log and no checksums; a crash of the "
          "process loses the whole load, one of the machine may damage the file",
          [](KeyType type) -> std::unique_ptr<Index> { return std::make_unique<LmdbIndex>(type); }};
}

}  // namespace tornleaf::peers

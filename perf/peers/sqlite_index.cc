#include <sqlite3.h>

#include "perf/peers/index.h"

namespace tornleaf::peers {

namespace {

class SqliteIndex final : public Index {
 public:
  explicit SqliteIndex(KeyType type) : type_(type) {}
  ~SqliteIndex() override { Close(); }

  void Open(const std::string& folder) override {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    Demand(sqlite3_open_v2((folder + "/index.db").c_str(), &database_, flags, nullptr));
    // The cache holds everything, so that no page is written before the load is committed.
    Run("PRAGMA page_size = 16384; PRAGMA cache_size = 400000; PRAGMA journal_mode = OFF;"
        "PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;"
        "PRAGMA mmap_size = 4294967296; PRAGMA cache_spill = OFF;");
    Run(type_ == KeyType::kUrl
            ? "CREATE TABLE IF NOT EXISTS t (k TEXT, tid INTEGER, PRIMARY KEY (k, tid)) WITHOUT "
              "ROWID"
            : "CREATE TABLE IF NOT EXISTS t (k INTEGER, tid INTEGER, PRIMARY KEY (k, tid)) "
              "WITHOUT ROWID");
  }

  void Close() override {
    if (database_ == nullptr) return;
    Demand(sqlite3_close(database_));
    database_ = nullptr;
  }

  void Insert(const RowList& rows) override {
    const Statement insert(this, "INSERT INTO t VALUES (?, ?)");
    Run("BEGIN");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Bind(insert, rows, i);
      Demand(sqlite3_bind_int64(insert.get(), 2, static_cast<std::int64_t>(rows.tid(i))));
      CHECK(sqlite3_step(insert.get()) == SQLITE_DONE);
      sqlite3_reset(insert.get());
    }
    Run("COMMIT");
  }

  Answer Lookup(const RowList& keys) override {
    const Statement select(this, "SELECT tid FROM t WHERE k = ?");
    Run("BEGIN");
    Answer answer;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      Bind(select, keys, i);
      while (sqlite3_step(select.get()) == SQLITE_ROW) answer.AddRow(Tid(select, 0));
      sqlite3_reset(select.get());
    }
    Run("COMMIT");
    return answer;
  }

  Answer Scan() override {
    const Statement select(this, "SELECT k, tid FROM t ORDER BY k, tid");
    Answer answer;
    while (sqlite3_step(select.get()) == SQLITE_ROW) AddRow(select, &answer);
    return answer;
  }

  Answer ScanRanges(const RowList& starts, std::uint32_t length) override {
    const Statement select(this, "SELECT k, tid FROM t WHERE k >= ? ORDER BY k, tid");
    Run("BEGIN");
    Answer answer;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      Bind(select, starts, i);
      for (std::uint32_t left = length; left > 0; --left) {
        if (sqlite3_step(select.get()) != SQLITE_ROW) break;
        AddRow(select, &answer);
      }
      sqlite3_reset(select.get());
    }
    Run("COMMIT");
    return answer;
  }

  std::uint64_t Count() override {
    const Statement select(this, "SELECT count(*) FROM t");
    CHECK(sqlite3_step(select.get()) == SQLITE_ROW);
    return static_cast<std::uint64_t>(sqlite3_column_int64(select.get(), 0));
  }

 private:
  class Statement {
   public:
    Statement(SqliteIndex* index, const char* sql) {
      index->Demand(sqlite3_prepare_v3(index->database_, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                       &statement_, nullptr));
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    sqlite3_stmt* get() const { return statement_; }

   private:
    sqlite3_stmt* statement_ = nullptr;
  };

  void Demand(int code) {
    if (code != SQLITE_OK) CheckFailed("sqlite", code, sqlite3_errmsg(database_));
  }
  void Run(const char* sql) { Demand(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr)); }

  void Bind(const Statement& statement, const RowList& rows, std::size_t i) {
    Demand(type_ == KeyType::kUrl
               ? sqlite3_bind_text(statement.get(), 1, reinterpret_cast<const char*>(rows.key(i)),
                                   static_cast<int>(rows.key_size()), SQLITE_STATIC)
               : sqlite3_bind_int64(statement.get(), 1, rows.integer(i)));
  }

  static PackedTid Tid(const Statement& statement, int column) {
    return static_cast<PackedTid>(sqlite3_column_int64(statement.get(), column));
  }

  void AddRow(const Statement& statement, Answer* answer) const {
    if (type_ == KeyType::kInt8) {
      answer->AddRow(Tid(statement, 1),
                     static_cast<std::uint64_t>(sqlite3_column_int64(statement.get(), 0)));
      return;
    }
    // As a blob, since as text it would be copied to get a terminating zero.
    const auto* key = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement.get(), 0));
    answer->AddRow(Tid(statement, 1), key + sqlite3_column_bytes(statement.get(), 0));
  }

  KeyType type_;
  sqlite3* database_ = nullptr;
};

}  // namespace

Engine SqliteEngine() {
  // Before the library is used: no mutexes and no statistics of memory.
  CHECK(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK);
  CHECK(sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK);
  return {
      "SQLite", sqlite3_libversion(),
      "PRIMARY KEY (k, tid) WITHOUT ROWID, k TEXT (bytewise) or INTEGER, tid one INTEGER; "
      "prepared statements, one transaction for each line, page_size 16384, cache_size above the "
      "whole index, cache_spill, journal_mode and synchronous OFF, locking_mode EXCLUSIVE, "
      "mmap_size 4 GiB, no mutexes. No log and no checksums; a crash of the process in the load "
      "may damage the file",
      [](KeyType type) -> std::unique_ptr<Index> { return std::make_unique<SqliteIndex>(type); }};
}

}  // namespace tornleaf::peers

#include <wiredtiger.h>

#include <cstring>

#include "perf/peers/index.h"

namespace tornleaf::peers {

namespace {

constexpr char kConnection[] =
    "create,cache_size=8GB,log=(enabled=false),statistics=(none),checkpoint=(wait=0),"
    "eviction=(threads_min=1,threads_max=1),eviction_target=95,eviction_trigger=99,"
    "eviction_dirty_target=95,eviction_dirty_trigger=99,mmap=true";
constexpr char kTable[] =
    "key_format=u,value_format=u,prefix_compression=false,block_compressor=none,"
    "leaf_page_max=64KB,internal_page_max=64KB,memory_page_max=10MB";

// Measured: fewer cost more, and so do more.
constexpr std::size_t kInsertsPerTransaction = 1000;

constexpr std::size_t kTidSize = 6;
constexpr std::size_t kLargestKey = 64;

void Demand(int code) {
  if (code != 0) CheckFailed("wiredtiger", code, wiredtiger_strerror(code));
}

// What is stored: the key in bytes that order as it does, and the row address behind it.
class StoredKey {
 public:
  StoredKey(KeyType type, const RowList& rows, std::size_t i) {
    if (type == KeyType::kUrl) {
      std::memcpy(bytes_, rows.key(i), rows.key_size());
      size_ = rows.key_size();
      bytes_[size_++] = 0;  // no key is the beginning of another with its row address
    } else {
      const auto turned = static_cast<std::uint64_t>(rows.integer(i)) ^ std::uint64_t{1} << 63;
      const std::uint64_t swapped = __builtin_bswap64(turned);
      std::memcpy(bytes_, &swapped, sizeof swapped);
      size_ = sizeof swapped;
    }
  }

  void Append(PackedTid tid) {
    const std::uint64_t swapped = __builtin_bswap64(tid << 16);
    std::memcpy(bytes_ + size_, &swapped, kTidSize);
    size_ += kTidSize;
  }

  WT_ITEM item() const {
    WT_ITEM item{};
    item.data = bytes_;
    item.size = size_;
    return item;
  }
  bool begins(const WT_ITEM& item) const {
    return item.size == size_ + kTidSize && std::memcmp(item.data, bytes_, size_) == 0;
  }

 private:
  std::uint8_t bytes_[kLargestKey];
  std::size_t size_ = 0;
};

PackedTid TidOf(const WT_ITEM& item) {
  std::uint64_t swapped = 0;
  std::memcpy(&swapped, static_cast<const std::uint8_t*>(item.data) + item.size - kTidSize,
              kTidSize);
  return __builtin_bswap64(swapped) >> 16;
}

class WiredTigerIndex final : public Index {
 public:
  explicit WiredTigerIndex(KeyType type) : type_(type) {}
  ~WiredTigerIndex() override { Close(); }

  void Open(const std::string& folder) override {
    Demand(wiredtiger_open(folder.c_str(), nullptr, kConnection, &connection_));
    Demand(connection_->open_session(connection_, nullptr, "isolation=snapshot", &session_));
    Demand(session_->create(session_, "table:t", kTable));
  }

  void Close() override {
    if (connection_ == nullptr) return;
    Demand(connection_->close(connection_, nullptr));
    connection_ = nullptr;
  }

  void Insert(const RowList& rows) override {
    WT_CURSOR* cursor = NewCursor();
    WT_ITEM nothing{};
    nothing.data = "";
    for (std::size_t i = 0; i < rows.size(); ++i) {
      StoredKey key(type_, rows, i);
      key.Append(rows.tid(i));
      const WT_ITEM item = key.item();
      cursor->set_key(cursor, &item);
      cursor->set_value(cursor, &nothing);
      if (i % kInsertsPerTransaction == 0) {
        if (i > 0) Demand(session_->commit_transaction(session_, nullptr));
        Demand(session_->begin_transaction(session_, nullptr));
      }
      Demand(cursor->insert(cursor));
    }
    Demand(session_->commit_transaction(session_, nullptr));
    Demand(cursor->close(cursor));
  }

  Answer Lookup(const RowList& keys) override {
    WT_CURSOR* cursor = BeginReading();
    Answer answer;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const StoredKey key(type_, keys, i);
      for (int code = Seek(cursor, key); code == 0; code = cursor->next(cursor)) {
        WT_ITEM found{};
        Demand(cursor->get_key(cursor, &found));
        if (!key.begins(found)) break;
        answer.AddRow(TidOf(found));
      }
    }
    EndReading(cursor);
    return answer;
  }

  Answer Scan() override {
    WT_CURSOR* cursor = BeginReading();
    Answer answer;
    while (cursor->next(cursor) == 0) AddRow(cursor, &answer);
    EndReading(cursor);
    return answer;
  }

  Answer ScanRanges(const RowList& starts, std::uint32_t length) override {
    WT_CURSOR* cursor = BeginReading();
    Answer answer;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      int code = Seek(cursor, StoredKey(type_, starts, i));
      for (std::uint32_t left = length; code == 0; --left) {
        AddRow(cursor, &answer);
        if (left == 1) break;
        code = cursor->next(cursor);
      }
    }
    EndReading(cursor);
    return answer;
  }

  std::uint64_t Count() override {
    WT_CURSOR* cursor = BeginReading();
    std::uint64_t rows = 0;
    while (cursor->next(cursor) == 0) ++rows;
    EndReading(cursor);
    return rows;
  }

 private:
  WT_CURSOR* NewCursor() {
    WT_CURSOR* cursor = nullptr;
    Demand(session_->open_cursor(session_, "table:t", nullptr, "raw,overwrite=true", &cursor));
    return cursor;
  }

  // One transaction for the line, so that a snapshot is taken once.
  WT_CURSOR* BeginReading() {
    Demand(session_->begin_transaction(session_, nullptr));
    return NewCursor();
  }
  void EndReading(WT_CURSOR* cursor) {
    Demand(cursor->close(cursor));
    Demand(session_->commit_transaction(session_, nullptr));
  }

  // Moves to the first item that is not before the key.
  static int Seek(WT_CURSOR* cursor, const StoredKey& key) {
    const WT_ITEM item = key.item();
    cursor->set_key(cursor, &item);
    int side = 0;
    const int code = cursor->search_near(cursor, &side);
    return code == 0 && side < 0 ? cursor->next(cursor) : code;
  }

  void AddRow(WT_CURSOR* cursor, Answer* answer) const {
    WT_ITEM item{};
    Demand(cursor->get_key(cursor, &item));
    const auto* end = static_cast<const std::uint8_t*>(item.data) + item.size - kTidSize;
    if (type_ == KeyType::kUrl) {
      answer->AddRow(TidOf(item), end - 1);
      return;
    }
    std::uint64_t swapped = 0;
    std::memcpy(&swapped, end - sizeof swapped, sizeof swapped);
    answer->AddRow(TidOf(item), __builtin_bswap64(swapped) ^ std::uint64_t{1} << 63);
  }

  KeyType type_;
  WT_CONNECTION* connection_ = nullptr;
  WT_SESSION* session_ = nullptr;
};

}  // namespace

Engine WiredTigerEngine() {
  return {"WiredTiger",
          std::to_string(WIREDTIGER_VERSION_MAJOR) + "." +
              std::to_string(WIREDTIGER_VERSION_MINOR) + "." +
              std::to_string(WIREDTIGER_VERSION_PATCH),
          "key and TID as one raw item in bytewise order, no value; no prefix compression, 64 KB "
          "pages, cache of 8 GB, one cursor for each line, one transaction for each line that "
          "reads and for 1000 insertions, log off, checkpoint when closed (with checksums). A "
          "crash loses the whole load",
          [](KeyType type) -> std::unique_ptr<Index> {
            return std::make_unique<WiredTigerIndex>(type);
          }};
}

}  // namespace tornleaf::peers

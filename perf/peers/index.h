// An engine as the comparison sees it: an ordered set of (key, row address), where many rows may
// have one key.
//
// Whole lines of the table are single calls, so that each engine arranges transactions, cursors and
// prepared statements as suits it best. An engine that fails ends the program.

#ifndef TORNLEAF_PERF_PEERS_INDEX_H_
#define TORNLEAF_PERF_PEERS_INDEX_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perf/peers/workload.h"

namespace tornleaf::peers {

class Index {
 public:
  virtual ~Index() = default;

  // Opens it in `folder`, making it if the folder is empty.
  virtual void Open(const std::string& folder) = 0;
  // Writes what is in memory only.
  virtual void Close() = 0;

  virtual void Insert(const RowList& rows) = 0;
  // The addresses of all rows that have each of these keys.
  virtual Answer Lookup(const RowList& keys) = 0;
  // Key and address of every row, in order.
  virtual Answer Scan() = 0;
  // Key and address of `length` rows from each of these keys on.
  virtual Answer ScanRanges(const RowList& starts, std::uint32_t length) = 0;
  virtual std::uint64_t Count() = 0;
};

struct Engine {
  const char* name;
  std::string version;
  const char* settings;  // for the report: how rows are stored, and what a crash loses
  std::unique_ptr<Index> (*make)(KeyType type);
};

std::vector<Engine> AllEngines();
Engine TornleafEngine();
Engine LmdbEngine();
Engine SqliteEngine();
Engine WiredTigerEngine();

}  // namespace tornleaf::peers

#endif  // TORNLEAF_PERF_PEERS_INDEX_H_

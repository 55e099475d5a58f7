// Holds a database to the rules: those of its index, and those of the list of deleted rows.

#ifndef TORNLEAF_ENGINE_DB_CHECK_H_
#define TORNLEAF_ENGINE_DB_CHECK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/db/database.h"
#include "engine/env/overlay_device.h"
#include "engine/verify/verifier.h"

namespace tornleaf {

struct DatabaseCheck {
  VerifyReport index;
  ChecksumMode checksums = ChecksumMode::kOff;
  std::uint64_t live_rows = 0;
  std::uint64_t deleted_rows = 0;     // not cleared by VACUUM yet
  std::uint64_t deleted_entries = 0;  // of the index, of such rows
  std::uint64_t records_replayed = 0;
  // What else is wrong, a line each: an item marked dead whose row is not deleted; two live rows
  // with one key in a unique index. At most `findings_max`.
  std::vector<std::string> problems;

  // Rows are looked at only where the pages hold to every rule: without that live_rows and
  // deleted_entries are 0 and mean nothing.
  bool rows_counted() const { return index.clean(); }
  bool clean() const { return index.clean() && problems.empty(); }
};

struct DatabaseCheckOptions {
  DatabaseOptions open;
  std::uint32_t findings_max = 1000;
  std::function<void(BlockNumber done, BlockNumber total)> progress;  // of the index's pages
};

// Opens the database on `overlay`, where recovery writes to memory, closes it and looks at what is
// there then. `environment` has the clock and the executor; its device is not used. Errors are
// those of Database::Open().
absl::StatusOr<DatabaseCheck> CheckDatabase(const Environment& environment, OverlayDevice* overlay,
                                            const std::string& directory,
                                            const DatabaseCheckOptions& options);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_CHECK_H_

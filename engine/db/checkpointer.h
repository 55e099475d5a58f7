// Checkpoints: from one on, replay need not look at the log before its redo position.
//
//   redo position taken -> pages counted -> dirty pages written and synced -> CHECKPOINT record ->
//   log flushed -> control file written -> old segments recycled
//
// Operations go on meanwhile. What they change after the redo position was taken is replayed, over
// pages that may have it already. A crash before the control file is written leaves the checkpoint
// before this one, whose log is still there.

#ifndef TORNLEAF_ENGINE_DB_CHECKPOINTER_H_
#define TORNLEAF_ENGINE_DB_CHECKPOINTER_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "engine/db/control_file.h"
#include "engine/env/environment.h"
#include "engine/store/buffer_pool.h"
#include "engine/tree/transactions.h"
#include "engine/wal/log.h"

namespace tornleaf {

class Checkpointer {
 public:
  // All are there and outlive the checkpointer.
  struct Parts {
    Environment environment;
    BufferPool* pool = nullptr;
    const PooledRelation* index = nullptr;
    const PooledRelation* dead_rows = nullptr;
    wal::Log* log = nullptr;
    Transactions* transactions = nullptr;
    ControlFile* control = nullptr;
  };
  explicit Checkpointer(const Parts& parts);

  enum class Kind : std::uint8_t {
    kOnline,
    kShutdown,  // nobody does anything else meanwhile
  };
  // Waits for one that is running, and then makes one. After an error the files are in doubt: the
  // database must be opened again.
  absl::Status Run(Kind kind);
  // Makes one if at least `distance` bytes of log lie behind the last redo position and none is
  // running.
  absl::Status RunIfDue(std::uint64_t distance);

  // Whether nothing has been logged since a shutdown checkpoint.
  bool clean() const;

 private:
  absl::Status RunHeld(Kind kind);

  Parts parts_;
  std::unique_ptr<Latch> latch_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_CHECKPOINTER_H_

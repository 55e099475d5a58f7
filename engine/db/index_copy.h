// Takes an index file of a PostgreSQL server over into a database.

#ifndef TORNLEAF_ENGINE_DB_INDEX_COPY_H_
#define TORNLEAF_ENGINE_DB_INDEX_COPY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/env/file.h"
#include "engine/key/schema.h"
#include "engine/store/relation_file.h"
#include "engine/tree/transactions.h"

namespace tornleaf {

struct SourceSurvey {
  Lsn highest_lsn = 0;           // of any page: the log must begin above it
  FullXid next_xid = kFirstXid;  // past every safexid of a deleted page
  // Rows whose items are marked LP_DEAD: the server's table knows that they are dead, and here
  // nobody would.
  std::vector<ItemPointer> dead;
};

// Verifies `source` against the schema. InvalidArgument if it is of another schema or of a version
// before 4, DataLoss if it breaks a rule; the message is one line.
absl::Status CheckSource(const Schema& schema, RelationFile* source);

// Goes through a source that was checked for what the database must know. DataLoss, one line, for
// an LSN or a safexid that no server can have given.
absl::StatusOr<SourceSurvey> SurveySource(RelationFile* source);

// Copies every page of a source to the relation `to`, which must not exist, and makes its contents
// durable; its name is not. Checksums are set, or cleared, on the way.
absl::Status CopyIndex(Device* device, RelationFile* source, const std::string& to,
                       std::uint64_t segment_bytes, bool checksums);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_INDEX_COPY_H_

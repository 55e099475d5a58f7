// A log with every kind of record that the engine writes, for judges: pg_waldump, and the golden
// log of the corpus. The same options give the same bytes.

#ifndef TORNLEAF_TESTS_LOG_SAMPLE_SAMPLE_LOG_H_
#define TORNLEAF_TESTS_LOG_SAMPLE_SAMPLE_LOG_H_

#include "absl/status/statusor.h"
#include "engine/env/environment.h"
#include "engine/wal/log.h"

namespace tornleaf {

// Writes `rounds` rounds into a new log in an empty folder, each a checkpoint and then one record
// of each kind on pages of `page_size` bytes. Gives the log's own counts.
absl::StatusOr<wal::RecordCounts> WriteSampleLog(const Environment& environment,
                                                 const wal::LogOptions& options,
                                                 std::uint32_t page_size, std::uint32_t rounds);

}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_LOG_SAMPLE_SAMPLE_LOG_H_

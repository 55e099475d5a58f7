// Names of log segments, as PostgreSQL has them: timeline, then the segment's number in two words,
// each of 8 hex digits.

#ifndef TORNLEAF_ENGINE_WAL_SEGMENT_H_
#define TORNLEAF_ENGINE_WAL_SEGMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/env/file.h"
#include "engine/wal/record/log_page.h"

namespace tornleaf {
namespace wal {

std::string SegmentName(std::uint32_t timeline, std::uint64_t number, std::uint32_t segment_bytes);

// Whether it is the name of a segment, of whatever size.
bool IsSegmentName(std::string_view name);

struct SegmentId {
  std::uint32_t timeline = 0;
  std::uint64_t number = 0;
};
// What a segment name says; false for other names, and for numbers that there cannot be.
bool ParseSegmentName(std::string_view name, std::uint32_t segment_bytes, SegmentId* id);

// The numbers of the segments of the shape's timeline in a folder, ascending.
absl::StatusOr<std::vector<std::uint64_t>> ListSegments(Device* device, const std::string& folder,
                                                        const LogShape& shape);

// "1A/2B3C4D58", as PostgreSQL prints positions.
std::string LsnText(Lsn lsn);

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_SEGMENT_H_

#include "engine/wal/segment.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace tornleaf {
namespace wal {

namespace {

constexpr std::size_t kWordDigits = 8;
constexpr std::size_t kNameDigits = 3 * kWordDigits;

// Segments whose numbers share the first word.
std::uint64_t SegmentsPerWord(std::uint32_t segment_bytes) {
  return (std::uint64_t{1} << 32) / segment_bytes;
}

std::uint32_t WordOf(std::string_view name, std::size_t index) {
  std::uint32_t word = 0;
  CHECK(absl::SimpleHexAtoi(absl::string_view(name.data() + index * kWordDigits, kWordDigits),
                            &word));
  return word;
}

}  // namespace

std::string SegmentName(std::uint32_t timeline, std::uint64_t number, std::uint32_t segment_bytes) {
  const std::uint64_t per_word = SegmentsPerWord(segment_bytes);
  return absl::StrFormat("%08X%08X%08X", timeline, number / per_word, number % per_word);
}

bool IsSegmentName(std::string_view name) {
  return name.size() == kNameDigits &&
         name.find_first_not_of("0123456789ABCDEF") == std::string_view::npos;
}

bool ParseSegmentName(std::string_view name, std::uint32_t segment_bytes, SegmentId* id) {
  if (!IsSegmentName(name)) return false;
  const std::uint64_t per_word = SegmentsPerWord(segment_bytes);
  id->timeline = WordOf(name, 0);
  id->number = WordOf(name, 1) * per_word + WordOf(name, 2);
  return WordOf(name, 2) < per_word;
}

absl::StatusOr<std::vector<std::uint64_t>> ListSegments(Device* device, const std::string& folder,
                                                        const LogShape& shape) {
  const absl::StatusOr<std::vector<std::string>> names = device->List(folder);
  if (!names.ok()) return names.status();
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : *names) {
    SegmentId id;
    if (!ParseSegmentName(name, shape.segment_bytes, &id)) continue;
    if (id.timeline == shape.timeline) numbers.push_back(id.number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string LsnText(Lsn lsn) {
  return absl::StrFormat("%X/%X", static_cast<std::uint32_t>(lsn >> 32),
                         static_cast<std::uint32_t>(lsn));
}

}  // namespace wal
}  // namespace tornleaf

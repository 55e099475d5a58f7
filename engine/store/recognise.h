// Is this the first page of a B-tree index, and how large are its pages?

#ifndef TORNLEAF_ENGINE_STORE_RECOGNISE_H_
#define TORNLEAF_ENGINE_STORE_RECOGNISE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "engine/base/bytes.h"

namespace tornleaf {

// Answers with the page size. `head` is the beginning of the file, up to kRecogniseBytes of it;
// a file of `file_bytes` bytes. Errors name `path`: InvalidArgument for what is no B-tree index,
// one line that says what it is instead; DataLoss for a B-tree index cut within its metapage.
//
// A metapage of which only the magic number or only the page header survives is still recognised:
// whoever holds a damaged index wants to know where it is damaged.
inline constexpr std::uint32_t kRecogniseBytes = 65536;
absl::StatusOr<std::uint32_t> RecognisePageSize(const std::string& path, ByteView head,
                                                std::uint64_t file_bytes);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_RECOGNISE_H_

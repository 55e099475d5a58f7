// DIR/free_pages: which pages of the index may be used again, kept from one start to the next.
//
// A hint, as the map in memory is: whoever takes a page looks at it first. So the file is neither
// logged nor synced, and one that is missing, damaged or out of date costs room until the next
// VACUUM, and nothing else. Block numbers of 4 bytes, ascending, then the CRC-32C of them all;
// little-endian.

#ifndef TORNLEAF_ENGINE_DB_FREE_PAGES_FILE_H_
#define TORNLEAF_ENGINE_DB_FREE_PAGES_FILE_H_

#include <string>
#include <vector>

#include "engine/base/finding.h"
#include "engine/env/file.h"

namespace tornleaf {

// The blocks in the file that are below `block_count`; none if there is no such file, or if it
// cannot be read.
std::vector<BlockNumber> ReadFreePages(Device* device, const std::string& path,
                                       BlockNumber block_count);

// Replaces the file's contents. After an error the file is of no use, which does no harm.
absl::Status WriteFreePages(Device* device, const std::string& path,
                            const std::vector<BlockNumber>& blocks);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_FREE_PAGES_FILE_H_

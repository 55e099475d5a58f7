// Pages between memory and disk: what is checked when one comes in, and what must hold before one
// goes out.

#ifndef TORNLEAF_ENGINE_STORE_PAGE_TRANSFER_H_
#define TORNLEAF_ENGINE_STORE_PAGE_TRANSFER_H_

#include "absl/status/status.h"
#include "engine/base/bytes.h"
#include "engine/store/frame_table.h"
#include "engine/wal/log.h"

namespace tornleaf {

// Reads a page and checks it: zeros, or a checksum that matches (where the relation has them) and
// what the guard demands. DataLoss names file and block.
absl::Status ReadPage(const PooledRelation& relation, BlockNumber block, MutableBytes bytes);

// Writes a page, whose bytes nobody changes meanwhile, with its checksum set on a copy. First makes
// the log durable up to the page's LSN. Writes nothing if the log (may be null) has failed.
absl::Status WritePage(const PooledRelation& relation, BlockNumber block, ByteView bytes,
                       wal::Log* log);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_PAGE_TRANSFER_H_

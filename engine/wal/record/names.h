// What pg_waldump of PostgreSQL 15 calls resource managers and their operations.

#ifndef TORNLEAF_ENGINE_WAL_RECORD_NAMES_H_
#define TORNLEAF_ENGINE_WAL_RECORD_NAMES_H_

#include <cstdint>

#include "engine/base/fixed_text.h"

namespace tornleaf {
namespace wal {

using RecordName = FixedText<64>;

// "XLOG", "Btree"; "custom128" for those of extensions, "unknown" for ids that have no meaning.
RecordName ResourceManagerName(std::uint8_t manager);

// "INSERT_LEAF"; "UNKNOWN (20)" for what the manager does not know. Those of kTornleaf have names
// here, and are unknown to pg_waldump.
RecordName OperationName(std::uint8_t manager, std::uint8_t info);

// The bits of xl_info that tell a manager's operations apart: kInfoOperation, less what Transaction
// uses as a flag.
std::uint8_t OperationBits(std::uint8_t manager, std::uint8_t info);

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_NAMES_H_

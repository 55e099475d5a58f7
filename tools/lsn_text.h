// Log positions and relations as people type them.

#ifndef TORNLEAF_TOOLS_LSN_TEXT_H_
#define TORNLEAF_TOOLS_LSN_TEXT_H_

#include <optional>
#include <string>

#include "engine/base/finding.h"
#include "engine/wal/record/record.h"

namespace tornleaf {

// A log position as the server prints it: two hex numbers of up to 32 bits with a slash between.
std::optional<Lsn> ParseLsn(const std::string& text);

// TABLESPACE/DATABASE/RELATION, as pg_waldump prints it after "rel".
std::optional<RelationId> ParseRelationId(const std::string& text);
std::string RelationIdText(const RelationId& id);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_LSN_TEXT_H_

// Log records as text and JSON. The text is pg_waldump's of PostgreSQL 15 for the records of
// B-trees, for checkpoints and for images, so that a diff shows what differs; of other records it
// has everything but what pg_waldump says behind the name.

#ifndef TORNLEAF_TOOLS_LOG_TEXT_H_
#define TORNLEAF_TOOLS_LOG_TEXT_H_

#include <string>

#include "engine/wal/log_reader.h"
#include "tools/output.h"

namespace tornleaf {

// Bytes of a record that are full-page images.
std::uint32_t ImageBytes(const wal::DecodedRecord& record);

// What the main data says: "off 5"; empty if nothing, or nothing that we know.
std::string DescribeRecord(const wal::DecodedRecord& record);

// "rmgr: Btree       len (rec/tot):     64/    64, tx: ...", with a newline.
std::string RecordLine(const wal::LogReader& reader);
Json RecordJson(const wal::LogReader& reader);
std::vector<std::string> RecordColumns();
std::vector<std::string> RecordRow(const wal::LogReader& reader);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_LOG_TEXT_H_

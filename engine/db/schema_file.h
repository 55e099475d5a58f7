// The file `schema` of a database: what neither pages nor log say about an index, for people to
// read and not to change.
//
//   schema text collate C; unique
//   fillfactor 90
//   deduplicate yes
//   crc32c 1c291ca3             of everything before this line

#ifndef TORNLEAF_ENGINE_DB_SCHEMA_FILE_H_
#define TORNLEAF_ENGINE_DB_SCHEMA_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/env/file.h"
#include "engine/key/schema.h"
#include "engine/tree/tree.h"

namespace tornleaf {

struct SchemaFile {
  Schema schema;
  TreeOptions tree;  // fillfactor and deduplicate
};

std::string SchemaFileText(const Schema& schema, const TreeOptions& tree);
// DataLoss in one line, which does not name the file, if the text is not exactly one.
absl::StatusOr<SchemaFile> ParseSchemaFile(std::string_view text);

// Makes the file and syncs it; its name is not durable yet.
absl::Status WriteSchemaFile(Device* device, const std::string& path, const Schema& schema,
                             const TreeOptions& tree);
absl::StatusOr<SchemaFile> ReadSchemaFile(Device* device, const std::string& path);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_SCHEMA_FILE_H_

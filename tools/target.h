// The file, or page of a file, that a user names on the command line.

#ifndef TORNLEAF_TOOLS_TARGET_H_
#define TORNLEAF_TOOLS_TARGET_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "engine/env/file.h"
#include "engine/key/schema.h"
#include "engine/store/relation_file.h"

namespace tornleaf {

// FILE or FILE:BLOCK.
struct Target {
  std::string path;
  std::optional<BlockNumber> block;
};

// A colon and digits at the end are a block number unless a file of the whole name exists.
absl::StatusOr<Target> ParseTarget(Device* device, const std::string& text);

// Opens the relation that `path` belongs to; see RelationFile::Open for the errors.
absl::StatusOr<std::unique_ptr<RelationFile>> OpenRelation(Device* device, const std::string& path);

// The option --schema. The frame appends what SCHEMA is to the help of every command that has it.
CLI::Option* AddSchemaOption(CLI::App* app, const char* description, std::string* text);

// Nothing for an empty text, which means that no schema was given.
absl::StatusOr<std::optional<Schema>> ParseSchemaOption(const std::string& text);
// Where there has to be one.
absl::StatusOr<Schema> ParseRequiredSchema(const std::string& text);

// The schema, or null if there is none.
inline const Schema* PointerTo(const std::optional<Schema>& schema) {
  return schema.has_value() ? &*schema : nullptr;
}

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_TARGET_H_

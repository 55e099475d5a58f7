#include "engine/db/schema_file.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/base/crc32c.h"

namespace tornleaf {

namespace {

// A schema of 32 columns with long collation names stays far below.
constexpr std::size_t kSizeMax = 65536;

ByteView BytesOf(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string CrcLine(std::string_view body) {
  return absl::StrFormat("crc32c %08x\n", Crc32c(BytesOf(body)));
}

// Takes the line "NAME value\n" off the text's front.
bool TakeLine(std::string_view* text, std::string_view name, std::string* value) {
  const std::size_t end = text->find('\n');
  if (end == std::string_view::npos) return false;
  std::string_view line = text->substr(0, end);
  if (line.substr(0, name.size()) != name || line.size() <= name.size()) return false;
  if (line[name.size()] != ' ') return false;
  *value = line.substr(name.size() + 1);
  text->remove_prefix(end + 1);
  return true;
}

}  // namespace

std::string SchemaFileText(const Schema& schema, const TreeOptions& tree) {
  std::string text = absl::StrCat("schema ", schema.ToString(), "\nfillfactor ", tree.fillfactor,
                                  "\ndeduplicate ", tree.deduplicate ? "yes" : "no", "\n");
  return text + CrcLine(text);
}

absl::StatusOr<SchemaFile> ParseSchemaFile(std::string_view text) {
  const std::size_t crc = text.rfind("crc32c ");
  if (crc == std::string_view::npos || text.substr(crc) != CrcLine(text.substr(0, crc))) {
    return absl::DataLossError("its checksum does not fit: it was changed or is damaged");
  }
  std::string schema_text;
  std::string fillfactor;
  std::string deduplicate;
  TreeOptions tree;
  if (!TakeLine(&text, "schema", &schema_text) || !TakeLine(&text, "fillfactor", &fillfactor) ||
      !absl::SimpleAtoi(fillfactor, &tree.fillfactor) || tree.fillfactor < nbtree::kFillFactorMin ||
      tree.fillfactor > nbtree::kFillFactorMax || !TakeLine(&text, "deduplicate", &deduplicate) ||
      (deduplicate != "yes" && deduplicate != "no")) {
    return absl::DataLossError("it was written by another version of this program");
  }
  tree.deduplicate = deduplicate == "yes";
  absl::StatusOr<Schema> schema = Schema::Parse(schema_text);
  if (!schema.ok()) return absl::DataLossError(schema.status().message());
  return SchemaFile{*std::move(schema), tree};
}

absl::Status WriteSchemaFile(Device* device, const std::string& path, const Schema& schema,
                             const TreeOptions& tree) {
  const absl::StatusOr<std::unique_ptr<File>> file = device->Create(path);
  if (!file.ok()) return file.status();
  const std::string text = SchemaFileText(schema, tree);
  const absl::Status status = WriteFully(file->get(), 0, BytesOf(text));
  return status.ok() ? (*file)->Sync() : status;
}

absl::StatusOr<SchemaFile> ReadSchemaFile(Device* device, const std::string& path) {
  const absl::StatusOr<std::unique_ptr<File>> file = device->Open(path, OpenMode::kRead);
  if (!file.ok()) return file.status();
  std::vector<std::uint8_t> bytes(kSizeMax);
  const absl::StatusOr<std::size_t> size = ReadFully(file->get(), 0, bytes);
  if (!size.ok()) return size.status();
  absl::StatusOr<SchemaFile> parsed =
      ParseSchemaFile({reinterpret_cast<const char*>(bytes.data()), *size});
  if (parsed.ok()) return parsed;
  return absl::DataLossError(absl::StrCat(path, ": ", parsed.status().message()));
}

}  // namespace tornleaf

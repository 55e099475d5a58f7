#include "corpus/fixture.h"

#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

namespace tornleaf {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxFileSize = std::size_t{1} << 30;

// The frames do not say how long their contents are, so this takes them a piece at a time.
absl::StatusOr<std::string> Decompress(const std::string& path, const std::string& stored) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  ZSTD_inBuffer from{stored.data(), stored.size(), 0};
  std::vector<char> piece(ZSTD_DStreamOutSize());
  std::string text;
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer to{piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &to, &from);
    if (ZSTD_isError(left)) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", ZSTD_getErrorName(left)));
    }
    text.append(piece.data(), to.pos);
    if (to.pos == 0 && left != 0) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": the compressed data is cut short"));
    }
    if (text.size() > kMaxFileSize) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": larger than 1 GiB"));
    }
  }
  return text;
}

// Fills what fixture.json says; false if a member is missing or of another type.
bool ReadDescription(const Json& json, Fixture* fixture) {
  const auto get = [&](const char* name, auto* value) {
    const auto found = json.find(name);
    if (found == json.end()) return false;
    try {
      found->get_to(*value);
    } catch (const Json::exception&) {
      return false;
    }
    return true;
  };
  const bool whole =
      get("name", &fixture->name) && get("schema", &fixture->schema) &&
      get("page_size", &fixture->page_size) && get("fillfactor", &fixture->fillfactor) &&
      get("checksums", &fixture->checksums) && get("deduplicate", &fixture->deduplicate) &&
      get("rebuildable", &fixture->rebuildable) && get("fork", &fixture->fork);
  if (!whole || fixture->page_size == 0) return false;
  const auto amcheck = json.find("amcheck");
  if (amcheck == json.end() || !amcheck->is_object()) return false;
  fixture->bt_index_check = amcheck->value("bt_index_check", "");
  fixture->bt_index_parent_check = amcheck->value("bt_index_parent_check", "");
  return true;
}

}  // namespace

absl::StatusOr<std::string> ReadCorpusFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream.good()) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) return absl::UnavailableError(absl::StrCat(path, ": cannot be read"));
  if (!path.ends_with(".zst")) return bytes;
  return Decompress(path, bytes);
}

absl::StatusOr<std::vector<std::string>> ListFixtures(const std::string& corpus_folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(corpus_folder, error);
  if (error) return absl::NotFoundError(absl::StrCat(corpus_folder, ": ", error.message()));
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (std::filesystem::exists(entry.path() / "fixture.json", error)) {
      names.push_back(entry.path().filename().string());
    }
  }
  if (names.empty()) {
    return absl::NotFoundError(absl::StrCat(corpus_folder, ": no folder in it has a fixture.json"));
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<Fixture> ReadFixture(const std::string& folder) {
  Fixture fixture;
  const std::string path = folder + "/fixture.json";
  absl::StatusOr<std::string> description = ReadCorpusFile(path);
  if (!description.ok()) return description.status();
  fixture.description = *std::move(description);
  const Json json = Json::parse(fixture.description, nullptr, false);
  if (!json.is_object() || !ReadDescription(json, &fixture)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": not the description of a fixture"));
  }
  const absl::StatusOr<std::string> bytes = ReadCorpusFile(folder + "/index.zst");
  if (!bytes.ok()) return bytes.status();
  fixture.index.assign(bytes->begin(), bytes->end());
  if (fixture.index.size() % fixture.page_size != 0 ||
      fixture.page_count() != json.value("pages", 0U)) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, "/index.zst: ", fixture.index.size(), " bytes, but ",
                     json.value("pages", 0U), " pages of ", fixture.page_size, " are described"));
  }
  return fixture;
}

}  // namespace tornleaf

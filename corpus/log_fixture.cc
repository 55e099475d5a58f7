#include "corpus/log_fixture.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tornleaf {

namespace {

using Json = nlohmann::json;

// "1663/5/16384".
bool ParseRelation(const std::string& text, std::uint32_t* parts) {
  const std::vector<std::string> words = absl::StrSplit(text, '/');
  if (words.size() != 3) return false;
  for (std::size_t at = 0; at < 3; ++at) {
    if (!absl::SimpleAtoi(words[at], &parts[at])) return false;
  }
  return true;
}

// "0/2A3B4C8".
bool ParseLsn(const std::string& text, Lsn* lsn) {
  const std::vector<std::string> words = absl::StrSplit(text, '/');
  std::uint32_t high;
  std::uint32_t low;
  if (words.size() != 2 || !absl::SimpleHexAtoi(words[0], &high) ||
      !absl::SimpleHexAtoi(words[1], &low)) {
    return false;
  }
  *lsn = Lsn{high} << 32 | low;
  return true;
}

bool ReadDescription(const Json& json, LogFixture* fixture) {
  try {
    json.at("name").get_to(fixture->name);
    json.at("schema").get_to(fixture->schema);
    json.at("page_size").get_to(fixture->page_size);
    json.at("checksums").get_to(fixture->checksums);
    json.at("full_page_writes").get_to(fixture->full_page_writes);
    json.at("consistency_images").get_to(fixture->consistency_images);
    json.at("segment_bytes").get_to(fixture->segment_bytes);
    json.at("first_segment").get_to(fixture->first_segment);
    json.at("records").get_to(fixture->records);
    json.at("images").get_to(fixture->images);
    json.at("records_in_all").get_to(fixture->records_in_all);
    return ParseRelation(json.at("relation").get<std::string>(), fixture->relation) &&
           ParseLsn(json.at("end").get<std::string>(), &fixture->end);
  } catch (const Json::exception&) {
    return false;
  }
}

}  // namespace

absl::StatusOr<LogFixture> ReadLogFixture(const std::string& folder) {
  LogFixture fixture;
  const std::string path = folder + "/fixture.json";
  const absl::StatusOr<std::string> description = ReadCorpusFile(path);
  if (!description.ok()) return description.status();
  const Json json = Json::parse(*description, nullptr, false);
  if (!json.is_object() || !ReadDescription(json, &fixture)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": not the description of a log"));
  }
  const std::pair<const char*, std::vector<std::uint8_t>*> files[] = {
      {"before", &fixture.before}, {"after", &fixture.after}, {"log", &fixture.log}};
  for (const auto& [name, bytes] : files) {
    const absl::StatusOr<std::string> text =
        ReadCorpusFile(absl::StrCat(folder, "/", name, ".zst"));
    if (!text.ok()) return text.status();
    bytes->assign(text->begin(), text->end());
  }
  return fixture;
}

}  // namespace tornleaf

#include "tools/lsn_text.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tornleaf {

std::optional<Lsn> ParseLsn(const std::string& text) {
  constexpr std::size_t kDigitsMax = 8;
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  Lsn lsn = 0;
  for (const std::string& half : {text.substr(0, slash), text.substr(slash + 1)}) {
    if (half.empty() || half.size() > kDigitsMax) return std::nullopt;
    if (half.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return std::nullopt;
    lsn = lsn << 32 | std::stoull(half, nullptr, 16);
  }
  return lsn;
}

std::optional<RelationId> ParseRelationId(const std::string& text) {
  const std::vector<std::string> words = absl::StrSplit(text, '/');
  if (words.size() != 3) return std::nullopt;
  for (const std::string& word : words) {
    if (word.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  }
  RelationId id;
  const bool whole = absl::SimpleAtoi(words[0], &id.tablespace) &&
                     absl::SimpleAtoi(words[1], &id.database) &&
                     absl::SimpleAtoi(words[2], &id.relation);
  if (!whole) return std::nullopt;
  return id;
}

std::string RelationIdText(const RelationId& id) {
  return absl::StrCat(id.tablespace, "/", id.database, "/", id.relation);
}

}  // namespace tornleaf

#include "engine/key/collation.h"

#include <unicode/ucol.h>
#include <unicode/uloc.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/key/nearest_word.h"

namespace tornleaf {

namespace {

constexpr absl::string_view kSuffix = "-x-icu";
constexpr absl::string_view kRoot = "und";

// The locales for which the server makes collations: every one that ICU lists, and the root.
std::vector<std::string> KnownTags() {
  std::vector<std::string> tags = {std::string(kRoot)};
  const int count = uloc_countAvailable();
  for (int index = 0; index < count; ++index) {
    char tag[ULOC_FULLNAME_CAPACITY];
    UErrorCode status = U_ZERO_ERROR;
    const int length =
        uloc_toLanguageTag(uloc_getAvailable(index), tag, sizeof tag, /*strict=*/true, &status);
    if (U_SUCCESS(status)) tags.emplace_back(tag, static_cast<std::size_t>(length));
  }
  return tags;
}

absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

bool IsIcuCollationName(std::string_view collation_name) {
  return absl::EndsWith(ToAbsl(collation_name), kSuffix);
}

absl::StatusOr<std::shared_ptr<const IcuCollator>> IcuCollator::Open(
    std::string_view collation_name) {
  if (!IsIcuCollationName(collation_name)) {
    return absl::InvalidArgumentError(absl::StrCat("collation \"", ToAbsl(collation_name),
                                                   "\" is not of ICU: its name must end in \"",
                                                   kSuffix, "\""));
  }
  const std::string tag(collation_name.substr(0, collation_name.size() - kSuffix.size()));
  // ucol_open() never fails for a locale that it does not know; it gives the root order.
  const std::string language = tag.substr(0, tag.find("-u-"));
  const std::vector<std::string> known = KnownTags();
  bool found = false;
  for (const std::string& candidate : known) found |= candidate == language;
  if (!found) {
    const std::string nearest = NearestWord(language, known);
    return absl::InvalidArgumentError(absl::StrCat(
        "ICU ", U_ICU_VERSION, " knows no locale \"", language, "\"",
        nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, kSuffix, "?")));
  }
  UErrorCode status = U_ZERO_ERROR;
  UCollator* collator = ucol_open(tag.c_str(), &status);
  if (U_FAILURE(status)) {
    return absl::InvalidArgumentError(absl::StrCat("ICU ", U_ICU_VERSION, " cannot open locale \"",
                                                   tag, "\": ", u_errorName(status)));
  }
  return std::shared_ptr<const IcuCollator>(new IcuCollator(collator));
}

IcuCollator::~IcuCollator() { ucol_close(collator_); }

int IcuCollator::Compare(ByteView a, ByteView b) const {
  const int bytes = CompareBytes(a, b);
  if (bytes == 0) return 0;
  UErrorCode status = U_ZERO_ERROR;
  const UCollationResult order = ucol_strcollUTF8(
      collator_, reinterpret_cast<const char*>(a.data()), static_cast<std::int32_t>(a.size()),
      reinterpret_cast<const char*>(b.data()), static_cast<std::int32_t>(b.size()), &status);
  if (U_SUCCESS(status) && order != UCOL_EQUAL) return order == UCOL_LESS ? -1 : 1;
  return bytes;
}

std::string IcuCollator::Version() const {
  UVersionInfo version;
  char text[U_MAX_VERSION_STRING_LENGTH];
  ucol_getVersion(collator_, version);
  u_versionToString(version, text);
  return text;
}

}  // namespace tornleaf

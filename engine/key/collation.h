// Order of text in a language, by the ICU library that is linked here.

#ifndef TORNLEAF_ENGINE_KEY_COLLATION_H_
#define TORNLEAF_ENGINE_KEY_COLLATION_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/base/bytes.h"

struct UCollator;

namespace tornleaf {

// A deterministic ICU collation as the server's CREATE DATABASE imports them: the name is the
// locale's language tag followed by "-x-icu" ("en-US-x-icu"; "und-x-icu" is the root order).
class IcuCollator {
 public:
  // InvalidArgument if the name does not end in "-x-icu", or ICU does not know the locale. A tag
  // may carry extensions ("de-u-co-phonebk-x-icu").
  static absl::StatusOr<std::shared_ptr<const IcuCollator>> Open(std::string_view collation_name);

  ~IcuCollator();
  IcuCollator(const IcuCollator&) = delete;
  IcuCollator& operator=(const IcuCollator&) = delete;

  // Three-way comparison of UTF-8 text; what ICU finds equal is ordered by its bytes. Any bytes may
  // be given: ICU takes malformed sequences for U+FFFD. Safe to call from several threads.
  int Compare(ByteView a, ByteView b) const;

  // "153.120": ICU's version of this order, which the server stores as collversion.
  std::string Version() const;

 private:
  explicit IcuCollator(UCollator* collator) : collator_(collator) {}

  UCollator* collator_;
};

// Whether the collation's name is one that ICU provides.
bool IsIcuCollationName(std::string_view collation_name);

// Byte order, a prefix first: how memcmp-based operator classes and the "C" collation compare.
inline int CompareBytes(ByteView a, ByteView b) {
  const std::size_t common = a.size() < b.size() ? a.size() : b.size();
  const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
  if (order != 0) return order;
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_COLLATION_H_

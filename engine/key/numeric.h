// PostgreSQL's numeric as it is stored: a header, then digits of base 10000, most significant
// first.
//
//   short  1 0 s dddddd wwwwwww   sign, display scale (0 to 63), weight (-64 to 63)
//   long   0 s dddddddddddddd     sign, display scale (0 to 16383); then a 16-bit weight
//   special  1 1 0 0 NaN, 1 1 0 1 Infinity, 1 1 1 1 -Infinity; no digits
//
// The weight is the power of 10000 of the first digit. Source: utils/adt/numeric.c.

#ifndef TORNLEAF_ENGINE_KEY_NUMERIC_H_
#define TORNLEAF_ENGINE_KEY_NUMERIC_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/bytes.h"

namespace tornleaf {

// Compares two stored values; display scale does not count. -Infinity < numbers < Infinity < NaN.
//
// A total order on any bytes whatsoever, not only on those that a server writes: each value is
// mapped to (kind, sign, weight of the first digit that is not zero, digits without zeros at either
// end), and these are compared in order. An odd last byte is ignored and a digit above 9999 is
// simply a larger digit.
int CompareNumeric(ByteView a, ByteView b);

// Appends what the server stores for a text such as "-12.50", "1e-7", "Infinity" or "NaN", to the
// byte: the short form where it fits, no zero digits at the ends, the scale as written.
// InvalidArgument if the text is no number, or beyond what numeric can hold (131072 digits before
// the point, 16383 behind it); `bytes` is then unchanged.
absl::Status ParseNumeric(std::string_view text, std::vector<std::uint8_t>* bytes);

// Appends the text of any bytes: those of no valid value are printed somehow, in bounded space.
// The text may be cut once `size_max` characters are there.
void AppendNumericText(ByteView stored, std::string* text,
                       std::size_t size_max = std::string::npos);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_NUMERIC_H_

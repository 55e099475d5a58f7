// Whether bytes are a value that a type can hold: what its input function could have made.

#ifndef TORNLEAF_ENGINE_KEY_VALUE_CHECK_H_
#define TORNLEAF_ENGINE_KEY_VALUE_CHECK_H_

#include "engine/key/type.h"
#include "engine/key/value.h"

namespace tornleaf {

// `value` is not null. Only rules that hold in every database: text is not checked against an
// encoding, since the file does not name one.
//   bool            one byte, 0 or 1
//   date, timestamp infinities, or 4714-11-24 BC up to the type's last day
//   text, varchar   no zero byte
//   name            at most 63 bytes; included columns hold 64, padded with zeroes
//   numeric         a known header, base-10000 digits below 10000, no leading or trailing zero
//                   digit, none that the display scale hides
bool IsLegalValue(TypeId type, const Value& value);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_VALUE_CHECK_H_

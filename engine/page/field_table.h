// A page format is written once, as a constexpr table of its fields. Decoders load through the
// table; the specification page, the viewer and the mutators read the same rows.

#ifndef TORNLEAF_ENGINE_PAGE_FIELD_TABLE_H_
#define TORNLEAF_ENGINE_PAGE_FIELD_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/bytes.h"

namespace tornleaf {

enum class FieldKind : std::uint8_t {
  kNumber,   // unsigned, decimal
  kSigned,   // two's complement
  kFlags,    // unsigned, a set of bits
  kHex,      // unsigned, best read in hex (magic numbers, checksums)
  kFloat,    // IEEE 754 binary64
  kBool,     // one byte, 0 or 1
  kPadding,  // not used; zero unless said otherwise
};

// Whether redo from the log brings the field back to what the primary had.
enum class FieldRedo : std::uint8_t {
  kLogged,  // reproduced exactly
  kHint,    // may be lost; readers must not rely on it
  kMasked,  // differs by design; excluded when pages are compared
};

struct Field {
  const char* name;      // as in PostgreSQL's sources
  std::uint16_t offset;  // from the start of the structure
  std::uint16_t size;    // in bytes
  FieldKind kind;
  FieldRedo redo;
  const char* meaning;
  const char* legal;       // legal range, for people
  const char* changed_by;  // who writes it
};

// A row with the C++ type of its value.
template <typename T>
struct FieldOf : Field {
  consteval FieldOf(const char* field_name, std::uint16_t field_offset, FieldKind field_kind,
                    FieldRedo field_redo, const char* field_meaning, const char* field_legal,
                    const char* field_changed_by)
      : Field{field_name, field_offset,  sizeof(T),   field_kind,
              field_redo, field_meaning, field_legal, field_changed_by} {}
};

// A part of an integer that packs several values.
struct BitField {
  const char* name;
  std::uint8_t shift;
  std::uint8_t width;
  const char* meaning;
};

struct FlagBit {
  const char* name;
  std::uint16_t bit;
  const char* meaning;
};

// True if the fields, in order, cover [0, size) without a gap or an overlap.
template <std::size_t kCount>
consteval bool CoversExactly(const Field (&fields)[kCount], std::size_t size) {
  std::size_t next = 0;
  for (const Field& field : fields) {
    if (field.offset != next) return false;
    next += field.size;
  }
  return next == size;
}

template <std::size_t kCount>
consteval bool BitsCover(const BitField (&fields)[kCount], std::size_t bits) {
  std::size_t next = 0;
  for (const BitField& field : fields) {
    if (field.shift != next) return false;
    next += field.width;
  }
  return next == bits;
}

template <std::size_t kCount>
consteval bool FlagsAreDistinct(const FlagBit (&flags)[kCount]) {
  std::uint32_t seen = 0;
  for (const FlagBit& flag : flags) {
    if (flag.bit == 0 || (flag.bit & (flag.bit - 1)) != 0 || (seen & flag.bit) != 0) return false;
    seen |= flag.bit;
  }
  return true;
}

// The union of a flag table's bits.
template <std::size_t kCount>
consteval std::uint16_t AllFlags(const FlagBit (&flags)[kCount]) {
  std::uint16_t all = 0;
  for (const FlagBit& flag : flags) all = static_cast<std::uint16_t>(all | flag.bit);
  return all;
}

// Loads or stores a field of the structure that begins at `base`.
template <typename T>
inline T Load(const std::uint8_t* base, const FieldOf<T>& field) {
  return LoadLittleEndian<T>(base + field.offset);
}
template <typename T>
inline void Store(std::uint8_t* base, const FieldOf<T>& field, T value) {
  StoreLittleEndian<T>(base + field.offset, value);
}

// One structure of a format as the tools see it: name, where it begins, its rows.
struct FieldTable {
  const char* name;
  const char* begins;  // for people: "page start", "pd_special"
  std::span<const Field> fields;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_PAGE_FIELD_TABLE_H_

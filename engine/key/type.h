// The attribute types that a key may have: how each is stored, ordered and compared.
//
// Facts are PostgreSQL's: pg_type.dat for length, alignment and storage, the default B-tree
// operator class of each type for its order.

#ifndef TORNLEAF_ENGINE_KEY_TYPE_H_
#define TORNLEAF_ENGINE_KEY_TYPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tornleaf {

enum class TypeId : std::uint8_t {
  kBool,
  kInt2,
  kInt4,
  kInt8,
  kOid,
  kFloat4,
  kFloat8,
  kDate,
  kTimestamp,
  kTimestampTz,
  kUuid,
  kBytea,
  kText,
  kVarchar,
  kName,
  kNumeric,
};

// Attribute lengths below zero, as in pg_attribute.attlen.
inline constexpr std::int16_t kVarlena = -1;
inline constexpr std::int16_t kCString = -2;

// Bytes of a `name`, its terminating NUL included (NAMEDATALEN).
inline constexpr std::int16_t kNameSize = 64;

// Where a varlena value may go and whether it may be compressed; pg_attribute.attstorage.
enum class Storage : std::uint8_t { kPlain, kMain, kExtended, kExternal };

struct TypeInfo {
  TypeId id;
  const char* name;        // PostgreSQL's internal name, as the schema language prints it
  std::int16_t length;     // bytes, or kVarlena or kCString
  std::uint8_t alignment;  // 1, 2, 4 or 8
  bool collatable;
  Storage default_storage;
  // Whether values that compare equal always have equal bytes (with a deterministic collation):
  // the operator class's BTEQUALIMAGE answer, on which deduplication depends.
  bool equal_image;
};

const TypeInfo& InfoOf(TypeId id);
std::span<const TypeInfo> AllTypes();

// Finds a type by PostgreSQL's internal name or by its SQL name ("int4", "integer", "timestamp with
// time zone").
std::optional<TypeId> FindType(std::string_view name);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_TYPE_H_

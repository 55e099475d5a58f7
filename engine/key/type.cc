#include "engine/key/type.h"

#include "engine/base/check.h"

namespace tornleaf {

namespace {

constexpr TypeInfo kTypes[] = {
    {TypeId::kBool, "bool", 1, 1, false, Storage::kPlain, true},
    {TypeId::kInt2, "int2", 2, 2, false, Storage::kPlain, true},
    {TypeId::kInt4, "int4", 4, 4, false, Storage::kPlain, true},
    {TypeId::kInt8, "int8", 8, 8, false, Storage::kPlain, true},
    {TypeId::kOid, "oid", 4, 4, false, Storage::kPlain, true},
    // -0 equals 0, and there are many NaNs.
    {TypeId::kFloat4, "float4", 4, 4, false, Storage::kPlain, false},
    {TypeId::kFloat8, "float8", 8, 8, false, Storage::kPlain, false},
    {TypeId::kDate, "date", 4, 4, false, Storage::kPlain, true},
    {TypeId::kTimestamp, "timestamp", 8, 8, false, Storage::kPlain, true},
    {TypeId::kTimestampTz, "timestamptz", 8, 8, false, Storage::kPlain, true},
    {TypeId::kUuid, "uuid", 16, 1, false, Storage::kPlain, true},
    {TypeId::kBytea, "bytea", kVarlena, 4, false, Storage::kExtended, true},
    {TypeId::kText, "text", kVarlena, 4, true, Storage::kExtended, true},
    {TypeId::kVarchar, "varchar", kVarlena, 4, true, Storage::kExtended, true},
    // A key column of type name is stored as a cstring (the operator class's storage type).
    {TypeId::kName, "name", kCString, 1, true, Storage::kPlain, true},
    // 1.0 equals 1.00.
    {TypeId::kNumeric, "numeric", kVarlena, 4, false, Storage::kMain, false},
};

struct Alias {
  const char* name;
  TypeId id;
};

constexpr Alias kAliases[] = {
    {"boolean", TypeId::kBool},
    {"smallint", TypeId::kInt2},
    {"int", TypeId::kInt4},
    {"integer", TypeId::kInt4},
    {"bigint", TypeId::kInt8},
    {"real", TypeId::kFloat4},
    {"double precision", TypeId::kFloat8},
    {"timestamp without time zone", TypeId::kTimestamp},
    {"timestamp with time zone", TypeId::kTimestampTz},
    {"character varying", TypeId::kVarchar},
    {"decimal", TypeId::kNumeric},
};

constexpr bool InOrderOfId() {
  for (std::size_t index = 0; index < std::size(kTypes); ++index) {
    if (static_cast<std::size_t>(kTypes[index].id) != index) return false;
  }
  return true;
}
static_assert(InOrderOfId(), "InfoOf uses the id as an index");

}  // namespace

const TypeInfo& InfoOf(TypeId id) {
  const auto index = static_cast<std::size_t>(id);
  CHECK(index < std::size(kTypes));
  return kTypes[index];
}

std::span<const TypeInfo> AllTypes() { return kTypes; }

std::optional<TypeId> FindType(std::string_view name) {
  for (const TypeInfo& type : kTypes) {
    if (name == type.name) return type.id;
  }
  for (const Alias& alias : kAliases) {
    if (name == alias.name) return alias.id;
  }
  return std::nullopt;
}

}  // namespace tornleaf

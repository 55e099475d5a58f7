#include "engine/key/index_tuple.h"

#include "engine/key/compressed.h"

namespace tornleaf {

namespace {

using index_tuple::kHeaderSize;
using index_tuple::kNullBitmapSize;

// Varlena headers, little-endian. The lowest bits of the first byte tell the form.
//   .......1  one byte; total size in the upper seven bits (00000001 alone: out of line)
//   ......00  four bytes; total size in the upper 30 bits
//   ......10  the same, compressed; then four bytes of raw size (30 bits) and method (2 bits)
constexpr std::uint32_t kShortHeaderSize = 1;
constexpr std::uint32_t kLongHeaderSize = 4;
constexpr std::uint32_t kCompressedHeaderSize = 8;
constexpr std::uint8_t kOutOfLine = 0x01;
constexpr std::uint32_t kShortSizeMax = 0x7F;

// A payload that fits a one-byte header gets one; under storage plain only if it has one already.
bool CanBeShort(const Attribute& attribute, const Value& value) {
  return (attribute.storage != Storage::kPlain || value.short_header) &&
         value.size + kShortHeaderSize <= kShortSizeMax;
}

bool NullBitSet(TupleView tuple, std::uint32_t attribute) {
  return (tuple.data()[kHeaderSize + attribute / 8] >> (attribute % 8) & 1) == 0;
}

// Moves to where an attribute begins, after its padding; or returns what is wrong with that.
DeformError SkipPadding(TupleView tuple, std::uint32_t alignment, std::uint32_t end,
                        std::uint32_t* offset) {
  // Attributes begin at a multiple of 8, so that their alignment is that of the tuple.
  const std::uint32_t aligned = AlignUp(*offset, alignment);
  for (; *offset < aligned; ++*offset) {
    if (*offset >= end) return DeformError::kPastEnd;
    if (tuple.data()[*offset] != 0) return DeformError::kPadding;
  }
  return DeformError::kNone;
}

// Cuts a name that is stored at full length down to its characters; behind them are only NULs.
DeformResult TrimName(std::uint32_t attribute, std::uint32_t offset, Value* name) {
  const void* nul = std::memchr(name->data, 0, name->size);
  if (nul == nullptr) return {DeformError::kPastEnd, attribute, offset};
  const auto length =
      static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(nul) - name->data);
  if (!AllZero(name->bytes().subspan(length))) {
    return {DeformError::kPadding, attribute, offset + length};
  }
  name->size = length;
  return {};
}

DeformResult CheckNullBitmap(TupleView tuple, std::uint32_t count) {
  bool any_null = false;
  for (std::uint32_t bit = 0; bit < kMaxAttributes; ++bit) {
    const bool null = NullBitSet(tuple, bit);
    if (bit < count) {
      any_null |= null;
    } else if (!null) {
      return {DeformError::kNullBitmap, bit, kHeaderSize + bit / 8};
    }
  }
  if (!any_null) return {DeformError::kNullBitmap, 0, kHeaderSize};
  const std::uint32_t used = kHeaderSize + kNullBitmapSize;
  if (!AllZero(tuple.bytes().subspan(used, tuple.data_offset() - used))) {
    return {DeformError::kPadding, 0, used};
  }
  return {};
}

}  // namespace

DeformResult DeformedTuple::ReadVarlena(TupleView tuple, std::uint32_t attribute, std::uint32_t end,
                                        std::uint32_t* offset) {
  const std::uint8_t* at = tuple.data() + *offset;
  const std::uint32_t left = end - *offset;
  const DeformResult bad_header{DeformError::kVarlenaHeader, attribute, *offset};
  if ((at[0] & 1) != 0) {
    const std::uint32_t total = at[0] >> 1;
    if (at[0] == kOutOfLine) return bad_header;
    if (total > left) return {DeformError::kPastEnd, attribute, *offset};
    values_[attribute] = Value::Of({at + kShortHeaderSize, total - kShortHeaderSize});
    values_[attribute].short_header = true;
    *offset += total;
    return {};
  }
  // Only a short header may stand unaligned; the server would read a long one from elsewhere.
  if (*offset % sizeof(std::uint32_t) != 0) return bad_header;
  if (left < kLongHeaderSize) return {DeformError::kPastEnd, attribute, *offset};
  const auto header = LoadLittleEndian<std::uint32_t>(at);
  const std::uint32_t total = header >> 2;
  const bool compressed = (header & 2) != 0;
  if (total < (compressed ? kCompressedHeaderSize : kLongHeaderSize)) return bad_header;
  if (total > left) return {DeformError::kPastEnd, attribute, *offset};
  if (!compressed) {
    values_[attribute] = Value::Of({at + kLongHeaderSize, total - kLongHeaderSize});
    *offset += total;
    return {};
  }
  const auto info = LoadLittleEndian<std::uint32_t>(at + kLongHeaderSize);
  const std::uint32_t raw_size = info & 0x3FFFFFFF;
  if (info >> 30 > 1 || raw_size > kMaxInflatedSize) return bad_header;
  std::vector<std::uint8_t>& raw = inflated_.emplace_back();
  if (!Decompress(static_cast<Compression>(info >> 30),
                  {at + kCompressedHeaderSize, total - kCompressedHeaderSize}, raw_size, &raw)) {
    return {DeformError::kCompressedValue, attribute, *offset};
  }
  values_[attribute] = Value::Of(raw);
  *offset += total;
  return {};
}

DeformResult DeformedTuple::Deform(const Schema& schema, TupleView tuple, std::uint32_t count,
                                   std::uint32_t end) {
  CHECK(count <= schema.attribute_count());
  CHECK(end <= tuple.stored_size());
  count_ = 0;
  inflated_.clear();
  const std::uint32_t data_offset = tuple.data_offset();
  if (data_offset > end) return {DeformError::kShortHeader, 0, 0};
  const bool has_nulls = tuple.has_nulls();
  if (has_nulls) {
    const DeformResult bitmap = CheckNullBitmap(tuple, count);
    if (!bitmap.ok()) return bitmap;
  }

  std::uint32_t offset = data_offset;
  bool var_width = false;
  for (std::uint32_t index = 0; index < count; ++index) {
    if (has_nulls && NullBitSet(tuple, index)) {
      values_[index] = Value();
      count_ = index + 1;
      continue;
    }
    const Attribute& attribute = schema.attribute(index);
    // A short varlena is not aligned: its non-zero first byte tells it from padding.
    const bool unaligned =
        attribute.length == kVarlena && offset < end && tuple.data()[offset] != 0;
    if (!unaligned) {
      const DeformError padding = SkipPadding(tuple, attribute.alignment, end, &offset);
      if (padding != DeformError::kNone) return {padding, index, offset};
    }
    if (attribute.length > 0) {
      const auto length = static_cast<std::uint32_t>(attribute.length);
      if (offset + length > end) return {DeformError::kPastEnd, index, offset};
      values_[index] = Value::Of({tuple.data() + offset, length});
      if (attribute.type == TypeId::kName) {
        const DeformResult name = TrimName(index, offset, &values_[index]);
        if (!name.ok()) return name;
      }
      offset += length;
    } else if (offset >= end) {
      return {DeformError::kPastEnd, index, offset};
    } else if (attribute.length == kVarlena) {
      const DeformResult varlena = ReadVarlena(tuple, index, end, &offset);
      if (!varlena.ok()) return varlena;
      var_width = true;
    } else {
      const void* nul = std::memchr(tuple.data() + offset, 0, end - offset);
      if (nul == nullptr) return {DeformError::kPastEnd, index, offset};
      const auto length = static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(nul) -
                                                     (tuple.data() + offset));
      values_[index] = Value::Of({tuple.data() + offset, length});
      offset += length + 1;
      var_width = true;
    }
    count_ = index + 1;
  }

  if (end - offset >= kMaxAlign || !AllZero(tuple.bytes().subspan(offset, end - offset))) {
    return {DeformError::kTrailingBytes, count, offset};
  }
  if (tuple.has_var_width() != var_width) return {DeformError::kVarWidthFlag, count, 6};
  return {};
}

namespace {

bool FitsLength(const Attribute& attribute, const Value& value) {
  if (attribute.length < 0) return true;
  const auto length = static_cast<std::uint32_t>(attribute.length);
  return attribute.type == TypeId::kName ? value.size < length : value.size == length;
}

// Where one attribute ends that begins, padding included, at `offset`.
std::uint32_t EndOfAttribute(const Attribute& attribute, const Value& value, std::uint32_t offset) {
  if (attribute.length == kCString) return offset + value.size + 1;
  if (attribute.length == kVarlena) {
    if (CanBeShort(attribute, value)) return offset + kShortHeaderSize + value.size;
    return AlignUp(offset, attribute.alignment) + kLongHeaderSize + value.size;
  }
  return AlignUp(offset, attribute.alignment) + static_cast<std::uint32_t>(attribute.length);
}

// Writes one attribute so that it ends at `end`; padding is zero already.
void WriteAttribute(const Attribute& attribute, const Value& value, std::uint8_t* end) {
  std::uint8_t* payload = end - value.size;
  // The NULs behind a name are zero already.
  if (attribute.length == kCString) --payload;
  if (attribute.length > 0) payload = end - attribute.length;
  if (value.size != 0) std::memcpy(payload, value.data, value.size);
  if (attribute.length != kVarlena) return;
  if (CanBeShort(attribute, value)) {
    payload[-1] = static_cast<std::uint8_t>((value.size + kShortHeaderSize) << 1 | 1);
  } else {
    StoreLittleEndian(payload - kLongHeaderSize, (value.size + kLongHeaderSize) << 2);
  }
}

}  // namespace

std::uint32_t FormTuple(const Schema& schema, const Value* values, std::uint32_t count,
                        ItemPointer tid, std::vector<std::uint8_t>* bytes) {
  CHECK(count <= schema.attribute_count());
  bool has_nulls = false;
  bool var_width = false;
  std::uint64_t data_size = 0;
  for (std::uint32_t index = 0; index < count; ++index) {
    if (values[index].is_null) {
      has_nulls = true;
      continue;
    }
    const Attribute& attribute = schema.attribute(index);
    CHECK(FitsLength(attribute, values[index]));
    if (values[index].size > index_tuple::kSizeMask) return 0;
    var_width |= attribute.length < 0;
    data_size = EndOfAttribute(attribute, values[index], static_cast<std::uint32_t>(data_size));
  }
  const std::uint32_t data_offset =
      has_nulls ? index_tuple::kDataOffsetWithNulls : index_tuple::kDataOffset;
  const std::uint32_t size = MaxAlign(data_offset + static_cast<std::uint32_t>(data_size));
  if (size > index_tuple::kSizeMask) return 0;

  const std::size_t start = bytes->size();
  bytes->resize(start + size);
  std::uint8_t* tuple = bytes->data() + start;
  StoreTid(tuple, tid);
  Store(tuple, index_tuple::kInfo,
        static_cast<std::uint16_t>(size | (var_width ? index_tuple::kVarWidthBit : 0) |
                                   (has_nulls ? index_tuple::kNullsBit : 0)));
  std::uint32_t offset = 0;
  for (std::uint32_t index = 0; index < count; ++index) {
    if (values[index].is_null) continue;
    if (has_nulls) tuple[kHeaderSize + index / 8] |= static_cast<std::uint8_t>(1U << index % 8);
    offset = EndOfAttribute(schema.attribute(index), values[index], offset);
    WriteAttribute(schema.attribute(index), values[index], tuple + data_offset + offset);
  }
  return size;
}

}  // namespace tornleaf

#include <cstring>

#include "engine/base/crc32c.h"
#include "engine/page/slotted_page_v4.h"
#include "engine/wal/record/record.h"
#include "engine/wal/record/record_v15.h"

namespace tornleaf {
namespace wal {

namespace {

// Room for all headers of a record at once: they are written before the first byte of data.
constexpr std::size_t kBlockHeaderMax =
    v15::kBlockHeaderSize + v15::kImageHeaderSize + v15::kRelationSize + v15::kBlockNumberSize;
constexpr std::size_t kHeadersMax =
    v15::kHeaderSize + (kMaxBlockId + 1) * kBlockHeaderMax + 1 + sizeof(std::uint32_t);

// Appends to bytes that have room.
class Writer {
 public:
  explicit Writer(std::uint8_t* at) : at_(at) {}

  std::uint8_t* at() const { return at_; }
  std::uint8_t* Skip(std::size_t size) {
    std::uint8_t* const skipped = at_;
    at_ += size;
    return skipped;
  }
  void Append(ByteView bytes) {
    if (!bytes.empty()) std::memcpy(Skip(bytes.size()), bytes.data(), bytes.size());
  }
  template <typename T>
  void AppendNumber(T value) {
    StoreLittleEndian(Skip(sizeof(T)), value);
  }

 private:
  std::uint8_t* at_;
};

std::size_t SizeOf(const Pieces& pieces) {
  std::size_t size = 0;
  for (const ByteView piece : pieces) size += piece.size();
  return size;
}

// Bytes that an image leaves out; empty if the page is not of the standard layout, or has none.
ByteRange HoleOf(const BlockChange& block) {
  if ((block.flags & kStandardPage) == 0) return {};
  const std::uint32_t lower = Load(block.page.data(), slotted_v4::kLower);
  const std::uint32_t upper = Load(block.page.data(), slotted_v4::kUpper);
  const bool has_hole =
      lower >= slotted_v4::kHeaderSize && lower < upper && upper <= block.page.size();
  return has_hole ? ByteRange{lower, upper} : ByteRange{};
}

// What of a block goes into the record.
struct Part {
  bool image = false;
  bool data = false;
  ByteRange hole;

  std::size_t image_size(const BlockChange& block) const {
    return image ? block.page.size() - (hole.end - hole.begin) : 0;
  }
};

Part PartOf(const BlockChange& block, bool with_image) {
  Part part;
  part.image = with_image;
  if (with_image) {
    CHECK(slotted_v4::IsPageSize(static_cast<std::uint32_t>(block.page.size())));
    part.hole = HoleOf(block);
  }
  part.data = !block.data.empty() && (!with_image || (block.flags & kWillInit) != 0);
  return part;
}

void WriteBlockHeader(const BlockChange& block, const Part& part, std::size_t data_size,
                      const BlockChange* previous, Writer* to) {
  CHECK(block.id <= kMaxBlockId);
  CHECK(previous == nullptr || previous->id < block.id);
  CHECK(data_size <= UINT16_MAX);
  const bool same_relation = previous != nullptr && previous->relation == block.relation;
  std::uint8_t flags = block.fork & v15::kForkMask;
  if (part.image) flags |= v15::kHasImage;
  if (data_size != 0) flags |= v15::kHasData;
  if ((block.flags & kWillInit) != 0) flags |= v15::kWillInitPage;
  if (same_relation) flags |= v15::kSameRelation;
  std::uint8_t* const header = to->Skip(v15::kBlockHeaderSize);
  Store(header, v15::kBlockId, block.id);
  Store(header, v15::kForkFlags, flags);
  Store(header, v15::kDataLength, static_cast<std::uint16_t>(data_size));
  if (part.image) {
    const bool has_hole = part.hole.end != 0;
    std::uint8_t* const image = to->Skip(v15::kImageHeaderSize);
    Store(image, v15::kImageLength, static_cast<std::uint16_t>(part.image_size(block)));
    Store(image, v15::kHoleOffset, static_cast<std::uint16_t>(part.hole.begin));
    Store(image, v15::kImageInfo,
          static_cast<std::uint8_t>(v15::kApply | (has_hole ? v15::kHasHole : 0)));
  }
  if (!same_relation) {
    to->AppendNumber(block.relation.tablespace);
    to->AppendNumber(block.relation.database);
    to->AppendNumber(block.relation.relation);
  }
  to->AppendNumber(block.block);
}

void WriteMainHeader(std::size_t size, Writer* to) {
  if (size == 0) return;
  if (size <= v15::kMainShortMax) {
    to->AppendNumber(v15::kIdMainShort);
    to->AppendNumber(static_cast<std::uint8_t>(size));
  } else {
    to->AppendNumber(v15::kIdMainLong);
    to->AppendNumber(static_cast<std::uint32_t>(size));
  }
}

// `record` is whole but for the CRC.
void StoreCrc(MutableBytes record) {
  std::uint32_t state = ExtendCrc32c(kCrc32cStart, record.subspan(v15::kHeaderSize));
  state = ExtendCrc32c(state, record.first(v15::kCrc.offset));
  Store(record.data(), v15::kCrc, FinishCrc32c(state));
}

}  // namespace

std::uint32_t EncodeRecord(const RecordDraft& draft, Lsn previous, std::uint64_t with_image,
                           std::vector<std::uint8_t>* bytes) {
  std::uint8_t headers[kHeadersMax];
  FixedVector<Part, kMaxBlockId + 1> parts;
  Writer to(headers + v15::kHeaderSize);
  std::size_t data_size = 0;
  for (std::size_t index = 0; index < draft.blocks.size(); ++index) {
    const BlockChange& block = draft.blocks[index];
    parts.push_back(PartOf(block, (with_image >> index & 1) != 0));
    const std::size_t size = parts[index].data ? SizeOf(block.data) : 0;
    WriteBlockHeader(block, parts[index], size, index == 0 ? nullptr : &draft.blocks[index - 1],
                     &to);
    data_size += size + parts[index].image_size(block);
  }
  const std::size_t main_size = SizeOf(draft.main_data);
  WriteMainHeader(main_size, &to);

  const auto headers_size = static_cast<std::size_t>(to.at() - headers);
  const std::size_t length = headers_size + data_size + main_size;
  CHECK(length <= kMaxRecordLength);
  Store(headers, v15::kTotalLength, static_cast<std::uint32_t>(length));
  Store(headers, v15::kXid, draft.xid);
  Store(headers, v15::kPrevious, previous);
  Store(headers, v15::kInfo, draft.info);
  Store(headers, v15::kManager, static_cast<std::uint8_t>(draft.manager));
  Store(headers, v15::kPadding, std::uint16_t{0});

  const std::size_t begin = bytes->size();
  bytes->resize(begin + length);
  const MutableBytes record(bytes->data() + begin, length);
  Writer body(record.data());
  body.Append({headers, headers_size});
  for (std::size_t index = 0; index < draft.blocks.size(); ++index) {
    const BlockChange& block = draft.blocks[index];
    if (parts[index].image) {
      body.Append(block.page.first(parts[index].hole.begin));
      body.Append(block.page.subspan(parts[index].hole.end));
    }
    if (!parts[index].data) continue;
    for (const ByteView piece : block.data) body.Append(piece);
  }
  for (const ByteView piece : draft.main_data) body.Append(piece);
  CHECK(body.at() == record.data() + length);
  StoreCrc(record);
  return static_cast<std::uint32_t>(length);
}

}  // namespace wal
}  // namespace tornleaf

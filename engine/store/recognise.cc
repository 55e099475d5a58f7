#include "engine/store/recognise.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/format/nbtree_v4.h"
#include "engine/page/slotted_page_v4.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kDefaultPageSize = 8192;
// Versions of nbtree that some server may have written or will write; a number beyond is damage.
constexpr std::uint32_t kPlausibleVersionMax = 16;

// The beginning of a file, which may be shorter than any field.
class Head {
 public:
  explicit Head(ByteView bytes) : bytes_(bytes) {}

  bool Has(std::uint32_t offset, std::uint32_t size) const {
    return offset + size <= bytes_.size();
  }
  template <typename T>
  T At(std::uint32_t offset) const {
    return Has(offset, sizeof(T)) ? LoadLittleEndian<T>(bytes_.data() + offset) : T{0};
  }
  template <typename T>
  T Get(const FieldOf<T>& field, std::uint32_t base = 0) const {
    return At<T>(base + field.offset);
  }

  std::uint16_t size_version(std::uint32_t base = 0) const {
    return Get(slotted_v4::kPageSizeVersion, base);
  }
  std::uint32_t special() const { return Get(slotted_v4::kSpecial); }
  bool has_magic() const { return Get(nbtree::kMetaMagic) == nbtree::kMagicNumber; }
  bool all_zero() const { return AllZero(bytes_.first(std::min<std::size_t>(bytes_.size(), 512))); }

 private:
  ByteView bytes_;
};

std::uint32_t SizeOf(std::uint16_t size_version) { return size_version & 0xFF00U; }
bool IsWholeHeaderWord(std::uint16_t size_version) {
  return slotted_v4::IsPageSize(SizeOf(size_version)) &&
         (size_version & 0x00FF) == slotted_v4::kLayoutVersion;
}

std::uint16_t Swapped(std::uint16_t word) {
  return static_cast<std::uint16_t>(word << 8 | word >> 8);
}

absl::Status NoIndex(const std::string& path, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": not a B-tree index: ", std::string(why)));
}

// Access methods that put a page id where nbtree has btpo_cycleid.
const char* OtherAccessMethod(std::uint16_t page_id) {
  switch (page_id) {
    case 0xFF80:
      return "a hash index";
    case 0xFF81:
      return "a GiST index";
    case 0xFF82:
      return "an SP-GiST index";
    case 0xFF83:
      return "a BRIN index";
    default:
      return nullptr;
  }
}

// A page whose header is in order and that is no metapage of ours.
absl::Status SayWhatElse(const std::string& path, const Head& head, std::uint32_t page_size) {
  const std::uint32_t special = head.special();
  if (special == page_size) {
    return NoIndex(path,
                   "block 0 has no special area, so it is a table (heap); name the file of "
                   "the index, pg_relation_filepath() tells it");
  }
  const char* other = OtherAccessMethod(head.At<std::uint16_t>(page_size - 2));
  if (other != nullptr) return NoIndex(path, absl::StrCat("block 0 is that of ", other));
  if (special == page_size - nbtree::kOpaqueSize) {
    return NoIndex(path,
                   "block 0 is a B-tree page but not the metapage, so this may be a later "
                   "segment; name the first file of the index");
  }
  return NoIndex(path, absl::StrFormat("block 0 has a special area of %d bytes, not 16, and no "
                                       "metapage magic",
                                       static_cast<int>(page_size) - static_cast<int>(special)));
}

absl::Status CheckVersion(const std::string& path, const Head& head) {
  if (!head.has_magic()) return absl::OkStatus();
  const std::uint32_t version = head.Get(nbtree::kMetaVersion);
  if (version >= nbtree::kVersionMin && version <= nbtree::kVersionMax) return absl::OkStatus();
  if (version > kPlausibleVersionMax) return absl::OkStatus();  // Damage: the verifier's business.
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s: metapage version %u is not supported, only %u to %u; REINDEX with PostgreSQL 8.2 to 17 "
      "writes one that is",
      path, version, nbtree::kVersionMin, nbtree::kVersionMax));
}

// The size of the pages when block 0 bears the magic number and its header contradicts itself: the
// size for which most speaks. The header of block 1 counts double, since nobody has touched it.
std::uint32_t GuessPageSize(const Head& head, std::uint64_t file_bytes) {
  std::uint32_t best = kDefaultPageSize;
  int best_votes = 0;
  for (std::uint32_t size = slotted_v4::kPageSizeMin; size <= slotted_v4::kPageSizeMax; size *= 2) {
    const std::uint16_t word = static_cast<std::uint16_t>(size | slotted_v4::kLayoutVersion);
    const int votes = (head.size_version() == word ? 1 : 0) +
                      (head.special() == size - nbtree::kOpaqueSize ? 1 : 0) +
                      (head.size_version(size) == word ? 2 : 0) + (file_bytes == size ? 1 : 0);
    if (votes <= best_votes) continue;
    best = size;
    best_votes = votes;
  }
  return best;
}

absl::Status SayWhyHeaderIsNone(const std::string& path, const Head& head) {
  if (head.all_zero()) return NoIndex(path, "it begins with zeros where the metapage should be");
  const std::uint16_t word = head.size_version();
  const std::uint16_t swapped = Swapped(word);
  if (IsWholeHeaderWord(swapped)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: written on a big-endian machine (pd_pagesize_version is stored as %02x %02x); only "
        "little-endian files can be read",
        path, word & 0xFF, word >> 8));
  }
  const std::uint32_t version = word & 0xFF;
  if (version == slotted_v4::kLayoutVersion && SizeOf(word) != 0) {
    return NoIndex(
        path, absl::StrFormat("page size %u is none of 512, 1024, 2048, ... 32768", SizeOf(word)));
  }
  if (slotted_v4::IsPageSize(SizeOf(word)) && version < slotted_v4::kLayoutVersion) {
    return NoIndex(
        path, absl::StrFormat("page layout version %u is from before PostgreSQL 8.3", version));
  }
  return NoIndex(path, absl::StrFormat("it does not begin with a PostgreSQL page "
                                       "(pd_pagesize_version 0x%04x)",
                                       word));
}

}  // namespace

absl::StatusOr<std::uint32_t> RecognisePageSize(const std::string& path, ByteView head_bytes,
                                                std::uint64_t file_bytes) {
  const Head head(head_bytes);
  if (file_bytes == 0) {
    return NoIndex(path, "the file is empty (0 bytes); an index has at least its metapage");
  }
  const std::uint16_t word = head.size_version();
  std::uint32_t page_size = SizeOf(word);
  const bool header_is_whole =
      IsWholeHeaderWord(word) && head.special() == page_size - nbtree::kOpaqueSize;
  if (head.has_magic()) {
    const absl::Status version = CheckVersion(path, head);
    if (!version.ok()) return version;
    if (!header_is_whole) page_size = GuessPageSize(head, file_bytes);
  } else if (!IsWholeHeaderWord(word)) {
    return SayWhyHeaderIsNone(path, head);
  } else {
    const std::uint16_t flags = head.Get(nbtree::kFlags, page_size - nbtree::kOpaqueSize);
    const bool is_meta =
        header_is_whole && (flags & nbtree::kMeta) != 0 &&
        head.Get(nbtree::kCycleId, page_size - nbtree::kOpaqueSize) <= nbtree::kMaxCycleId;
    if (!is_meta) return SayWhatElse(path, head, page_size);
  }
  if (file_bytes < page_size) {
    return absl::DataLossError(absl::StrFormat(
        "%s: truncated: %u bytes, less than the metapage of %u; restore it, or REINDEX", path,
        file_bytes, page_size));
  }
  return page_size;
}

}  // namespace tornleaf

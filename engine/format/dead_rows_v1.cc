#include "engine/format/dead_rows_v1.h"

#include <cstring>

#include "engine/base/check.h"

namespace tornleaf {
namespace dead_rows_v1 {

namespace {

constexpr std::uint32_t kRowsBegin = slotted_v4::kHeaderSize;

bool AreRowAddresses(ByteView stored) {
  if (stored.size() % index_tuple::kTidSize != 0) return false;
  for (std::size_t at = 0; at < stored.size(); at += index_tuple::kTidSize) {
    if (LoadTid(stored.data() + at).offset == 0) return false;
  }
  return true;
}

}  // namespace

void InitializePage(PageWriter page) {
  page.Initialize(kSpecialSize);
  std::uint8_t* special = page.data() + page.size() - kSpecialSize;
  Store(special, kMagic, kMagicNumber);
  Store(special, kVersion, kVersionNumber);
}

std::uint32_t RowCount(PageView page) {
  CHECK(page.lower() >= kRowsBegin);
  CHECK(page.lower() <= page.size() - kSpecialSize);
  return (page.lower() - kRowsBegin) / index_tuple::kTidSize;
}

ItemPointer RowAt(PageView page, std::uint32_t index) {
  CHECK(index < RowCount(page));
  return LoadTid(page.data() + kRowsBegin + index * index_tuple::kTidSize);
}

bool AppendRows(PageWriter page, std::uint32_t first, ByteView stored) {
  if (!AreRowAddresses(stored)) return false;
  if (RowCount(page.view()) != first) return false;
  const std::uint32_t lower = page.view().lower();
  if (stored.size() > page.size() - kSpecialSize - lower) return false;
  if (stored.empty()) return true;
  std::memcpy(page.data() + lower, stored.data(), stored.size());
  page.set_lower(lower + static_cast<std::uint32_t>(stored.size()));
  return true;
}

const char* GuardPage(ByteView bytes) {
  const PageView page(bytes);
  const std::uint32_t special = page.size() - kSpecialSize;
  if (page.page_size_version() != (page.size() | slotted_v4::kLayoutVersion)) {
    return "page size or layout version is another";
  }
  if (page.special() != special) return "pd_special is not the page size less 16";
  if (page.upper() != special) return "pd_upper is not pd_special";
  if (page.lower() < kRowsBegin) return "pd_lower is inside the header";
  if (page.lower() > special) return "pd_lower is past pd_upper";
  if (page.flags() != 0) return "pd_flags are set";
  if (page.prune_xid() != 0) return "pd_prune_xid is set";
  const std::uint8_t* area = page.data() + special;
  if (Load(area, kMagic) != kMagicNumber) return "the magic number is another";
  if (Load(area, kVersion) != kVersionNumber) return "the version is not known";
  if (Load(area, kReserved1) != 0) return "reserved bytes are not zero";
  if (Load(area, kReserved2) != 0) return "reserved bytes are not zero";
  if (!AreRowAddresses(bytes.subspan(kRowsBegin, page.lower() - kRowsBegin))) {
    return "a row address is cut, or has offset number 0";
  }
  return nullptr;
}

}  // namespace dead_rows_v1
}  // namespace tornleaf

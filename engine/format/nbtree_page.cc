#include "engine/format/nbtree_page.h"

namespace tornleaf {
namespace nbtree {

namespace {

std::uint8_t* Opaque(PageWriter page) { return page.data() + page.size() - kOpaqueSize; }

}  // namespace

MetaPage MetaPage::Load(PageView page) {
  const std::uint8_t* bytes = page.data();
  const std::uint32_t end = page.lower();
  MetaPage meta;
  meta.magic = tornleaf::Load(bytes, kMetaMagic);
  meta.version = tornleaf::Load(bytes, kMetaVersion);
  meta.root = tornleaf::Load(bytes, kMetaRoot);
  meta.level = tornleaf::Load(bytes, kMetaLevel);
  meta.fast_root = tornleaf::Load(bytes, kMetaFastRoot);
  meta.fast_level = tornleaf::Load(bytes, kMetaFastLevel);
  if (meta.version > kVersionNoVacuumFields && end >= kMetaEndV3) {
    meta.last_cleanup_deleted_pages = tornleaf::Load(bytes, kMetaDeletedPages);
    meta.last_cleanup_heap_tuples = tornleaf::Load(bytes, kMetaHeapTuples);
  }
  if (meta.version > kVersionNoVacuumFields && end >= kMetaEnd) {
    meta.all_equal_image = tornleaf::Load(bytes, kMetaAllEqualImage) != 0;
  }
  return meta;
}

void InitializePage(PageWriter page, std::uint32_t level, std::uint16_t flags) {
  page.Initialize(kOpaqueSize);
  Store(Opaque(page), kLevel, level);
  SetFlags(page, flags);
}

void SetPrev(PageWriter page, BlockNumber prev) { Store(Opaque(page), kPrev, prev); }
void SetNext(PageWriter page, BlockNumber next) { Store(Opaque(page), kNext, next); }
void SetFlags(PageWriter page, std::uint16_t flags) { Store(Opaque(page), kFlags, flags); }

void SetCycleId(PageWriter page, std::uint16_t cycle_id) {
  Store(Opaque(page), kCycleId, cycle_id);
}

void InitializeMetaPage(PageWriter page, const MetaPage& meta) {
  InitializePage(page, 0, kMeta);
  std::uint8_t* bytes = page.data();
  Store(bytes, kMetaMagic, meta.magic);
  Store(bytes, kMetaVersion, meta.version);
  Store(bytes, kMetaRoot, meta.root);
  Store(bytes, kMetaLevel, meta.level);
  Store(bytes, kMetaFastRoot, meta.fast_root);
  Store(bytes, kMetaFastLevel, meta.fast_level);
  Store(bytes, kMetaDeletedPages, meta.last_cleanup_deleted_pages);
  Store(bytes, kMetaHeapTuples, meta.last_cleanup_heap_tuples);
  Store(bytes, kMetaAllEqualImage, static_cast<std::uint8_t>(meta.all_equal_image));
  page.set_lower(kMetaEnd);
}

}  // namespace nbtree
}  // namespace tornleaf

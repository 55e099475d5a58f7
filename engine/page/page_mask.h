// What may differ between two pages that mean the same.

#ifndef TORNLEAF_ENGINE_PAGE_PAGE_MASK_H_
#define TORNLEAF_ENGINE_PAGE_PAGE_MASK_H_

#include "engine/page/slotted_page_v4.h"

namespace tornleaf {

// Sets to zero what says nothing about a page's contents: pd_lsn, pd_checksum, and the hole between
// pd_lower and pd_upper. A page whose header puts these two out of order keeps all of its bytes but
// the first two fields, so that it differs from a sound one.
inline void MaskPage(MutableBytes page) {
  Store(page.data(), slotted_v4::kLsnHigh, std::uint32_t{0});
  Store(page.data(), slotted_v4::kLsnLow, std::uint32_t{0});
  Store(page.data(), slotted_v4::kChecksum, std::uint16_t{0});
  const PageView view(page);
  const bool in_order = slotted_v4::kHeaderSize <= view.lower() && view.lower() <= view.upper() &&
                        view.upper() <= view.size();
  if (in_order) std::memset(page.data() + view.lower(), 0, view.upper() - view.lower());
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_PAGE_PAGE_MASK_H_

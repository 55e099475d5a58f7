// Checks of one page on its own: header, checksum, flags, and by its state its contents.

#ifndef TORNLEAF_ENGINE_VERIFY_PAGE_VERIFIER_H_
#define TORNLEAF_ENGINE_VERIFY_PAGE_VERIFIER_H_

#include <cstdint>

#include "engine/verify/context.h"
#include "engine/verify/item_verifier.h"

namespace tornleaf {

// What the checks across pages need to know of a page that was checked on its own.
struct CheckedPage {
  enum class State : std::uint8_t {
    kUnusable,  // the header is damaged: nothing else of the page can be believed
    kNew,
    kMeta,
    kDeleted,
    kHalfDead,
    kLive,
  };
  State state = State::kUnusable;
  nbtree::NbtreePage page;  // set unless kUnusable or kNew
  // Flags and level say whether it is a leaf, and no flag is unknown.
  bool kind_known = false;
  // Of a live page: all items may be used, so that what is missing is really missing.
  bool items_usable = false;
};

class PageVerifier {
 public:
  PageVerifier(VerifyContext* context, ItemVerifier* items) : context_(context), items_(items) {}

  // Checks the page and says what it is. Findings go to the context's reporter.
  CheckedPage Check(PageView page, BlockNumber block);

  // Checks block 0 and reads the metapage's fields. False if it cannot be believed.
  bool CheckMetaPage(PageView page, nbtree::MetaPage* meta);

 private:
  bool CheckSlottedPage(PageView page, BlockNumber block);
  void CheckMetaFields(PageView page, const nbtree::MetaPage& meta);
  void CheckMetaUnused(PageView page);
  void CheckFlags(nbtree::NbtreePage page, BlockNumber block);
  void CheckSiblingRange(nbtree::NbtreePage page, BlockNumber block);
  void CheckDeletedPage(nbtree::NbtreePage page, BlockNumber block);
  void CheckHalfDeadPage(nbtree::NbtreePage page, BlockNumber block);
  static bool KindKnown(nbtree::NbtreePage page);
  bool CheckLivePage(const CheckedPage& checked, BlockNumber block);
  bool CheckItemCount(nbtree::NbtreePage page, BlockNumber block);
  void CountPage(const CheckedPage& checked);

  VerifyContext* context_;
  ItemVerifier* items_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_PAGE_VERIFIER_H_

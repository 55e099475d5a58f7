#include "engine/verify/page_verifier.h"

#include <cmath>

#include "engine/page/page_check.h"
#include "engine/verify/nbtree_rules.h"

namespace tornleaf {

using nbtree::NbtreePage;

namespace {

FindingText FlagsText(std::uint16_t flags) { return FindingText::Format("flags 0x%04x", flags); }

ByteRange FlagsRange(PageView page) { return OpaqueRange(page, nbtree::kFlags); }

}  // namespace

CheckedPage PageVerifier::Check(PageView page, BlockNumber block) {
  CheckedPage checked;
  Findings findings;
  if (page.is_new()) {
    checked.state = CheckNewPage(page, block, &findings) ? CheckedPage::State::kNew
                                                         : CheckedPage::State::kUnusable;
    context_->reporter->AddAll(findings);
    CountPage(checked);
    return checked;
  }
  if (!CheckSlottedPage(page, block)) {
    CountPage(checked);
    return checked;
  }
  checked.page = NbtreePage(page);
  CheckFlags(checked.page, block);
  CheckSiblingRange(checked.page, block);
  checked.kind_known = KindKnown(checked.page);
  if (checked.page.is_meta()) {
    checked.state = CheckedPage::State::kMeta;
  } else if (checked.page.is_deleted()) {
    checked.state = CheckedPage::State::kDeleted;
    CheckDeletedPage(checked.page, block);
  } else if (checked.page.is_half_dead() && checked.page.is_leaf()) {
    checked.state = CheckedPage::State::kHalfDead;
    CheckHalfDeadPage(checked.page, block);
  } else {
    checked.state = CheckedPage::State::kLive;
    checked.items_usable = CheckLivePage(checked, block);
  }
  CountPage(checked);
  return checked;
}

bool PageVerifier::CheckSlottedPage(PageView page, BlockNumber block) {
  Findings findings;
  // Whatever else is wrong with a page whose checksum is wrong follows from that.
  if (context_->checksums == ChecksumMode::kOn && !CheckPageChecksum(page, block, &findings)) {
    context_->reporter->AddAll(findings);
    context_->reporter->Doubt(block);
    findings.clear();
  }
  const bool usable = CheckPageHeader(page, block, nbtree::kOpaqueSize, &findings);
  context_->reporter->AddAll(findings);
  return usable;
}

void PageVerifier::CountPage(const CheckedPage& checked) {
  VerifyCounts& counts = context_->counts();
  ++counts.pages;
  switch (checked.state) {
    case CheckedPage::State::kNew:
      ++counts.new_pages;
      return;
    case CheckedPage::State::kDeleted:
      ++counts.deleted_pages;
      return;
    case CheckedPage::State::kHalfDead:
      ++counts.half_dead_pages;
      return;
    case CheckedPage::State::kLive:
      ++(checked.page.is_leaf() ? counts.leaf_pages : counts.internal_pages);
      if (checked.page.is_incomplete_split()) ++counts.incomplete_splits;
      if (checked.page.has_unknown_flags()) ++counts.pages_of_unsupported_format;
      return;
    case CheckedPage::State::kMeta:
    case CheckedPage::State::kUnusable:
      return;
  }
}

void PageVerifier::CheckFlags(NbtreePage page, BlockNumber block) {
  const std::uint16_t flags = page.flags();
  const auto add = [&](const Invariant& rule, const char* expected, FindingText actual) {
    context_->reporter->Add(
        At(rule, page.page(), block, 0, FlagsRange(page.page()), Words(expected), actual));
  };
  if (page.has_unknown_flags()) {
    add(rules::kUnsupportedFormat, "bits of 0x01ff",
        FindingText::Format("unsupported page format: bits 0x%04x", flags & ~nbtree::kKnownFlags));
  }
  if (page.is_meta() && block != nbtree::kMetaBlock) {
    add(rules::kMetaElsewhere, "no BTP_META outside block 0", FlagsText(flags));
    return;
  }
  const bool level_is_xid = page.is_deleted() && !page.has_full_xid();
  if (!level_is_xid && page.is_leaf() != (page.level() == 0)) {
    add(rules::kLeafLevel, page.level() == 0 ? "BTP_LEAF on level 0" : "no BTP_LEAF above level 0",
        FindingText::Format("flags 0x%04x, level %u", flags, page.level()));
  }
  if (page.is_half_dead() && !page.is_leaf()) {
    add(rules::kHalfDeadLeaf, "BTP_HALF_DEAD with BTP_LEAF", FlagsText(flags));
  }
  const bool alone =
      !page.is_ignorable() || ((flags & (nbtree::kRoot | nbtree::kIncompleteSplit)) == 0 &&
                               page.is_deleted() != page.is_half_dead());
  if (!alone) {
    add(rules::kDeletedAlone, "deleted or half-dead, and nothing else", FlagsText(flags));
  }
  if (page.has_full_xid() && !page.is_deleted()) {
    add(rules::kFullXidDeleted, "BTP_HAS_FULLXID with BTP_DELETED", FlagsText(flags));
  }
  if ((flags & nbtree::kHasGarbage) != 0 && !page.is_leaf()) {
    add(rules::kGarbageLeaf, "BTP_HAS_GARBAGE with BTP_LEAF", FlagsText(flags));
  }
  // A split sets either flag on a page that has a right sibling, and such a page keeps one.
  const bool split_flags = (flags & (nbtree::kIncompleteSplit | nbtree::kSplitEnd)) != 0;
  if (split_flags && page.is_rightmost() && !page.is_meta()) {
    add(rules::kIncompleteRight, "a right sibling", FlagsText(flags));
  }
  if (page.cycle_id() > nbtree::kMaxCycleId) {
    context_->reporter->Add(At(rules::kCycleIdRange, page.page(), block, 0,
                               OpaqueRange(page.page(), nbtree::kCycleId), Words("at most 0xff7f"),
                               FindingText::Format("0x%04x", page.cycle_id())));
  }
}

void PageVerifier::CheckSiblingRange(NbtreePage page, BlockNumber block) {
  const auto check = [&](const Field& field, BlockNumber sibling) {
    // The rightmost page of a level is never deleted.
    const bool may_lack = !page.is_deleted() || field.offset != nbtree::kNext.offset;
    const bool none = sibling == nbtree::kNoSibling;
    if (none ? may_lack : sibling < context_->block_count && sibling != block) return;
    Finding finding = At(rules::kLinkRange, page.page(), block, 0, OpaqueRange(page.page(), field),
                         FindingText::Format("%sanother block below %u", may_lack ? "0 or " : "",
                                             context_->block_count),
                         FindingText::Format("%s %u", field.name, sibling));
    context_->ReportOutside(finding, sibling);
    // A page beside itself is a neighbour's page, written at the wrong place.
    if (sibling == block) context_->reporter->Doubt(block);
  };
  check(nbtree::kPrev, page.prev());
  check(nbtree::kNext, page.next());
}

void PageVerifier::CheckDeletedPage(NbtreePage page, BlockNumber block) {
  const PageView bytes = page.page();
  if (!page.has_full_xid()) {
    // Deleted before 14: what it held when it was half-dead may still be there.
    Findings findings;
    CheckLinePointers(bytes, block, &findings);
    context_->reporter->AddAll(findings);
    return;
  }
  if (context_->meta_usable && page.level() != 0 && page.level() >= context_->meta.level) {
    context_->reporter->Add(
        At(rules::kLevel, bytes, block, 0, OpaqueRange(bytes, nbtree::kLevel),
           FindingText::Format("a level below the root's, %u", context_->meta.level),
           FindingText::Format("%u", page.level())));
  }
  if (bytes.lower() == nbtree::kDeletedLower && bytes.upper() == bytes.special()) {
    if (page.safe_xid() >= nbtree::kFirstNormalXid) return;
    context_->reporter->Add(
        At(rules::kDeletedContents, bytes, block, 0, RangeOn(0, nbtree::kSafeXid),
           FindingText::Format("a transaction id from %u on", nbtree::kFirstNormalXid),
           FindingText::Format("%llu", static_cast<unsigned long long>(page.safe_xid()))));
    return;
  }
  context_->reporter->Add(
      At(rules::kDeletedContents, bytes, block, 0, {slotted_v4::kLower.offset, 16},
         FindingText::Format("lower %u, upper %u", nbtree::kDeletedLower, bytes.special()),
         FindingText::Format("lower %u, upper %u", bytes.lower(), bytes.upper())));
}

void PageVerifier::CheckHalfDeadPage(NbtreePage page, BlockNumber block) {
  const PageView bytes = page.page();
  Findings findings;
  const bool readable = CheckLinePointers(bytes, block, &findings);
  context_->reporter->AddAll(findings);
  if (!readable) return;
  if (page.item_count() != 1) {
    context_->reporter->Add(At(rules::kHalfDeadItems, bytes, block, 0,
                               {slotted_v4::kLower.offset, slotted_v4::kLower.offset + 2U},
                               Words("one item, the dummy high key"),
                               FindingText::Format("%u items", page.item_count())));
    return;
  }
  const TupleView dummy = page.tuple(1);
  // Up to 10 it was not marked as a pivot, and had offset 1 if it named a page.
  const bool older = !context_->heap_tid_is_key() && !dummy.alt_tid() && dummy.tid().offset <= 1;
  const bool marked = nbtree::KindOf(dummy) == nbtree::TupleKind::kPivot && dummy.tid().offset == 0;
  if (dummy.stored_size() != index_tuple::kHeaderSize || dummy.size() != dummy.stored_size() ||
      !(marked || older) || dummy.has_nulls() || dummy.has_var_width() ||
      bytes.line_pointer(1).flags != LineFlags::kNormal) {
    context_->reporter->Add(
        At(rules::kHalfDeadItems, bytes, block, 1,
           {bytes.line_pointer(1).offset, bytes.line_pointer(1).end()},
           Words("a dummy high key: 8 bytes, no attributes"),
           FindingText::Format("%u bytes, offset field 0x%04x, t_info 0x%04x", dummy.stored_size(),
                               dummy.tid().offset, dummy.info())));
    return;
  }
  const BlockNumber top_parent = nbtree::Downlink(dummy);
  if (top_parent == kInvalidBlock) return;
  if (top_parent == nbtree::kMetaBlock || top_parent >= context_->block_count ||
      top_parent == block) {
    context_->reporter->Add(At(rules::kTopParent, bytes, block, 1,
                               {bytes.line_pointer(1).offset, bytes.line_pointer(1).offset + 4},
                               Words("a block of the file, or 4294967295"),
                               FindingText::Format("%u", top_parent)));
  }
}

bool PageVerifier::CheckItemCount(NbtreePage page, BlockNumber block) {
  const ByteRange lower{slotted_v4::kLower.offset, slotted_v4::kLower.offset + 2U};
  const auto add = [&](const Invariant& rule, FindingText expected) {
    context_->reporter->Add(At(rule, page.page(), block, 0, lower, expected,
                               FindingText::Format("%u items", page.item_count())));
    return false;
  };
  if (page.item_count() > context_->limits.MaxItems()) {
    return add(rules::kItemCount, FindingText::Format("at most %u", context_->limits.MaxItems()));
  }
  if (!page.is_rightmost() && page.item_count() < 1) {
    return add(rules::kHighKeyPresent, Words("a high key"));
  }
  if (!page.is_leaf() && page.item_count() < page.first_data_slot()) {
    return add(rules::kDownlinkPresent, Words("a downlink"));
  }
  return true;
}

// Whether the flags say what the items are: otherwise a check of the items would report each.
bool PageVerifier::KindKnown(NbtreePage page) {
  if (page.has_unknown_flags()) return false;
  if (page.is_deleted() && !page.has_full_xid()) return true;  // The level is a transaction id.
  return page.is_leaf() == (page.level() == 0) && (!page.is_half_dead() || page.is_leaf());
}

bool PageVerifier::CheckLivePage(const CheckedPage& checked, BlockNumber block) {
  const NbtreePage page = checked.page;
  // A page that is left unchecked must not be judged by the items of the one before.
  items_->Forget();
  if (!checked.kind_known) {
    // Structure only: what the items mean is not known.
    Findings findings;
    CheckLinePointers(page.page(), block, &findings);
    context_->reporter->AddAll(findings);
    return false;
  }
  if (!CheckItemCount(page, block)) return false;
  Findings findings;
  const bool disjoint = CheckLinePointers(page.page(), block, &findings);
  context_->reporter->AddAll(findings);
  const std::uint32_t unusable = items_->CheckItems(page, block, disjoint);
  return disjoint && unusable == 0;
}

bool PageVerifier::CheckMetaPage(PageView page, nbtree::MetaPage* meta) {
  ++context_->counts().pages;
  const auto add = [&](const Invariant& rule, ByteRange bytes, FindingText expected,
                       FindingText actual) {
    context_->reporter->Add(At(rule, page, nbtree::kMetaBlock, 0, bytes, expected, actual));
  };
  if (page.is_new()) {
    add(rules::kMetaMagic, RangeOn(0, nbtree::kMetaMagic), Words("0x00053162"),
        Words("a page of zeroes"));
    return false;
  }
  if (!CheckSlottedPage(page, nbtree::kMetaBlock)) return false;
  const NbtreePage nbtree_page(page);
  if (nbtree_page.flags() != nbtree::kMeta || nbtree_page.prev() != 0 || nbtree_page.next() != 0 ||
      nbtree_page.level() != 0 || nbtree_page.cycle_id() != 0) {
    add(rules::kMetaFlag, {page.size() - nbtree::kOpaqueSize, page.size()},
        Words("flags 0x0008; links, level and cycle id 0"),
        FindingText::Format("flags 0x%04x, prev %u, next %u, level %u, cycle id %u",
                            nbtree_page.flags(), nbtree_page.prev(), nbtree_page.next(),
                            nbtree_page.level(), nbtree_page.cycle_id()));
    if (!nbtree_page.is_meta()) context_->reporter->Doubt(nbtree::kMetaBlock);
  }
  *meta = nbtree::MetaPage::Load(page);
  if (meta->magic != nbtree::kMagicNumber) {
    add(rules::kMetaMagic, RangeOn(0, nbtree::kMetaMagic),
        FindingText::Format("0x%08x", nbtree::kMagicNumber),
        FindingText::Format("0x%08x", meta->magic));
    return false;
  }
  if (meta->version < nbtree::kVersionMin || meta->version > nbtree::kVersionMax) {
    add(rules::kMetaVersion, RangeOn(0, nbtree::kMetaVersion), Words("2, 3 or 4"),
        FindingText::Format("%u", meta->version));
    return false;
  }
  CheckMetaFields(page, *meta);
  CheckMetaUnused(page);
  return true;
}

void PageVerifier::CheckMetaFields(PageView page, const nbtree::MetaPage& meta) {
  const auto add = [&](const Invariant& rule, ByteRange bytes, FindingText expected,
                       FindingText actual) {
    context_->reporter->Add(At(rule, page, nbtree::kMetaBlock, 0, bytes, expected, actual));
  };
  const std::uint32_t lower = page.lower();
  const bool size_known = meta.version == nbtree::kVersionNoVacuumFields
                              ? lower == nbtree::kMetaEndV2
                              : lower == nbtree::kMetaEndV3 || lower == nbtree::kMetaEnd;
  // What is past pd_lower may be lost, so a field there must hold what its absence means.
  const bool field_lost =
      lower == nbtree::kMetaEndV3 && Load(page.data(), nbtree::kMetaAllEqualImage) != 0;
  if (!size_known || field_lost || page.upper() != page.special()) {
    add(rules::kMetaSize, {slotted_v4::kLower.offset, 16},
        FindingText::Format("lower 48 in version 2, 64 or 72 later, upper %u", page.special()),
        FindingText::Format("lower %u, upper %u, version %u", lower, page.upper(), meta.version));
  }
  const bool both_or_none = (meta.root == 0) == (meta.fast_root == 0);
  const bool in_file = meta.root < context_->block_count && meta.fast_root < context_->block_count;
  if (!both_or_none || !in_file || meta.fast_level > meta.level ||
      (meta.root == 0 && meta.level != 0)) {
    context_->root_doubtful = true;
    add(rules::kMetaRoots, {nbtree::kMetaRoot.offset, 48},
        FindingText::Format("two blocks below %u or none, fast level at most the level",
                            context_->block_count),
        FindingText::Format("root %u level %u, fast root %u level %u", meta.root, meta.level,
                            meta.fast_root, meta.fast_level));
  }
  // The other way round is legal: an index that 12 made keeps 0, whatever its types and whoever
  // wrote its metapage since.
  if (context_->schema != nullptr && meta.all_equal_image && !context_->schema->all_equal_image()) {
    context_->posting_lists_doubtful = true;
    add(rules::kMetaSchema, RangeOn(0, nbtree::kMetaAllEqualImage),
        Words("0: the schema has a type that is not equal-image, or included columns"), Words("1"));
  }
}

void PageVerifier::CheckMetaUnused(PageView page) {
  const std::uint8_t* bytes = page.data();
  const auto add = [&](const Invariant& rule, const Field& field, const char* expected,
                       FindingText actual) {
    context_->reporter->Add(
        At(rule, page, nbtree::kMetaBlock, 0, RangeOn(0, field), Words(expected), actual));
  };
  const auto version = Load(bytes, nbtree::kMetaVersion);
  if (version == nbtree::kVersionNoVacuumFields || page.lower() < nbtree::kMetaEndV3) return;
  if (Load(bytes, nbtree::kMetaPadding) != 0) {
    add(rules::kMetaUnused, nbtree::kMetaPadding, "0",
        FindingText::Format("0x%08x", Load(bytes, nbtree::kMetaPadding)));
  }
  const double rows = Load(bytes, nbtree::kMetaHeapTuples);
  const double rows_max = static_cast<double>(kInvalidBlock) * context_->limits.MaxHeapOffset();
  if (!(rows == -1 || (rows >= 0 && rows <= rows_max && std::floor(rows) == rows))) {
    add(rules::kMetaUnused, nbtree::kMetaHeapTuples, "-1 or a whole number",
        FindingText::Format("%g", rows));
  }
  if (page.lower() < nbtree::kMetaEnd) return;
  const auto equal_image = Load(bytes, nbtree::kMetaAllEqualImage);
  if (equal_image > (version >= nbtree::kVersionHeapTidIsKey ? 1 : 0)) {
    add(rules::kMetaEqualImage, nbtree::kMetaAllEqualImage, "0, or 1 in version 4",
        FindingText::Format("%u in version %u", equal_image, version));
  }
  if (!AllZero(page.bytes().subspan(nbtree::kMetaPadding1.offset,
                                    nbtree::kMetaEnd - nbtree::kMetaPadding1.offset))) {
    add(rules::kMetaUnused, nbtree::kMetaPadding1, "0", Words("not zero"));
  }
}

}  // namespace tornleaf

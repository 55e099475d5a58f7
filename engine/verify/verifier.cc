#include "engine/verify/verifier.h"

#include "engine/verify/context.h"
#include "engine/verify/nbtree_rules.h"
#include "engine/verify/tree_verifier.h"

namespace tornleaf {

namespace {

// Whether the findings say no more than that the schema is another index's: most tuples do not fit
// its columns, or most neighbours are out of its order.
bool SchemaMisfits(const VerifyContext& context) {
  if (context.schema == nullptr) return false;
  const bool most_misfit =
      context.deformed_tuples > 0 && 2 * context.misfit_tuples > context.deformed_tuples;
  const bool most_unordered =
      context.compared_pairs >= 8 && 4 * context.pairs_out_of_order > context.compared_pairs;
  return most_misfit || most_unordered;
}

bool CheckWholePages(const PageSource& pages, Reporter* reporter) {
  if (pages.trailing_bytes() == 0) return true;
  Finding finding;
  finding.invariant = &rules::kWholePages;
  finding.block = pages.block_count();
  finding.bytes = {0, pages.trailing_bytes()};
  finding.expected = FindingText::Format("a page of %u bytes", pages.page_size());
  finding.actual =
      FindingText::Format("%u bytes, then the end of the file", pages.trailing_bytes());
  reporter->Add(finding);
  return false;
}

}  // namespace

VerifyReport Verify(PageSource* pages, const VerifyOptions& options) {
  VerifyReport report;
  Reporter reporter(&report, options.findings_max, pages->block_count());
  VerifyContext context;
  context.schema = options.schema;
  context.check_order = options.schema != nullptr && options.schema->order_known();
  context.generic_only = options.generic_only;
  context.checksums = options.checksums;
  context.block_count = pages->block_count();
  context.limits = nbtree::Limits{pages->page_size()};
  context.report = &report;
  context.reporter = &reporter;
  report.order_checked = context.check_order;
  report.order_unverifiable = options.schema != nullptr && !context.check_order;
  context.tail_missing = !CheckWholePages(*pages, &reporter);
  if (context.block_count == 0) return report;

  TreeVerifier tree(pages, &context, options);
  std::vector<std::uint8_t> buffer(pages->page_size());
  const ByteView meta_bytes = pages->Read(nbtree::kMetaBlock, buffer);
  if (meta_bytes.empty()) {
    report.unreadable_block = nbtree::kMetaBlock;
    return report;
  }
  ItemVerifier* const no_items = nullptr;
  PageVerifier meta_verifier(&context, no_items);
  context.meta_usable = meta_verifier.CheckMetaPage(PageView(meta_bytes), &context.meta);
  if (context.meta_usable) {
    tree.Run();
  } else {
    tree.CheckPagesAlone();
  }
  if (reporter.count() == 0 && context.too_new_pivot.invariant != nullptr) {
    reporter.Add(context.too_new_pivot);
  }
  report.meta = context.meta;
  report.schema_misfit = SchemaMisfits(context);
  return report;
}

ChecksumMode DetectChecksums(PageSource* pages) {
  constexpr BlockNumber kPagesToLookAt = 64;
  std::vector<std::uint8_t> buffer(pages->page_size());
  std::uint32_t looked_at = 0;
  std::uint32_t right = 0;
  for (BlockNumber block = 0; block < pages->block_count() && block < kPagesToLookAt; ++block) {
    const ByteView bytes = pages->Read(block, buffer);
    if (bytes.empty()) break;
    const PageView page(bytes);
    if (page.is_new()) continue;
    ++looked_at;
    if (page.checksum() != 0 && page.checksum() == ComputeChecksum(bytes, block)) ++right;
  }
  return right != 0 && 2 * right >= looked_at ? ChecksumMode::kOn : ChecksumMode::kOff;
}

}  // namespace tornleaf

#include "tools/finding_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/page_items.h"

namespace tornleaf {
namespace {

const char* OrderText(const VerifyReport& report) {
  if (report.order_checked) return "order checked";
  if (report.order_unverifiable) return "order unverifiable (libc collation)";
  return "no schema: order not checked";
}

std::string Text(const FindingText& text) { return text.c_str(); }

}  // namespace

std::vector<ShownFinding> ShowFindings(const std::string& file, PageSource* pages,
                                       const Findings& findings) {
  std::vector<ShownFinding> shown;
  std::vector<std::uint8_t> buffer(pages->page_size());
  for (const Finding& finding : findings) {
    std::string kind = "cut";
    if (finding.block < pages->block_count()) {
      const ByteView bytes = pages->Read(finding.block, buffer);
      kind = bytes.empty() ? "unreadable" : NameOf(KindOfPage(PageView(bytes), finding.block));
    }
    shown.push_back({file, std::move(kind), finding});
  }
  return shown;
}

std::string FindingLine(const ShownFinding& shown, bool color) {
  const Finding& finding = shown.finding;
  std::string line = absl::StrCat(Printable(shown.file), " page ", finding.block, " ",
                                  shown.page_kind, " lsn ", LsnText(finding.lsn), ": ");
  if (finding.slot != 0) absl::StrAppend(&line, "slot ", finding.slot, " ");
  absl::StrAppend(&line, absl::StrFormat("[%u,%u) ", finding.bytes.begin, finding.bytes.end),
                  finding.invariant->title);
  if (!finding.actual.empty()) absl::StrAppend(&line, ": found ", Printable(finding.actual.view()));
  if (!finding.expected.empty()) {
    absl::StrAppend(&line, finding.actual.empty() ? ": expected " : ", expected ",
                    Printable(finding.expected.view()));
  }
  const char* id = finding.invariant->id;
  absl::StrAppend(&line, "  ", Colored(color, Color::kRed, id), " (tornleaf explain ", id, ")");
  if (finding.consequences != 0) {
    absl::StrAppend(&line, "  +", Counted(finding.consequences, "consequence"));
  }
  return line + "\n";
}

Json FindingJson(const ShownFinding& shown) {
  const Finding& finding = shown.finding;
  return {{"schema", "tornleaf.check.finding/1"},
          {"file", shown.file},
          {"block", finding.block},
          {"page", shown.page_kind},
          {"lsn", LsnText(finding.lsn)},
          {"slot", finding.slot == 0 ? Json(nullptr) : Json(finding.slot)},
          {"bytes", {finding.bytes.begin, finding.bytes.end}},
          {"id", finding.invariant->id},
          {"title", finding.invariant->title},
          {"expected", Text(finding.expected)},
          {"actual", Text(finding.actual)},
          {"consequences", finding.consequences}};
}

std::vector<std::string> FindingColumns() {
  return {"file", "block", "page",  "lsn",      "slot",   "begin",
          "end",  "id",    "title", "expected", "actual", "consequences"};
}

std::vector<std::string> FindingRow(const ShownFinding& shown) {
  const Finding& finding = shown.finding;
  return {shown.file,
          absl::StrCat(finding.block),
          shown.page_kind,
          LsnText(finding.lsn),
          finding.slot == 0 ? "" : absl::StrCat(finding.slot),
          absl::StrCat(finding.bytes.begin),
          absl::StrCat(finding.bytes.end),
          finding.invariant->id,
          finding.invariant->title,
          Text(finding.expected),
          Text(finding.actual),
          absl::StrCat(finding.consequences)};
}

std::string Counted(std::uint64_t number, const char* noun) {
  return absl::StrCat(WithCommas(number), " ", noun, number == 1 ? "" : "s");
}

void WriteFindings(const Session& session, const std::vector<ShownFinding>& findings) {
  for (const ShownFinding& shown : findings) {
    switch (session.format) {
      case OutputFormat::kText:
        session.out->Write(FindingLine(shown, session.color));
        break;
      case OutputFormat::kJson:
        session.out->WriteJson(FindingJson(shown));
        break;
      case OutputFormat::kCsv:
        session.out->WriteCsv(FindingRow(shown));
        break;
    }
  }
}

std::string CountsText(const VerifyReport& report, ChecksumMode checksums) {
  const VerifyCounts& counts = report.counts;
  std::string text =
      absl::StrCat(Counted(counts.pages, "page"), "  ", Counted(counts.items, "item"), "  ",
                   Counted(counts.heap_tids, "TID"));
  const auto add = [&](std::uint64_t number, const char* what) {
    if (number != 0) absl::StrAppend(&text, "  ", WithCommas(number), " ", what);
  };
  const auto add_counted = [&](std::uint64_t number, const char* noun) {
    if (number != 0) absl::StrAppend(&text, "  ", Counted(number, noun));
  };
  add_counted(counts.key_comparisons, "comparison");
  add(counts.deleted_pages, "deleted");
  add(counts.half_dead_pages, "half-dead");
  add(counts.new_pages, "new");
  add_counted(counts.incomplete_splits, "incomplete split");
  add(counts.pages_of_unsupported_format, "of unsupported format");
  return absl::StrCat(text, "  checksums ", checksums == ChecksumMode::kOn ? "checked" : "off",
                      "  ", OrderText(report));
}

void AddCounts(const VerifyReport& report, ChecksumMode checksums, Json* json) {
  const VerifyCounts& counts = report.counts;
  Json& out = *json;
  out["findings"] = report.findings.size();
  out["findings_unlisted"] = report.findings_unlisted;
  out["consequences"] = report.consequences;
  out["pages"] = counts.pages;
  out["leaf_pages"] = counts.leaf_pages;
  out["internal_pages"] = counts.internal_pages;
  out["deleted_pages"] = counts.deleted_pages;
  out["half_dead_pages"] = counts.half_dead_pages;
  out["new_pages"] = counts.new_pages;
  out["incomplete_splits"] = counts.incomplete_splits;
  out["unsupported_pages"] = counts.pages_of_unsupported_format;
  out["items"] = counts.items;
  out["dead_items"] = counts.dead_items;
  out["posting_lists"] = counts.posting_lists;
  out["heap_tids"] = counts.heap_tids;
  out["key_comparisons"] = counts.key_comparisons;
  out["checksums_checked"] = checksums == ChecksumMode::kOn;
  out["order"] = report.order_checked        ? "checked"
                 : report.order_unverifiable ? "unverifiable"
                                             : "no schema";
}

}  // namespace tornleaf

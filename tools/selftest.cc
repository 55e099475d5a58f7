#include "tools/selftest.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/build/index_build.h"
#include "engine/build/index_rows.h"
#include "engine/key/schema.h"
#include "engine/page/page_mask.h"
#include "engine/page/page_source.h"
#include "engine/verify/verifier.h"
#include "tools/finding_text.h"
#include "tools/pageinspect.h"

namespace tornleaf {
namespace {

constexpr std::size_t kFindingsShown = 5;

// The pages of a build, in memory.
class ImageSink final : public PageSink {
 public:
  explicit ImageSink(std::uint32_t page_size) : page_size_(page_size) {}

  absl::Status WritePage(BlockNumber block, ByteView page) override {
    const std::size_t at = std::size_t{block} * page_size_;
    if (image_.size() < at + page.size()) image_.resize(at + page.size());
    std::copy(page.begin(), page.end(), image_.begin() + static_cast<std::ptrdiff_t>(at));
    return absl::OkStatus();
  }
  MutableBytes image() { return image_; }

 private:
  std::uint32_t page_size_;
  std::vector<std::uint8_t> image_;
};

// "line 7 differs: ours '...', the server's '...'", or an empty text if both are equal.
std::string FirstDifferentLine(std::string_view ours, std::string_view theirs) {
  if (ours == theirs) return "";
  constexpr std::size_t kShown = 100;
  std::size_t at = 0;
  std::size_t line = 1;
  std::size_t line_start = 0;
  while (at < ours.size() && at < theirs.size() && ours[at] == theirs[at]) {
    if (ours[at++] != '\n') continue;
    ++line;
    line_start = at;
  }
  const auto shown = [&](std::string_view text) {
    const std::string_view rest = text.substr(std::min(line_start, text.size()));
    return std::string(rest.substr(0, std::min(rest.find('\n'), kShown)));
  };
  return absl::StrCat("line ", line, " differs: ours '", shown(ours), "', the server's '",
                      shown(theirs), "'");
}

class Selftest {
 public:
  Selftest(const std::string& folder, const Fixture& fixture, const Schema& schema)
      : folder_(folder),
        fixture_(fixture),
        schema_(schema),
        pages_(fixture.index, fixture.page_size) {
    result_.name = fixture.name;
    result_.pages = fixture.page_count();
  }

  absl::StatusOr<SelftestResult> Run() {
    VerifyPages();
    absl::Status status = CompareViews();
    if (status.ok() && fixture_.rebuildable) status = Rebuild();
    if (!status.ok()) return status;
    return std::move(result_);
  }

 private:
  void VerifyPages() {
    result_.verify = StepResult::kHeld;
    for (const Schema* schema : {static_cast<const Schema*>(nullptr), &schema_}) {
      VerifyOptions options;
      options.schema = schema;
      options.checksums = fixture_.checksums ? ChecksumMode::kOn : ChecksumMode::kOff;
      VerifyReport report = Verify(&pages_, options);
      if (report.clean()) continue;
      result_.verify = StepResult::kFailed;
      report.findings.resize(std::min(report.findings.size(), kFindingsShown));
      for (const ShownFinding& shown : ShowFindings(fixture_.name, &pages_, report.findings)) {
        std::string line = FindingLine(shown, false);
        line.pop_back();
        result_.details.push_back(absl::StrCat("verify: ", line));
      }
    }
  }

  absl::Status CompareViews() {
    result_.view = StepResult::kHeld;
    const auto compare = [&](const char* file, const std::string& ours) -> absl::Status {
      const absl::StatusOr<std::string> theirs = ReadCorpusFile(absl::StrCat(folder_, "/", file));
      if (!theirs.ok()) return theirs.status();
      const std::string difference = FirstDifferentLine(ours, *theirs);
      if (difference.empty()) return absl::OkStatus();
      result_.view = StepResult::kFailed;
      result_.details.push_back(absl::StrCat("view: ", file, ": ", difference));
      return absl::OkStatus();
    };
    absl::Status status = compare("meta.csv", pageinspect::MetaCsv(&pages_));
    status.Update(compare("stats.csv.zst", pageinspect::StatsCsv(&pages_)));
    status.Update(compare("items.csv.zst", pageinspect::ItemsCsv(&pages_)));
    return status;
  }

  // The rows as the table had them; or, where only the server knows their order, as its index has.
  absl::StatusOr<std::string> RowsText() {
    if (schema_.order_known()) return ReadCorpusFile(folder_ + "/rows.tsv.zst");
    IndexRows rows(schema_, &pages_);
    std::string text;
    for (;;) {
      const absl::StatusOr<bool> read = rows.Next();
      if (!read.ok()) return read.status();
      if (!*read) return text;
      AppendRowText(schema_, rows.values(), rows.tid(), &text);
    }
  }

  absl::Status Rebuild() {
    const absl::StatusOr<std::string> text = RowsText();
    if (!text.ok()) return text.status();
    StringSource source(*text);
    BuildInput input;
    input.rows = &source;
    input.sorted = !schema_.order_known();
    BuildOptions options;
    options.page_size = fixture_.page_size;
    options.fillfactor = fixture_.fillfactor;
    options.deduplicate = fixture_.deduplicate;
    options.checksums = fixture_.checksums;
    ImageSink sink(fixture_.page_size);
    BuildSummary summary;
    const absl::Status built = BuildIndex(schema_, options, input, &sink, &summary);
    const std::string difference =
        built.ok() ? DifferenceTo(sink.image()) : std::string(built.message());
    result_.rebuild = difference.empty() ? StepResult::kHeld : StepResult::kFailed;
    if (!difference.empty()) result_.details.push_back(absl::StrCat("rebuild: ", difference));
    return absl::OkStatus();
  }

  // Where the image differs from the server's file apart from LSN, checksum and unused space.
  std::string DifferenceTo(MutableBytes image) const {
    const std::size_t page_size = fixture_.page_size;
    if (image.size() != fixture_.index.size()) {
      return absl::StrCat(image.size() / page_size, " pages, the server's file has ",
                          fixture_.page_count());
    }
    std::vector<std::uint8_t> theirs(page_size);
    for (std::uint32_t block = 0; block < fixture_.page_count(); ++block) {
      const MutableBytes ours = image.subspan(block * page_size, page_size);
      const ByteView page = fixture_.page(block);
      std::copy(page.begin(), page.end(), theirs.begin());
      MaskPage(ours);
      MaskPage(theirs);
      const auto at = std::mismatch(ours.begin(), ours.end(), theirs.begin()).first;
      if (at == ours.end()) continue;
      return absl::StrCat("block ", block, " differs at byte ", at - ours.begin());
    }
    return "";
  }

  const std::string& folder_;
  const Fixture& fixture_;
  const Schema& schema_;
  MemoryPages pages_;
  SelftestResult result_;
};

}  // namespace

absl::StatusOr<SelftestResult> RunSelftest(const std::string& folder) {
  const absl::StatusOr<Fixture> fixture = ReadFixture(folder);
  if (!fixture.ok()) return fixture.status();
  const absl::StatusOr<Schema> schema = Schema::Parse(fixture->schema);
  if (!schema.ok()) return schema.status();
  return Selftest(folder, *fixture, *schema).Run();
}

}  // namespace tornleaf

#include "corpus/rejects/generate/reject_files.h"

#include <zstd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tornleaf {

std::string PathOf(const RejectCase& reject) {
  return std::string("corpus/rejects/") + reject.id + "/" + reject.name;
}

Workpiece Make(const RejectCase& reject) {
  Workpiece work = reject.make();
  if (work.checksums() && std::string_view(reject.id) != "PAGE-002") work.FixChecksums();
  return work;
}

std::string DescriptionOf(const RejectCase& reject, const Workpiece& work) {
  const nlohmann::ordered_json json = {
      {"id", reject.id},
      {"name", reject.name},
      {"base", work.base()},
      {"edits", work.edits()},
      {"schema", work.schema()},
      {"page_size", work.page_size()},
      {"checksums", work.checksums()},
      {"expected",
       {{"id", reject.id},
        {"block", reject.block},
        {"slot", reject.slot},
        {"findings", reject.findings},
        {"exit_code", reject.exit_code}}},
  };
  return json.dump(2) + "\n";
}

std::string Compressed(const std::vector<std::uint8_t>& bytes) {
  constexpr int kLevel = 19;
  std::string stored(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(stored.data(), stored.size(), bytes.data(), bytes.size(), kLevel);
  CHECK(!ZSTD_isError(size));
  stored.resize(size);
  return stored;
}

std::vector<RejectCase> AllRejectCases() {
  std::vector<RejectCase> all;
  for (const std::vector<RejectCase>& cases : {PageCases(), TupleCases(), TreeCases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  std::sort(all.begin(), all.end(), [](const RejectCase& a, const RejectCase& b) {
    return std::pair(std::string_view(a.id), std::string_view(a.name)) <
           std::pair(std::string_view(b.id), std::string_view(b.name));
  });
  return all;
}

}  // namespace tornleaf

// generate-rejects: writes corpus/rejects anew. Run it in the repository root: ./dev rejects does.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "corpus/rejects/generate/cases.h"
#include "corpus/rejects/generate/reject_files.h"
#include "tests/support/fixtures.h"

namespace {

// Leaves a file alone that holds these bytes already: another release of zstd may pack them
// differently.
bool Write(const std::string& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  return static_cast<bool>(stream.flush());
}

bool Holds(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  if (!std::filesystem::exists(path)) return false;
  return tornleaf::ReadWholeFile(path) == std::string(bytes.begin(), bytes.end());
}

}  // namespace

int main() {
  std::size_t count = 0;
  for (const tornleaf::RejectCase& reject : tornleaf::AllRejectCases()) {
    const tornleaf::Workpiece work = tornleaf::Make(reject);
    const std::string path = tornleaf::PathOf(reject);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const bool kept = Holds(path + ".zst", work.image());
    if ((!kept && !Write(path + ".zst", tornleaf::Compressed(work.image()))) ||
        !Write(path + ".json", tornleaf::DescriptionOf(reject, work))) {
      std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
      return 1;
    }
    ++count;
  }
  std::printf("wrote %zu rejects\n", count);
  return 0;
}

// generate-rejects: writes corpus/rejects and corpus/golden anew. Run it in the repository root:
// ./dev rejects does.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "corpus/rejects/generate/cases.h"
#include "corpus/rejects/generate/golden.h"
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

template <typename Case>
bool WriteCase(const Case& one, const tornleaf::Workpiece& work) {
  const std::string path = tornleaf::PathOf(one);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  if (!Holds(path + ".zst", work.image()) &&
      !Write(path + ".zst", tornleaf::Compressed(work.image()))) {
    return false;
  }
  return Write(path + ".json", tornleaf::DescriptionOf(one, work));
}

}  // namespace

int main() {
  const auto rejects = tornleaf::AllRejectCases();
  const auto goldens = tornleaf::AllGoldenCases();
  bool written = true;
  for (const tornleaf::RejectCase& reject : rejects) {
    written = WriteCase(reject, tornleaf::Make(reject)) && written;
  }
  for (const tornleaf::GoldenCase& golden : goldens) {
    written = WriteCase(golden, golden.make()) && written;
  }
  if (!written) {
    std::fprintf(stderr, "some files under corpus/ could not be written\n");
    return 1;
  }
  std::printf("wrote %zu rejects and %zu golden files\n", rejects.size(), goldens.size());
  return 0;
}

// generate-docs [--check]: writes the generated pages of docs/, or compares them with what is
// there. Run it in the repository root: ./dev docs does.

#include <cstdio>
#include <cstring>
#include <fstream>

#include "docs/generate/files.h"
#include "docs/generate/pages.h"

int main(int argc, char** argv) {
  const bool check = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  if (argc > 2 || (argc == 2 && !check)) {
    std::fprintf(stderr, "usage: generate-docs [--check]\n");
    return 64;
  }
  int outdated = 0;
  for (const tornleaf::GeneratedPage& page : tornleaf::GenerateAllPages()) {
    if (tornleaf::ReadTextFile(page.path) == page.text) continue;
    if (check) {
      std::fprintf(stderr, "%s is out of date; run ./dev docs\n", page.path.c_str());
      ++outdated;
      continue;
    }
    std::ofstream stream(page.path, std::ios::binary);
    stream << page.text;
    if (!stream.flush()) {
      std::fprintf(stderr, "%s: cannot be written\n", page.path.c_str());
      return 1;
    }
    std::printf("wrote %s\n", page.path.c_str());
  }
  return outdated == 0 ? 0 : 1;
}

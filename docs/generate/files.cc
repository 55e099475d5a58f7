#include "docs/generate/files.h"

#include <fstream>
#include <iterator>

namespace tornleaf {

std::string ReadTextFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

}  // namespace tornleaf

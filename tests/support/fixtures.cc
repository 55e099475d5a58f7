#include "tests/support/fixtures.h"

#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

namespace tornleaf {

namespace {

constexpr std::string_view kFolder = "corpus/postgres";
constexpr std::size_t kMaxFileSize = std::size_t{1} << 30;

// The frames do not say how long their contents are, so this takes them a piece at a time.
std::string Decompress(const std::string& stored) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  ZSTD_inBuffer from{stored.data(), stored.size(), 0};
  std::vector<char> piece(ZSTD_DStreamOutSize());
  std::string text;
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer to{piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &to, &from);
    CHECK(!ZSTD_isError(left));
    CHECK(to.pos != 0 || left == 0);  // Otherwise the file is cut short.
    text.append(piece.data(), to.pos);
    CHECK(text.size() <= kMaxFileSize);
  }
  return text;
}

std::string PathOf(std::string_view name, std::string_view file) {
  std::string path(kFolder);
  path.append("/").append(name).append("/").append(file);
  return path;
}

}  // namespace

std::string ReadWholeFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  CHECK(stream.good());
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  CHECK(!stream.bad());
  return path.ends_with(".zst") ? Decompress(bytes) : bytes;
}

std::string FixtureText(std::string_view name, std::string_view file) {
  return ReadWholeFile(PathOf(name, file));
}

std::vector<std::string> FixtureNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (std::filesystem::exists(entry.path() / "fixture.json")) {
      names.push_back(entry.path().filename().string());
    }
  }
  CHECK(!names.empty());
  std::sort(names.begin(), names.end());
  return names;
}

Fixture LoadFixture(std::string_view name) {
  Fixture fixture;
  fixture.description = FixtureText(name, "fixture.json");
  const nlohmann::json json = nlohmann::json::parse(fixture.description, nullptr, false);
  CHECK(json.is_object());
  fixture.name = json.at("name").get<std::string>();
  CHECK(fixture.name == name);
  fixture.schema = json.at("schema").get<std::string>();
  fixture.page_size = json.at("page_size").get<std::uint32_t>();
  fixture.fillfactor = json.at("fillfactor").get<std::uint32_t>();
  fixture.checksums = json.at("checksums").get<bool>();
  fixture.deduplicate = json.at("deduplicate").get<bool>();
  fixture.rebuildable = json.at("rebuildable").get<bool>();
  fixture.fork = json.at("fork").get<std::string>();
  fixture.bt_index_check = json.at("amcheck").value("bt_index_check", "");
  fixture.bt_index_parent_check = json.at("amcheck").value("bt_index_parent_check", "");

  const std::string bytes = FixtureText(name, "index.zst");
  fixture.index.assign(bytes.begin(), bytes.end());
  CHECK(fixture.page_size != 0);
  CHECK(fixture.index.size() % fixture.page_size == 0);
  CHECK(fixture.page_count() == json.at("pages").get<std::uint32_t>());
  return fixture;
}

}  // namespace tornleaf

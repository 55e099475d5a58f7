#include "tools/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tornleaf {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;
constexpr std::chrono::milliseconds kQuietAtFirst{500};
constexpr std::chrono::milliseconds kBetweenUpdates{100};
constexpr int kBarCells = 24;

void AppendCsvField(std::string_view field, std::string* line) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos && field != "\\.") {
    line->append(field);
    return;
  }
  *line += '"';
  for (const char c : field) {
    if (c == '"') *line += '"';
    *line += c;
  }
  *line += '"';
}

}  // namespace

std::string CsvLine(const std::vector<std::string>& row) {
  std::string line;
  for (const std::string& field : row) {
    if (&field != &row.front()) line += ',';
    AppendCsvField(field, &line);
  }
  line += '\n';
  return line;
}

void Output::Write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) Flush();
}

void Output::WriteJson(const Json& value) {
  Write(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  Write("\n");
}

void Output::Flush() {
  WriteNow(buffer_);
  buffer_.clear();
}

void Output::WriteNow(std::string_view text) {
  while (!text.empty() && !reader_gone_ && error_ == 0) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      reader_gone_ = true;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

std::string Colored(bool on, Color color, std::string_view text) {
  if (!on || color == Color::kNone) return std::string(text);
  static constexpr const char* kCodes[] = {"0", "31", "32", "33", "34", "35", "36", "90"};
  return absl::StrCat("\033[", kCodes[static_cast<int>(color)], "m", std::string(text), "\033[0m");
}

bool WantsColor(ColorWish wish, int descriptor) {
  if (wish != ColorWish::kAuto) return wish == ColorWish::kAlways;
  const char* no_color = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return ::isatty(descriptor) == 1;
}

std::string Printable(std::string_view text) {
  std::string printable;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      absl::StrAppendFormat(&printable, "\\x%02x", byte);
    } else {
      printable += c;
    }
  }
  return printable;
}

std::string WithCommas(std::uint64_t number) {
  std::string digits = absl::StrCat(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string ProgressLine(std::string_view what, std::string_view unit, std::uint64_t done,
                         std::uint64_t total, double seconds) {
  const double share =
      total == 0 ? 1.0 : static_cast<double>(std::min(done, total)) / static_cast<double>(total);
  const int full = static_cast<int>(share * kBarCells);
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string line = absl::StrFormat(
      "%s [%s%s] %3.0f%%  %s of %s %s  %s/s", std::string(what), std::string(full, '#'),
      std::string(kBarCells - full, '.'), share * 100, WithCommas(done), WithCommas(total),
      std::string(unit), WithCommas(static_cast<std::uint64_t>(rate)));
  if (rate > 0 && done < total) {
    absl::StrAppendFormat(&line, "  %.0f s left", static_cast<double>(total - done) / rate);
  }
  return line;
}

Progress::Progress(bool enabled, std::string_view what, std::string_view unit)
    : enabled_(enabled),
      what_(what),
      unit_(unit),
      start_(Clock::now()),
      next_(start_ + kQuietAtFirst) {}

void Progress::Update(std::uint64_t done, std::uint64_t total) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetweenUpdates;
  shown_ = true;
  const std::chrono::duration<double> elapsed = now - start_;
  const std::string line = ProgressLine(what_, unit_, done, total, elapsed.count());
  std::fprintf(stderr, "\r%s\033[K", line.c_str());
}

void Progress::Clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace tornleaf

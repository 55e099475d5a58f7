// Standard output, colours, progress and the three output formats, for every subcommand.

#ifndef TORNLEAF_TOOLS_OUTPUT_H_
#define TORNLEAF_TOOLS_OUTPUT_H_

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tornleaf {

// Members keep the order in which they are set, which is the order people read.
using Json = nlohmann::ordered_json;

// A row as `psql --csv` writes it, with its newline: a field is quoted only if it holds a comma, a
// quote, a line break, or is "\\.".
std::string CsvLine(const std::vector<std::string>& row);

// Results, buffered. After a failed write everything else is dropped; the caller asks at the end.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { Flush(); }

  void Write(std::string_view text);
  // One JSON value and a newline, as one line. Text that is not UTF-8 gets replacement characters.
  void WriteJson(const Json& value);
  void WriteCsv(const std::vector<std::string>& row) { Write(CsvLine(row)); }
  void Flush();

  // The reader has gone (EPIPE): nothing is wrong, and a long job may end early.
  bool reader_gone() const { return reader_gone_; }
  // errno of the write that failed otherwise, or 0.
  int error() const { return error_; }

 private:
  void WriteNow(std::string_view text);

  int descriptor_;
  std::string buffer_;
  bool reader_gone_ = false;
  int error_ = 0;
};

// ANSI sequences, or nothing when colour is off.
enum class Color { kNone, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan, kGrey };
std::string Colored(bool on, Color color, std::string_view text);

enum class ColorWish { kAuto, kAlways, kNever };
// Whether results on `descriptor` are to be coloured: a terminal, and no NO_COLOR, if "auto".
bool WantsColor(ColorWish wish, int descriptor);

// The text with control characters as \x1b and the like: they would break the line, or steer the
// terminal.
std::string Printable(std::string_view text);

// "1234567" -> "1,234,567".
std::string WithCommas(std::uint64_t number);

// A bar on a terminal's standard error: done of total, rate and time left. Nothing is shown in the
// first half second nor without a terminal, and nothing stays behind.
class Progress {
 public:
  Progress(bool enabled, std::string_view what, std::string_view unit);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Clear(); }

  void Update(std::uint64_t done, std::uint64_t total);
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  std::string what_;
  std::string unit_;
  Clock::time_point start_;
  Clock::time_point next_;
  bool shown_ = false;
};

// The line a Progress shows, without control characters; `seconds` since the start.
std::string ProgressLine(std::string_view what, std::string_view unit, std::uint64_t done,
                         std::uint64_t total, double seconds);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_OUTPUT_H_

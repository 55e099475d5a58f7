// Dates and times in the proleptic Gregorian calendar, counted from 2000-01-01 in UTC. There is no
// year 0: 1 BC comes before 1 AD.

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "absl/strings/str_cat.h"
#include "engine/key/value_text_family.h"

namespace tornleaf {

namespace {

constexpr std::int64_t kSecond = 1000000;  // microseconds
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// The calendar repeats every 400 years. Years are counted from March here, so that the leap day is
// the last of its year.
constexpr std::int64_t kDaysOf400Years = 146097;
constexpr std::int64_t kDaysOf100Years = 36524;
constexpr std::int64_t kDaysOf4Years = 1461;
constexpr std::int64_t kDaysFromMarchOfYear0 = 730425;  // to 2000-01-01

// Before any leap day, month m counted from March begins on this day of the year.
constexpr std::int64_t FirstDayOfMonth(std::int64_t month) { return (153 * month + 2) / 5; }

constexpr std::int64_t FloorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

struct Civil {
  std::int64_t year = 0;  // astronomical: 0 is 1 BC
  std::int64_t month = 1;
  std::int64_t day = 1;
};

constexpr std::int64_t DaysFrom2000(const Civil& civil) {
  const std::int64_t year = civil.month <= 2 ? civil.year - 1 : civil.year;
  const std::int64_t month = (civil.month + 9) % 12;
  return 365 * year + FloorDivide(year, 4) - FloorDivide(year, 100) + FloorDivide(year, 400) +
         FirstDayOfMonth(month) + civil.day - 1 - kDaysFromMarchOfYear0;
}

constexpr Civil CivilOf(std::int64_t days_from_2000) {
  const std::int64_t days = days_from_2000 + kDaysFromMarchOfYear0;
  const std::int64_t cycle = FloorDivide(days, kDaysOf400Years);
  std::int64_t day = days - cycle * kDaysOf400Years;
  // The last day of a longer cycle would open a further shorter one: clamp.
  const std::int64_t centuries = day / kDaysOf100Years - (day == kDaysOf400Years - 1 ? 1 : 0);
  day -= centuries * kDaysOf100Years;
  const std::int64_t fours = day / kDaysOf4Years;
  day -= fours * kDaysOf4Years;
  const std::int64_t years = day / 365 - (day == kDaysOf4Years - 1 ? 1 : 0);
  day -= years * 365;
  const std::int64_t month = (5 * day + 2) / 153;
  Civil civil;
  civil.year = 400 * cycle + 100 * centuries + 4 * fours + years + (month >= 10 ? 1 : 0);
  civil.month = month >= 10 ? month - 9 : month + 3;
  civil.day = day - FirstDayOfMonth(month) + 1;
  return civil;
}

static_assert(DaysFrom2000({2000, 1, 1}) == 0);
static_assert(DaysFrom2000({1970, 1, 1}) == -10957);
static_assert(CivilOf(-1).year == 1999 && CivilOf(-1).month == 12 && CivilOf(-1).day == 31);
static_assert(CivilOf(59).month == 2 && CivilOf(59).day == 29);

// The server's limits: Julian day 0, the last day of year 5874897, and the last microsecond of year
// 294276.
constexpr std::int64_t kFirstDay = DaysFrom2000({-4713, 11, 24});
constexpr std::int64_t kDayAfterLastDate = DaysFrom2000({5874898, 1, 1});
constexpr std::int64_t kAfterLastTimestamp = DaysFrom2000({294277, 1, 1}) * kDay;

static_assert(kFirstDay == -2451545);
static_assert(kDayAfterLastDate == 2147483494 - 2451545);
static_assert(kAfterLastTimestamp == 9223371331200000000);

constexpr std::int32_t kDateInfinity = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kDateMinusInfinity = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kTimestampInfinity = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kTimestampMinusInfinity = std::numeric_limits<std::int64_t>::min();

// Walks over the text of a date or time.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  char Peek() const { return rest_.empty() ? '\0' : rest_[0]; }
  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool TakeWord(std::string_view word) {
    if (!EqualIgnoringCase(rest_.substr(0, word.size()), word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void SkipSpaces() {
    while (Take(' ')) {
    }
  }
  std::string_view TakeDigits() {
    std::size_t count = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') ++count;
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }
  // A number of `least` to `most` digits; most is at most 9.
  bool TakeNumber(std::size_t least, std::size_t most, std::int64_t* number) {
    const std::string_view digits = TakeDigits();
    if (digits.size() < least || digits.size() > most) return false;
    *number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), *number);
    return true;
  }

 private:
  std::string_view rest_;
};

bool TakeCivil(Reader* reader, Civil* civil) {
  return reader->TakeNumber(4, 7, &civil->year) && reader->Take('-') &&
         reader->TakeNumber(1, 2, &civil->month) && reader->Take('-') &&
         reader->TakeNumber(1, 2, &civil->day);
}

// Takes "BC" or "AD" if there is one, and checks the date. Empty if it is a day of the calendar.
const char* FinishCivil(Reader* reader, Civil* civil) {
  reader->SkipSpaces();
  const bool before_christ = reader->TakeWord("BC");
  if (!before_christ) reader->TakeWord("AD");
  if (!reader->AtEnd()) return "it goes on after its end";
  if (civil->year == 0) return "there is no year 0";
  if (before_christ) civil->year = 1 - civil->year;
  if (civil->month < 1 || civil->month > 12) return "there is no such month";
  if (civil->day < 1 || civil->day > 31) return "there is no such day";
  const Civil same = CivilOf(DaysFrom2000(*civil));
  return same.day == civil->day ? "" : "the month has no such day";
}

// Takes "hh:mm[:ss[.ffffff]]"; 24:00:00 and a 60th second are times of the next day or minute.
bool TakeTime(Reader* reader, std::int64_t* microseconds) {
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t fraction = 0;
  if (!reader->TakeNumber(1, 2, &hour) || !reader->Take(':')) return false;
  if (!reader->TakeNumber(1, 2, &minute)) return false;
  if (reader->Take(':')) {
    if (!reader->TakeNumber(1, 2, &second)) return false;
    if (reader->Take('.')) {
      const std::string text = "0." + std::string(reader->TakeDigits());
      // In floating point and to the nearest even, as the server does.
      fraction = std::llrint(std::strtod(text.c_str(), nullptr) * kSecond);
    }
  }
  if (hour > 24 || minute > 59 || second > 60) return false;
  *microseconds = hour * kHour + minute * kMinute + second * kSecond + fraction;
  return hour < 24 || *microseconds == kDay;
}

// Takes an offset from UTC: nothing, "Z", "UTC", "+hh", "+hhmm", "+hh:mm" or "+hh:mm:ss".
bool TakeZone(Reader* reader, std::int64_t* offset) {
  *offset = 0;
  if (reader->TakeWord("Z") || reader->TakeWord("UTC")) return true;
  const bool negative = reader->Peek() == '-';
  if (!negative && reader->Peek() != '+') return true;
  reader->Take(reader->Peek());
  const std::string_view digits = reader->TakeDigits();
  if (digits.empty() || digits.size() > 4) return false;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), hour);
  if (reader->Take(':')) {
    if (!reader->TakeNumber(1, 2, &minute)) return false;
    if (reader->Take(':') && !reader->TakeNumber(1, 2, &second)) return false;
  } else if (digits.size() > 2) {
    minute = hour % 100;
    hour /= 100;
  }
  constexpr std::int64_t kMostHours = 15;
  if (hour > kMostHours || minute > 59 || second > 59) return false;
  *offset = hour * kHour + minute * kMinute + second * kSecond;
  if (negative) *offset = -*offset;
  return true;
}

void AppendCivil(const Civil& civil, std::string* text) {
  const std::int64_t year = civil.year > 0 ? civil.year : 1 - civil.year;
  absl::StrAppend(text, absl::Dec(year, absl::kZeroPad4), "-",
                  absl::Dec(civil.month, absl::kZeroPad2), "-",
                  absl::Dec(civil.day, absl::kZeroPad2));
}

}  // namespace

absl::Status ParseDate(std::string_view text, std::vector<std::uint8_t>* bytes) {
  const std::string_view trimmed = Trimmed(text);
  if (EqualIgnoringCase(trimmed, "infinity")) {
    AppendLittleEndian(kDateInfinity, bytes);
    return absl::OkStatus();
  }
  if (EqualIgnoringCase(trimmed, "-infinity")) {
    AppendLittleEndian(kDateMinusInfinity, bytes);
    return absl::OkStatus();
  }
  Reader reader(trimmed);
  Civil civil;
  if (!TakeCivil(&reader, &civil)) return BadText(TypeId::kDate, text, "expected yyyy-mm-dd");
  const char* problem = FinishCivil(&reader, &civil);
  if (*problem != '\0') return BadText(TypeId::kDate, text, problem);
  const std::int64_t days = DaysFrom2000(civil);
  if (days < kFirstDay || days >= kDayAfterLastDate) {
    return BadText(TypeId::kDate, text, "out of range 4714-11-24 BC to 5874897-12-31");
  }
  AppendLittleEndian(static_cast<std::int32_t>(days), bytes);
  return absl::OkStatus();
}

absl::Status ParseTimestamp(TypeId type, std::string_view text, std::vector<std::uint8_t>* bytes) {
  const std::string_view trimmed = Trimmed(text);
  if (EqualIgnoringCase(trimmed, "infinity")) {
    AppendLittleEndian(kTimestampInfinity, bytes);
    return absl::OkStatus();
  }
  if (EqualIgnoringCase(trimmed, "-infinity")) {
    AppendLittleEndian(kTimestampMinusInfinity, bytes);
    return absl::OkStatus();
  }
  Reader reader(trimmed);
  Civil civil;
  std::int64_t time = 0;
  std::int64_t offset = 0;
  if (!TakeCivil(&reader, &civil)) return BadText(type, text, "expected yyyy-mm-dd hh:mm:ss");
  if (!reader.TakeWord("T")) reader.SkipSpaces();
  if (reader.Peek() >= '0' && reader.Peek() <= '9') {
    if (!TakeTime(&reader, &time)) return BadText(type, text, "there is no such time of day");
    reader.SkipSpaces();
    if (!TakeZone(&reader, &offset)) return BadText(type, text, "the offset from UTC is wrong");
  }
  const char* problem = FinishCivil(&reader, &civil);
  if (*problem != '\0') return BadText(type, text, problem);
  // A timestamp without time zone takes no notice of an offset.
  if (type == TypeId::kTimestamp) offset = 0;
  const std::int64_t days = DaysFrom2000(civil);
  constexpr std::int64_t kNoOverflow = kAfterLastTimestamp / kDay + 1;
  const std::int64_t microseconds =
      days < kFirstDay - 1 || days > kNoOverflow ? kTimestampInfinity : days * kDay + time - offset;
  if (microseconds < kFirstDay * kDay || microseconds >= kAfterLastTimestamp) {
    return BadText(type, text, "out of range 4714-11-24 BC to 294276-12-31");
  }
  AppendLittleEndian(microseconds, bytes);
  return absl::OkStatus();
}

void AppendDate(std::int32_t days, std::string* text) {
  if (days == kDateInfinity || days == kDateMinusInfinity) {
    text->append(days > 0 ? "infinity" : "-infinity");
    return;
  }
  const Civil civil = CivilOf(days);
  AppendCivil(civil, text);
  if (civil.year <= 0) text->append(" BC");
}

void AppendTimestamp(TypeId type, std::int64_t microseconds, std::string* text) {
  if (microseconds == kTimestampInfinity || microseconds == kTimestampMinusInfinity) {
    text->append(microseconds > 0 ? "infinity" : "-infinity");
    return;
  }
  const std::int64_t days = FloorDivide(microseconds, kDay);
  const std::int64_t time = microseconds % kDay + (microseconds % kDay < 0 ? kDay : 0);
  const Civil civil = CivilOf(days);
  AppendCivil(civil, text);
  absl::StrAppend(text, " ", absl::Dec(time / kHour, absl::kZeroPad2), ":",
                  absl::Dec(time / kMinute % 60, absl::kZeroPad2), ":",
                  absl::Dec(time / kSecond % 60, absl::kZeroPad2));
  if (const std::int64_t fraction = time % kSecond; fraction != 0) {
    absl::StrAppend(text, ".", absl::Dec(fraction, absl::kZeroPad6));
    while (text->back() == '0') text->pop_back();
  }
  if (type == TypeId::kTimestampTz) text->append("+00");
  if (civil.year <= 0) text->append(" BC");
}

}  // namespace tornleaf

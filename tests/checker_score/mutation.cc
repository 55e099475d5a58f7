#include "tests/checker_score/mutation.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tornleaf {
namespace checker_score {

const char* NameOf(MutationKind kind) {
  switch (kind) {
    case MutationKind::kBit:
      return "bit";
    case MutationKind::kZero:
      return "zero";
    case MutationKind::kOnes:
      return "ones";
    case MutationKind::kPlusOne:
      return "+1";
    case MutationKind::kMinusOne:
      return "-1";
    case MutationKind::kElsewhere:
      return "elsewhere";
    case MutationKind::kRandom:
      return "random";
  }
  CHECK(false);
}

namespace {

constexpr MutationKind kReplacements[] = {MutationKind::kZero,      MutationKind::kOnes,
                                          MutationKind::kPlusOne,   MutationKind::kMinusOne,
                                          MutationKind::kElsewhere, MutationKind::kRandom};
constexpr std::uint32_t kReplacementCount = std::size(kReplacements);

using Group = std::vector<const FieldSpan*>;  // the fields of one name

class Chooser {
 public:
  Chooser(const IndexModel& index, Prng* prng) : index_(index), prng_(prng) {}

  void Choose(const Group& group, std::uint64_t per_field, Sample* sample) {
    std::uint64_t possible = 0;
    for (const FieldSpan* field : group) possible += field->bit_count() + kReplacementCount;
    sample->possible += possible;
    if (per_field == 0 || possible <= per_field) {
      for (const FieldSpan* field : group) {
        for (std::uint32_t change = 0; change < field->bit_count() + kReplacementCount; ++change) {
          Make(group, *field, change, sample);
        }
      }
      return;
    }
    std::set<std::pair<std::uint64_t, std::uint32_t>> chosen;
    // Bounded, since a draw may repeat an earlier one or change nothing.
    for (std::uint64_t draw = 0; draw < 4 * per_field && chosen.size() < per_field; ++draw) {
      const std::uint64_t which = prng_->Below(group.size());
      const std::uint32_t bits = group[which]->bit_count();
      const auto change = static_cast<std::uint32_t>(
          prng_->Chance(1, 2) ? prng_->Below(bits) : bits + prng_->Below(kReplacementCount));
      if (chosen.contains({which, change})) continue;
      if (Make(group, *group[which], change, sample)) chosen.insert({which, change});
    }
  }

 private:
  // Appends the mutation, unless it changes nothing.
  bool Make(const Group& group, const FieldSpan& field, std::uint32_t change, Sample* sample) {
    Mutation mutation;
    mutation.field = field;
    mutation.old_bytes = BytesOf(field);
    mutation.new_bytes = mutation.old_bytes;
    const std::uint32_t bits = field.bit_count();
    if (change < bits) {
      mutation.bit = change;
      const std::uint32_t at = field.shift + change;
      mutation.new_bytes[at / 8] ^= static_cast<std::uint8_t>(1U << at % 8);
    } else {
      mutation.kind = kReplacements[change - bits];
      Replace(group, &mutation);
    }
    if (mutation.new_bytes == mutation.old_bytes) return false;
    sample->mutations.push_back(std::move(mutation));
    return true;
  }

  std::vector<std::uint8_t> BytesOf(const FieldSpan& field) const {
    const std::uint8_t* from =
        index_.image().data() + std::size_t{field.block} * index_.page_size() + field.begin;
    return {from, from + field.size};
  }

  void Replace(const Group& group, Mutation* mutation) {
    const FieldSpan& field = mutation->field;
    std::vector<std::uint8_t> bytes = mutation->old_bytes;
    switch (mutation->kind) {
      case MutationKind::kBit:
        CHECK(false);
      case MutationKind::kZero:
        std::fill(bytes.begin(), bytes.end(), 0x00);
        break;
      case MutationKind::kOnes:
        std::fill(bytes.begin(), bytes.end(), 0xFF);
        break;
      case MutationKind::kPlusOne:
        Add(field, 1, &bytes);
        break;
      case MutationKind::kMinusOne:
        Add(field, ~std::uint64_t{0}, &bytes);
        break;
      case MutationKind::kElsewhere: {
        const FieldSpan& other = *group[prng_->Below(group.size())];
        if (other.size == field.size) bytes = BytesOf(other);
        break;
      }
      case MutationKind::kRandom:
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(prng_->Next());
        break;
    }
    KeepOtherBits(field, mutation->old_bytes, &bytes);
    mutation->new_bytes = std::move(bytes);
  }

  static void Add(const FieldSpan& field, std::uint64_t amount, std::vector<std::uint8_t>* bytes) {
    if (bytes->size() > sizeof(std::uint64_t)) {
      bytes->back() = static_cast<std::uint8_t>(bytes->back() + amount);
      return;
    }
    std::uint64_t number = 0;
    std::memcpy(&number, bytes->data(), bytes->size());
    number += amount << field.shift;
    std::memcpy(bytes->data(), &number, bytes->size());
  }

  // A part of an integer is replaced alone.
  static void KeepOtherBits(const FieldSpan& field, const std::vector<std::uint8_t>& old_bytes,
                            std::vector<std::uint8_t>* bytes) {
    if (field.width == 0) return;
    for (std::uint32_t bit = 0; bit < 8 * field.size; ++bit) {
      if (bit >= field.shift && bit < std::uint32_t{field.shift} + field.width) continue;
      const auto mask = static_cast<std::uint8_t>(1U << bit % 8);
      (*bytes)[bit / 8] =
          static_cast<std::uint8_t>(((*bytes)[bit / 8] & ~mask) | (old_bytes[bit / 8] & mask));
    }
  }

  const IndexModel& index_;
  Prng* prng_;
};

}  // namespace

Sample ChooseMutations(const IndexModel& index, std::uint64_t per_field, Prng* prng) {
  const std::vector<FieldSpan> fields = FieldsOf(index);
  // By region and name, in the order of the names: which draws belong to which group must not
  // depend on where the group's first field stands.
  std::map<std::pair<Region, std::string>, Group> groups;
  for (const FieldSpan& field : fields) groups[{field.region, field.name}].push_back(&field);
  Sample sample;
  Chooser chooser(index, prng);
  for (const auto& [name, group] : groups) chooser.Choose(group, per_field, &sample);
  return sample;
}

}  // namespace checker_score
}  // namespace tornleaf

// Random numbers that are the same on every machine, compiler and library.
//
// xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018), its
// 256 bits of state filled by splitmix64 from the seed. Each consumer has a stream of its own, so
// that one more draw in one of them does not shift the others:
//
//   Prng keys(seed, "keys");
//   Prng faults(seed, "faults");
//
// Not for secrets.

#ifndef TORNLEAF_ENGINE_BASE_PRNG_H_
#define TORNLEAF_ENGINE_BASE_PRNG_H_

#include <bit>
#include <cstdint>
#include <string_view>

#include "engine/base/check.h"

namespace tornleaf {

class Prng {
 public:
  // The stream of `seed` that belongs to `name`; an empty name is a stream, too.
  explicit Prng(std::uint64_t seed, std::string_view name = {}) {
    // FNV-1a over the name: another name, another start of splitmix64.
    std::uint64_t hash = 0xCBF29CE484222325;
    for (const char c : name) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x00000100000001B3;
    std::uint64_t mixed = seed ^ hash;
    for (std::uint64_t& word : state_) word = SplitMix64(&mixed);
  }

  // 64 random bits.
  std::uint64_t Next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // A number below `bound`, which is above 0, each as likely as any other. Draws again when the
  // draw falls into the incomplete last multiple of `bound`: less than every second time.
  std::uint64_t Below(std::uint64_t bound) {
    CHECK(bound > 0);
    const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t draw = Next();
    while (draw < uneven) draw = Next();
    return draw % bound;
  }

  // A number from `low` to `high`, both included.
  std::uint64_t Between(std::uint64_t low, std::uint64_t high) {
    CHECK(low <= high);
    const std::uint64_t span = high - low + 1;
    return span == 0 ? Next() : low + Below(span);
  }

  // True `numerator` times out of `denominator` on average.
  bool Chance(std::uint64_t numerator, std::uint64_t denominator) {
    CHECK(numerator <= denominator);
    return Below(denominator) < numerator;
  }

 private:
  static std::uint64_t SplitMix64(std::uint64_t* state) {
    *state += 0x9E3779B97F4A7C15;
    std::uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4];
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BASE_PRNG_H_

// Damages index files at random, where it hurts most: fields more often than plain bytes, and
// values at the edges of what is legal.

#ifndef TORNLEAF_TESTS_HOSTILE_DAMAGE_H_
#define TORNLEAF_TESTS_HOSTILE_DAMAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/prng.h"

namespace tornleaf {

// Changes one to four things in the file: bits, bytes, fields of headers, special areas, metapage,
// line pointers and tuples, whole pages (copied, swapped, zeroed, torn), or its length. Says what
// it did, for the one who has to find out why a test failed.
std::string Damage(Prng* prng, std::uint32_t page_size, std::vector<std::uint8_t>* image);

}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_HOSTILE_DAMAGE_H_

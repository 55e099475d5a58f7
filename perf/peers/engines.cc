#include "perf/peers/index.h"

namespace tornleaf::peers {

std::vector<Engine> AllEngines() {
  return {TornleafEngine(), LmdbEngine(), SqliteEngine(), WiredTigerEngine()};
}

}  // namespace tornleaf::peers

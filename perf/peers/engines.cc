#include "perf/peers/index.h"

namespace tornleaf::peers {

std::vector<Engine> AllEngines() {
  std::vector<Engine> engines;
#ifdef TORNLEAF_PEERS_OURS
  engines.push_back(TornleafEngine());
#endif
  engines.push_back(LmdbEngine());
  engines.push_back(SqliteEngine());
  engines.push_back(WiredTigerEngine());
  return engines;
}

}  // namespace tornleaf::peers

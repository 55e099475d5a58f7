// Workloads whose every step is remembered, and what may be left of them after a failure:
// everything that a sync has covered, and of the rest a beginning.

#ifndef TORNLEAF_ENGINE_DB_WORKLOAD_TEST_UTIL_H_
#define TORNLEAF_ENGINE_DB_WORKLOAD_TEST_UTIL_H_

#include <map>
#include <optional>
#include <vector>

#include "engine/base/prng.h"
#include "engine/db/db_test_util.h"

namespace tornleaf {

struct WorkStep {
  enum Kind : std::uint8_t { kPut, kDelete, kSync, kVacuum, kCheckpoint } kind = kPut;
  TestRow row;
};

// `steps` steps with some rows in them. Keys repeat, rows are deleted and come back.
inline std::vector<WorkStep> PlanWork(std::uint64_t seed, int steps, std::uint32_t key_count) {
  Prng prng(seed);
  std::vector<WorkStep> plan;
  std::vector<TestRow> live;
  std::vector<PackedTid> dead;
  std::vector<PackedTid> unused;
  std::uint32_t numbers = 0;
  for (int step = 0; step < steps; ++step) {
    const std::uint64_t dice = prng.Below(40);
    if (dice == 0) {
      plan.push_back({WorkStep::kVacuum, {}});
      unused.insert(unused.end(), dead.begin(), dead.end());
      dead.clear();
    } else if (dice == 1) {
      plan.push_back({WorkStep::kCheckpoint, {}});
    } else if (dice < 6) {
      plan.push_back({WorkStep::kSync, {}});
    } else if (dice < 18 && !live.empty()) {
      const std::size_t index = prng.Below(live.size());
      plan.push_back({WorkStep::kDelete, live[index]});
      dead.push_back(live[index].second);
      live[index] = live.back();
      live.pop_back();
    } else {
      TestRow row = {static_cast<std::int32_t>(prng.Below(key_count)), 0};
      if (!unused.empty()) {
        row.second = unused.back();
        unused.pop_back();
      } else {
        row.second = TidOf(numbers++);
      }
      plan.push_back({WorkStep::kPut, row});
      live.push_back(row);
    }
  }
  return plan;
}

class WorkHistory {
 public:
  // Carries the plan out, and goes on after errors until the database refuses everything.
  void Run(Database* database, const std::vector<WorkStep>& plan) {
    for (const WorkStep& step : plan) {
      if (!Do(database, step)) ++failed_steps_;
    }
  }
  void Synced() { synced_ = effects_.size(); }
  std::size_t synced() const { return synced_; }
  int failed_steps() const { return failed_steps_; }

  // Whether these may be the rows after a failure: those of the first n changes, for an n that is
  // not below what is durable. What a change that failed did is not known.
  bool Allows(const TestRows& rows) const {
    State state;
    for (std::size_t count = 0; count <= effects_.size(); ++count) {
      if (count >= synced_ && Matches(state, rows)) return true;
      if (count < effects_.size()) state[effects_[count].row] = effects_[count].there;
    }
    return false;
  }

 private:
  struct Effect {
    TestRow row;
    std::optional<bool> there;  // afterwards; none: nobody knows
  };
  using State = std::map<TestRow, std::optional<bool>>;

  static bool Matches(const State& state, const TestRows& rows) {
    for (const TestRow& row : rows) {
      const auto found = state.find(row);
      if (found == state.end() || !found->second.value_or(true)) return false;
    }
    for (const auto& [row, there] : state) {
      if (there.value_or(false) && !rows.contains(row)) return false;
    }
    return true;
  }

  bool Do(Database* database, const WorkStep& step) {
    switch (step.kind) {
      case WorkStep::kPut: {
        // The plan takes an address for free whose row could not be deleted.
        const auto [owner, is_new] = owners_.emplace(step.row.second, step.row.first);
        if (owner->second != step.row.first) return true;
        const bool done = PutRow(database, step.row).ok();
        effects_.push_back({step.row, done ? std::optional(true) : std::nullopt});
        return done;
      }
      case WorkStep::kDelete: {
        const bool done = DeleteRow(database, step.row).ok();
        effects_.push_back({step.row, done ? std::optional(false) : std::nullopt});
        const auto owner = owners_.find(step.row.second);
        if (done && owner != owners_.end() && owner->second == step.row.first) {
          owners_.erase(owner);
        }
        return done;
      }
      case WorkStep::kSync: {
        const bool done = database->Sync().ok();
        if (done) Synced();
        return done;
      }
      case WorkStep::kVacuum:
        return database->Vacuum().ok();
      case WorkStep::kCheckpoint: {
        const bool done = database->Checkpoint().ok();
        if (done) Synced();
        return done;
      }
    }
    return false;
  }

  std::vector<Effect> effects_;
  std::map<PackedTid, std::int32_t> owners_;  // keys of the rows that may be there, by address
  std::size_t synced_ = 0;
  int failed_steps_ = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_WORKLOAD_TEST_UTIL_H_

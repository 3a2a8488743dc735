// Configs that between them have every value of every parameter of a family, and many pairs of values.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "device/host/random.h"
#include "space/space.h"

namespace scantune {

class CoveringConfigs {
 public:
  // The configs' tiles have at most as many items, where a value needs no larger ones.
  explicit CoveringConfigs(int max_tile_items) : max_tile_items_(max_tile_items) {}

  // How a test draws configs of its own, and which of them it can run.
  struct Draws {
    std::function<Config(Random&)> draw;
    std::function<bool(const Config&)> is_legal;
  };

  // A legal config for the request: of some that are drawn, always the same ones, the one with most pairs that no
  // config of the family before has. Values that no such config has come first.
  Config next(const FamilyModel& family, const Request& request);
  // The same by the test's own draws. A config is one of these, or one of these with a single other value.
  Config next(const FamilyModel& family, const Draws& draws);

 private:
  using Pair = std::tuple<int, int, int, int>;  // parameter and value, twice

  Config next(const FamilyModel& family, const std::function<Config(Random&)>& small,
              const std::function<Config(Random&, int attempt)>& any,
              const std::function<bool(const Config&)>& is_legal);

  int max_tile_items_;
  std::map<const FamilyModel*, std::set<Pair>> seen_;
};

// The values, in words, that none of the configs has.
std::vector<std::string> values_that_none_has(const FamilyModel& family, const std::vector<Config>& configs);

}  // namespace scantune

#include "sampled_requests.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

#include "device/host/random.h"
#include "families_under_test.h"
#include "space/space.h"

namespace scantune {
namespace {

constexpr int kBuiltInTypes = static_cast<int>(ValueType::custom);
constexpr int kBuiltInOperators = static_cast<int>(Operator::custom_cheap);

template <class Enum, class Visit>
void visit_all(int count, const Visit& visit) {
  for (int value = 0; value < count; ++value) visit(static_cast<Enum>(value));
}

std::string pair_of(ValueType input, ValueType output) {
  return std::string("from ") + token(input) + " to " + token(output);
}

bool is_usual(const ScanRequest& request) {
  return request.accumulator_type == default_accumulator(request.input_type, request.output_type) &&
         std::any_of(std::begin(kTypePairs), std::end(kTypePairs), [&](const TypePair& pair) {
           return pair.input == request.input_type && pair.output == request.output_type;
         });
}

}  // namespace

std::vector<std::string> properties(const ScanRequest& request) {
  std::vector<std::string> all = {
      std::string("input ") + token(request.input_type), std::string("accumulator ") + token(request.accumulator_type),
      std::string("output ") + token(request.output_type), std::string("operator ") + token(request.op),
      std::string(token(request.kind)) + " from " + token(request.init)};
  if (is_usual(request)) all.push_back(pair_of(request.input_type, request.output_type));
  if (packs_sums(request) || packs_extremes(request))
    all.push_back(std::string("packed ") + token(request.op) + " of " + token(request.input_type));
  if (packs_sums(request))
    all.push_back(std::string("packed sums, ") + token(request.kind) + " from " + token(request.init));
  return all;
}

std::vector<ScanRequest> all_requests() {
  std::vector<ScanRequest> all;
  visit_all<ValueType>(kBuiltInTypes, [&](ValueType input) {
    visit_all<ValueType>(kBuiltInTypes, [&](ValueType accumulator) {
      visit_all<ValueType>(kBuiltInTypes, [&](ValueType output) {
        visit_all<Operator>(kBuiltInOperators, [&](Operator op) {
          for (const Kind kind : {Kind::inclusive, Kind::exclusive})
            for (const Init init : {Init::none, Init::value, Init::memory}) {
              const ScanRequest request{.input_type = input,
                                        .accumulator_type = accumulator,
                                        .output_type = output,
                                        .op = op,
                                        .kind = kind,
                                        .init = init};
              if (unsupported_reason(request) == nullptr) all.push_back(request);
            }
        });
      });
    });
  });
  return all;
}

std::vector<ScanRequest> requests_for(const FamilyModel& family) {
  std::vector<ScanRequest> all = all_requests();
  std::erase_if(all, [&](ScanRequest request) {
    request.n = kSomeItems;
    return family.unsupported_reason(taken_by(family, request), kHostSm) != nullptr;
  });
  return all;
}

std::vector<ScanRequest> sampled_requests(int count, u64 seed, std::vector<ScanRequest> all) {
  Random random(seed);
  for (std::size_t left = all.size(); left > 1; --left)
    std::swap(all[left - 1], all[random.below(static_cast<u32>(left))]);
  // Problems that add a property come first, so that the count need not grow for them.
  std::set<std::string> seen;
  const auto others = std::stable_partition(all.begin(), all.end(), [&](const ScanRequest& request) {
    bool adds = false;
    for (const std::string& property : properties(request)) adds |= seen.insert(property).second;
    return adds;
  });
  const auto needed = others - all.begin();
  all.erase(all.begin() + std::max<std::ptrdiff_t>(needed, count), all.end());
  return all;
}

std::string name_of(const ScanRequest& request) {
  std::string name = std::string(token(request.input_type)) + "_" + token(request.accumulator_type) + "_" +
                     token(request.output_type) + "_" + token(request.op) + "_" + token(request.kind);
  if (request.init == Init::value) name += "_from_value";
  if (request.init == Init::memory) name += "_from_memory";
  return name;
}

void PrintTo(const SampledProblem& problem, std::ostream* out) {
  *out << problem.family->name() << " of " << name_of(problem.request);
}

std::vector<SampledProblem> sampled_problems(std::span<const FamilyModel* const> families, int count, u64 sample_seed,
                                             u64 first_seed) {
  std::vector<SampledProblem> all;
  for (const FamilyModel* family : families)
    for (const ScanRequest& request : sampled_requests(count, sample_seed + all.size(), requests_for(*family)))
      all.push_back({family, request, first_seed + all.size()});
  return all;
}

}  // namespace scantune

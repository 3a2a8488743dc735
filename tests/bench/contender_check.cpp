#include "contender_check.h"

#include <memory>
#include <optional>

#include "cuda_check.h"
#include "reduction_check.h"
#include "wrong_scans.h"

namespace scantune::bench {
namespace {

std::string spelled(const std::string& who, const Mismatch& wrong) {
  return who + " is wrong: item " + std::to_string(wrong.index) + " should be " + wrong.expected + ", found " +
         wrong.found;
}

// Puts the contender's results into every output, all of which were poisoned. The graph is returned, because it must
// live until they are there.
ReplayedGraph poisoned_and_written(const Contender& contender, const Setting& setting) {
  // The first launch is outside a graph: it loads kernels, which a capture forbids.
  contender.enqueue(setting.pairs.inputs[0], setting.pairs.outputs[0], setting.stream);
  poison_outputs(setting.pairs, setting.stream);
  ReplayedGraph graph = graph_of(contender, Condition::cold, setting);
  graph.replay();
  return graph;
}

class ScanCheck {
 public:
  ScanCheck(std::span<const Contender> scans, const InputSpec& input, std::byte* expected, const Setting& setting)
      : scans_(scans),
        request_(input.request),
        reference_(make_reference(input)),
        expected_(expected),
        setting_(setting) {}

  std::vector<std::string> wrong() {
    return wrong_scans({static_cast<int>(scans_.size()), [this](int scan) { return expect(scan); },
                        [this](int scan) { return compare(scan); }});
  }

 private:
  const Contender& scan(int index) const { return scans_[static_cast<std::size_t>(index)]; }

  std::optional<std::string> expect(int reference) {
    expected_scan_ = reference;
    scan(reference).enqueue(setting_.pairs.inputs[0], expected_, setting_.stream);
    SCANTUNE_BENCH_CHECK(cudaStreamSynchronize(setting_.stream));
    // Where scantune is the reference no other scan checks it, so the CPU checks all of its output.
    const Coverage coverage = scan(reference).role == Role::scantune ? Coverage::whole : Coverage::parts;
    const auto wrong = check_output(request_, *reference_, expected_, coverage);
    return wrong ? std::optional(spelled(scan(reference).name, *wrong)) : std::nullopt;
  }

  std::optional<Difference> compare(int index) const {
    const Contender& one = scan(index);
    const ReplayedGraph graph = poisoned_and_written(one, setting_);
    const auto different = first_difference(request_, expected_, setting_.pairs, setting_.stream);
    if (!different) return std::nullopt;
    if (const auto wrong = check_around(different->index, request_, *reference_, expected_))
      return Difference{true, spelled(scan(expected_scan_).name, *wrong)};
    const auto place = one.name + " in buffer " + std::to_string(different->pair);
    if (const auto wrong =
            check_around(different->index, request_, *reference_, setting_.pairs.outputs[different->pair]))
      return Difference{false, spelled(place, *wrong)};
    return Difference{false, place + " differs from " + scan(expected_scan_).name + " in the bits of item " +
                                 std::to_string(different->index) + ", which the CPU finds right in both"};
  }

  std::span<const Contender> scans_;
  Request request_;
  std::unique_ptr<const Reference> reference_;
  std::byte* expected_;
  const Setting& setting_;
  int expected_scan_ = 0;
};

}  // namespace

std::vector<std::string> check_scans(std::span<const Contender> scans, const InputSpec& input, std::byte* expected,
                                     const Setting& setting) {
  return ScanCheck(scans, input, expected, setting).wrong();
}

std::vector<std::string> check_reductions(std::span<const Contender> reductions, const Case& subject,
                                          const InputSpec& input, const Setting& setting) {
  const std::unique_ptr<const Reference> reference = make_reference(input);
  std::vector<std::string> wrong;
  for (const Contender& one : reductions) {
    std::string& fault = wrong.emplace_back();
    const ReplayedGraph graph = poisoned_and_written(one, setting);
    SCANTUNE_BENCH_CHECK(cudaStreamSynchronize(setting.stream));
    for (int pair = 0; pair < setting.pairs.count() && fault.empty(); ++pair) {
      const WrittenResult written = written_result(setting.pairs.outputs[pair]);
      if (const auto why = wrong_reduction(subject, *reference, written.value, written.index))
        fault = one.name + " in buffer " + std::to_string(pair) + " is wrong: " + *why;
    }
  }
  return wrong;
}

}  // namespace scantune::bench

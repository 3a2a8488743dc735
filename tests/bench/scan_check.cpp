#include "scan_check.h"

#include <memory>
#include <optional>

#include "cuda_check.h"
#include "wrong_scans.h"

namespace scantune::bench {
namespace {

std::string spelled(const std::string& who, const Mismatch& wrong) {
  return who + " is wrong: item " + std::to_string(wrong.index) + " should be " + wrong.expected + ", found " +
         wrong.found;
}

class ScanCheck {
 public:
  ScanCheck(std::span<const Contender> scans, const InputSpec& input, std::byte* expected, const Setting& setting)
      : scans_(scans),
        request_(typed<ScanRequest>(input.request)),
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
    // scantune is the reference for itself alone, so nothing but the CPU stands against it.
    const Coverage coverage = scan(reference).role == Role::scantune ? Coverage::whole : Coverage::parts;
    const auto wrong = check_output(request_, *reference_, expected_, coverage);
    return wrong ? std::optional(spelled(scan(reference).name, *wrong)) : std::nullopt;
  }

  std::optional<Difference> compare(int index) const {
    const Contender& one = scan(index);
    // Outside a graph first: kernels load then, for which a capture is no time.
    one.enqueue(setting_.pairs.inputs[0], setting_.pairs.outputs[0], setting_.stream);
    poison_outputs(setting_.pairs, setting_.stream);
    const ReplayedGraph graph = graph_of(one, Condition::cold, setting_);
    graph.replay();
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
  ScanRequest request_;
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

}  // namespace scantune::bench

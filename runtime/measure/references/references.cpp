#include <array>
#include <string>

#include "measure/references/algorithm_reference.h"
#include "scantune/error.hpp"

namespace scantune {

const AlgorithmReference& reference_of_scan();
const AlgorithmReference& reference_of_reduce();
const AlgorithmReference& reference_of_copy();
const AlgorithmReference& reference_of_select();
const AlgorithmReference& reference_of_load_balance();
const AlgorithmReference& reference_of_sort();
const AlgorithmReference& reference_of_top_k();

const AlgorithmReference& reference_of(const AlgorithmModel& algorithm) {
  const std::array all{&reference_of_scan(),   &reference_of_reduce(),       &reference_of_copy(),
                       &reference_of_select(), &reference_of_load_balance(), &reference_of_sort(),
                       &reference_of_top_k()};
  for (const AlgorithmReference* reference : all)
    if (&reference->algorithm() == &algorithm) return *reference;
  throw Error(std::string("nothing says what a ") + algorithm.name() + " returns");
}

}  // namespace scantune

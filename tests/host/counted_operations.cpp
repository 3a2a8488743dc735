#include "counted_operations.h"

// Kernels are loaded into this process and find it by its name.
extern "C" __attribute__((visibility("default"))) void scantune_test_count(unsigned earlier, unsigned later) {
  scantune::counted_operations().push_back({scantune::CountedValue::of(earlier), scantune::CountedValue::of(later)});
}

namespace scantune {

Instantiation with_counted_operations(Instantiation kernels) {
  const auto has = [&](const char* text) { return kernels.source.find(text) != std::string::npos; };
  const std::string type = has("::u64") ? "u64" : "u32", kept = has("ReduceRequest") ? "earlier" : "later";
  const std::string operation = R"(extern "C" void scantune_test_count(unsigned, unsigned);
namespace scantune::instance {
struct Counted {
  using Value = )" + type + R"(;
  SCANTUNE_DEVICE static Value combine(Value earlier, Value later) {
    scantune_test_count(static_cast<unsigned>(earlier), static_cast<unsigned>(later));
    const Value one = earlier & 0xffff, other = later & 0xffff;
    return ()" + kept + R"( & ~Value{0xffff}) | ((one < other ? other : one) + 1);
  }
};
}
)";
  const std::string instance = "namespace scantune::instance {\n", problem = "using ScantuneProblem = ", end = ">;\n";
  const std::size_t after = kernels.source.find(end, kernels.source.find(problem));
  kernels.source.replace(after, end.size(), ", 0, Counted" + end);
  kernels.source.insert(kernels.source.find(instance), operation);
  return kernels;
}

std::vector<CountedOperation>& counted_operations() {
  static std::vector<CountedOperation> all;
  return all;
}

}  // namespace scantune

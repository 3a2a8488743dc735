#include <scantune/runtime.hpp>

#include <cstdio>
#include <vector>

namespace runtime = scantune::runtime;

int main() try {
  const runtime::Buffer<int> in(std::vector<int>(4096, 1)), out(in.size());  // on the GPU
  runtime::scan(in.data(), out.data(), in.size());                           // inclusive sum, by the tuned kernel
  std::vector<int> sums(out.size());
  out.download(sums.data());
  std::printf("the last sum is %d\n%s", sums.back(), runtime::describe<int>(in.size()).c_str());
  return sums.back() != 4096;
} catch (const scantune::Error& error) {  // says what to do, without a GPU too
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

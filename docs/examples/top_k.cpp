#include <scantune/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

namespace runtime = scantune::runtime;

template <class T>
std::vector<T> read(const runtime::Buffer<T>& buffer) {
  std::vector<T> items(buffer.size());
  buffer.download(items.data());
  return items;
}

int main() {
  constexpr std::uint32_t kQueries = 16, kDocuments = 5000, kBest = 10;  // so many of each query
  std::vector<float> scores;
  for (std::uint32_t i = 0; i < kQueries * kDocuments; ++i) scores.push_back(static_cast<float>(i * 7919 % 1009));
  const runtime::Buffer<float> keys(scores), best(kQueries * kBest), least(kBest);  // on the GPU
  const runtime::Buffer<std::uint32_t> documents(kQueries * kBest);
  runtime::top_k(keys.data(), best.data(), scores.size(), kBest,
                 {.segments = runtime::Segments::rows(kQueries, kDocuments), .indices = documents.data()});
  runtime::top_k(keys.data(), least.data(), scores.size(), kBest, {.order = runtime::Order::ascending});

  const std::vector<float> found = read(best);
  const std::vector<std::uint32_t> found_documents = read(documents);
  for (std::uint32_t query = 0; query < kQueries; ++query) {
    const float* const of_query = &scores[query * kDocuments];
    std::vector<std::uint32_t> order(kDocuments);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::uint32_t document) { return of_query[document]; });
    for (std::uint32_t place = 0; place < kBest; ++place)
      if (found_documents[query * kBest + place] != order[place] ||
          found[query * kBest + place] != of_query[order[place]])
        return 1;
  }
  std::ranges::sort(scores);
  scores.resize(kBest);
  if (read(least) != scores) return 1;
  std::printf("the best of %u documents for query 0 is %u, of score %g\n", kDocuments, found_documents[0], found[0]);
  return 0;
}

#include "python/output.h"

#include <algorithm>
#include <cstdlib>

namespace nb = nanobind;

namespace scantune::python {
namespace {

// Sufficient: each dimension steps over all that the ones with smaller strides reach.
bool is_injective(const Array& out) {
  std::vector<Extent> extents;
  for (const Extent& extent : out.extents)
    if (extent.size > 1) extents.push_back({extent.size, std::abs(extent.stride)});
  std::ranges::sort(extents, {}, &Extent::stride);
  std::int64_t reach = 0;
  for (const Extent& extent : extents) {
    if (extent.stride <= reach) return false;
    reach += static_cast<std::int64_t>(extent.size - 1) * extent.stride;
  }
  return true;
}

}  // namespace

void check_output(const Call& call, const std::string& name, const Array& out, const std::vector<std::uint64_t>& shape,
                  const Array& x) {
  const auto refuse_out = [&](const std::string& because) { call.refuse(nb::value_error, name + " " + because); };
  if (out.is_read_only) refuse_out("is read-only");
  if (!std::ranges::equal(out.extents, shape, {}, &Extent::size)) refuse_out("has another shape than the results");
  if (out.place != x.place) refuse_out("is on another device than x");
  if (out.size() > 0 && !is_injective(out)) refuse_out("has items that overlap each other");
}

bool overlap(const Array& a, const Array& b) {
  const Span one = span_of(a), other = span_of(b);
  return one.begin < other.end && other.begin < one.end;
}

void check_apart(const Call& call, const std::string& name, const Array& out, const std::string& other_name,
                 const Array& other) {
  if (overlap(out, other))
    call.refuse(nb::value_error, name + " overlaps " + other_name + " in memory: pass memory apart from it");
}

void check_length_may_follow(const Call& call, const Array& x) {
  if (!call.library().is_known())
    call.refuse(nb::type_error, "x is of type " + spelled(x.object.type().attr("__name__")) +
                                    ", of which scantune makes no arrays whose length depends on items: pass the size");
}

Array temporary(const Call& call, const Array& x, const std::vector<std::uint64_t>& shape, const ElementType& type) {
  return call.input("a temporary array", call.made(x, shape, type));
}

}  // namespace scantune::python

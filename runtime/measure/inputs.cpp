#include "measure/inputs.h"

#include <algorithm>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "space/operands.h"

namespace scantune {
namespace {

constexpr u64 kPartItems = u64{1} << 14;  // items that one thread makes at a time

}  // namespace

Request fed_alike(Request request) {
  if (request.layout.is_strided()) return request;  // its rows or columns say which items the array has
  for (const MemberModel& member : request.members())
    if (member.match == Match::served || member.match == Match::per_call) request.set(member, 0);
  for (const ExtentModel& extent : request.algorithm().extents())
    if (!extent.is_recorded()) request.set(extent, 0);
  return request;
}

bool applies(InputPattern pattern, const Request& request) {
  return reference_of(request.algorithm()).has(pattern, request);
}

void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) {
  reference_of(spec.request.algorithm()).fill_input(spec, first, out);
}

void fill_input_on_all_cores(const InputSpec& spec, u64 first, std::span<std::byte> out) {
  const u64 item_bytes = static_cast<u64>(Operands(spec.request).of(OperandRole::input).item_bytes),
            part_bytes = kPartItems * item_bytes;
  parallel_for(ceil_div<u64>(out.size(), part_bytes), [&](u64 part) {
    const u64 begin = part * part_bytes;
    fill_input(spec, first + part * kPartItems, out.subspan(begin, std::min<u64>(part_bytes, out.size() - begin)));
  });
}

void fill_init(const Request& request, unsigned char* init) {
  reference_of(request.algorithm()).fill_init(request, init);
}

}  // namespace scantune

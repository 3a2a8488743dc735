#include "measure/references/select_inputs.h"

#include <algorithm>
#include <limits>

#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

constexpr u64 kRegionItems = 777;  // neighbours that are kept alike, with InputPattern::specials
constexpr int kTries = 8;          // to find a number that compares as it should

// Seeds apart from that of the items.
constexpr u64 kOfSelectChoices = 0x5e1ec7, kOfSelectedValues = 0xba97, kOfFlags = 0xf1a6;

enum class Share { none, half, all };
Share share_of(const InputSpec& spec, u64 index) {
  if (spec.pattern != InputPattern::specials) return Share::half;
  return static_cast<Share>(random_bits(spec.seed + kOfSelectChoices, ~(index / kRegionItems)) % 3);
}

bool is_to_be_kept(const InputSpec& spec, u64 index) {
  const Share share = share_of(spec, index);
  return share == Share::half ? (random_bits(spec.seed + kOfSelectChoices, index) & 1) != 0 : share == Share::all;
}

// The item that starts the run of equal ones which an item is in.
u64 run_start(const InputSpec& spec, u64 index) {
  while (index > 0 && !is_to_be_kept(spec, index))
    index =
        share_of(spec, index) == Share::none ? std::max(index / kRegionItems * kRegionItems, u64{1}) - 1 : index - 1;
  return index;
}

template <class T>
auto comparable(T value) {
  if constexpr (std::is_integral_v<T>)
    return value;
  else
    return static_cast<long double>(value);
}

// Whether the numbers compare as the criterion says.
bool holds(Criterion criterion, ValueType type, const std::byte* first, const std::byte* second) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    const auto a = comparable(value_at<T>(first)), b = comparable(value_at<T>(second));
    switch (criterion) {
      case Criterion::less:
        return a < b;
      case Criterion::less_equal:
        return a <= b;
      case Criterion::greater:
        return a > b;
      case Criterion::greater_equal:
        return a >= b;
      case Criterion::equal:
        return a == b;
      default:
        return a != b;
    }
  });
}

// In the middle of what the type holds, or nearly.
void put_constant(ValueType type, std::byte* out) {
  visit_type(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_unsigned_v<T>)
      put(static_cast<T>(std::numeric_limits<T>::max() / 2 + 4), out);
    else if constexpr (std::is_integral_v<T>)
      put(T{3}, out);
    else
      put_floating(type, 0, out);
  });
}

// One of the three that the item is to be in.
Criterion drawn_comparison(const InputSpec& spec, u64 index) {
  constexpr Criterion kThree[] = {Criterion::less, Criterion::equal, Criterion::greater};
  const Share share = share_of(spec, index);
  if (share == Share::none) return Criterion::greater;
  if (share == Share::all) return kThree[random_bits(spec.seed + kOfSelectChoices, index / kRegionItems) % 2];
  return kThree[random_bits(spec.seed + kOfSelectChoices, index) % 3];
}

void put_compared(const InputSpec& spec, const SelectRequest& request, u64 index, std::byte* item) {
  std::byte constant[kMaxValueBytes];
  put_constant(request.input_type, constant);
  const bool is_around = request.criterion == Criterion::around;
  const Criterion wanted = is_around ? drawn_comparison(spec, index) : request.criterion;
  const bool holding = is_around || is_to_be_kept(spec, index);
  if ((wanted == Criterion::equal && holding) || (wanted == Criterion::not_equal && !holding)) {
    std::copy_n(constant, request.input_bytes(), item);
    return;
  }
  for (int attempt = 0; attempt < kTries; ++attempt) {
    fill_random(spec.seed + static_cast<u64>(attempt) * kOfSelectChoices, index, request.input_bytes(), item);
    if (holds(wanted, request.input_type, item, constant) == holding) return;
  }
}

}  // namespace

void fill_selection_input(const InputSpec& spec, u64 first, std::span<std::byte> out) {
  const auto request = typed<SelectRequest>(spec.request);
  const auto bytes = static_cast<std::size_t>(request.input_bytes());
  for (std::size_t done = 0; done < out.size(); done += bytes) {
    const u64 index = first + done / bytes;
    std::byte* const item = &out[done];
    if (has_constant(request.criterion)) {
      put_compared(spec, request, index, item);
    } else if (compares_neighbours(request.criterion)) {
      fill_random(spec.seed, run_start(spec, index), request.input_bytes(), item);
    } else {
      fill_random(spec.seed, index, request.input_bytes(), item);
      // The stand-in predicate keeps what is odd.
      if (request.criterion == Criterion::predicate)
        item[0] = (item[0] & ~std::byte{1}) | std::byte{is_to_be_kept(spec, index)};
    }
  }
}

void fill_beside_selection(const InputSpec& spec, OperandRole role, u64 first, std::span<std::byte> out) {
  const auto bytes =
      static_cast<std::size_t>(role == OperandRole::flags ? 1 : typed<SelectRequest>(spec.request).value_bytes());
  for (std::size_t done = 0; done < out.size(); done += bytes) {
    const u64 index = first + done / bytes;
    if (role == OperandRole::flags)
      out[done] =
          is_to_be_kept(spec, index) ? std::byte(1 + random_bits(spec.seed + kOfFlags, index) % 255) : std::byte{0};
    else
      fill_random(spec.seed + kOfSelectedValues, index, static_cast<int>(bytes), &out[done]);
  }
}

void fill_selection_constant(const Request& request, unsigned char* constant) {
  const auto selection = typed<SelectRequest>(request);
  if (has_constant(selection.criterion)) put_constant(selection.input_type, reinterpret_cast<std::byte*>(constant));
}

std::vector<unsigned char> parts_of_items(const InputSpec& spec, u64 first, std::span<const std::byte> items,
                                          const std::byte* before) {
  const auto request = typed<SelectRequest>(spec.request);
  const auto bytes = static_cast<std::size_t>(request.input_bytes());
  std::vector<unsigned char> parts(items.size() / bytes);
  if (request.criterion == Criterion::flagged) {
    fill_beside_selection(spec, OperandRole::flags, first, std::as_writable_bytes(std::span(parts)));
    for (unsigned char& flag : parts) flag = flag == 0;
    return parts;
  }
  std::byte constant[kMaxValueBytes];
  if (has_constant(request.criterion)) put_constant(request.input_type, constant);
  const auto is_kept = [&](const std::byte* item, const std::byte* last) {
    if (has_constant(request.criterion)) return holds(request.criterion, request.input_type, item, constant);
    if (request.criterion == Criterion::predicate) return (item[0] & std::byte{1}) != std::byte{0};
    if (last == nullptr) return true;
    if (request.criterion == Criterion::unique) return holds(Criterion::not_equal, request.input_type, last, item);
    return ((item[0] ^ last[0]) & std::byte{3}) != std::byte{0};  // the stand-in compares two bits
  };
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const std::byte* const item = &items[index * bytes];
    if (request.criterion == Criterion::parts)
      parts[index] = static_cast<unsigned char>(std::min(std::to_integer<int>(item[0]) & 3, 2));
    else if (request.criterion == Criterion::around)
      parts[index] = holds(Criterion::less, request.input_type, item, constant)    ? 0
                     : holds(Criterion::equal, request.input_type, item, constant) ? 1
                                                                                   : 2;
    else
      parts[index] = !is_kept(item, index > 0 ? item - bytes : before);
  }
  return parts;
}

}  // namespace scantune

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
constexpr u64 kOfChoices = 0x5e1ec7, kOfValues = 0xba97, kOfFlags = 0xf1a6;

enum class Share { none, half, all };
Share share_of(const InputSpec& spec, u64 index) {
  if (spec.pattern != InputPattern::specials) return Share::half;
  return static_cast<Share>(random_bits(spec.seed + kOfChoices, ~(index / kRegionItems)) % 3);
}

bool is_to_be_kept(const InputSpec& spec, u64 index) {
  const Share share = share_of(spec, index);
  return share == Share::half ? (random_bits(spec.seed + kOfChoices, index) & 1) != 0 : share == Share::all;
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

void put_compared(const InputSpec& spec, const SelectRequest& request, u64 index, std::byte* item) {
  std::byte constant[kMaxValueBytes];
  put_constant(request.input_type, constant);
  const bool kept = is_to_be_kept(spec, index);
  if (kept == (request.criterion == Criterion::equal) &&
      (request.criterion == Criterion::equal || request.criterion == Criterion::not_equal)) {
    std::copy_n(constant, request.input_bytes(), item);
    return;
  }
  for (int attempt = 0; attempt < kTries; ++attempt) {
    fill_random(spec.seed + static_cast<u64>(attempt) * kOfChoices, index, request.input_bytes(), item);
    if (holds(request.criterion, request.input_type, item, constant) == kept) return;
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
      fill_random(spec.seed + kOfValues, index, static_cast<int>(bytes), &out[done]);
  }
}

void fill_selection_constant(const Request& request, unsigned char* constant) {
  const auto selection = typed<SelectRequest>(request);
  if (has_constant(selection.criterion)) put_constant(selection.input_type, reinterpret_cast<std::byte*>(constant));
}

std::vector<unsigned char> kept_items(const InputSpec& spec, u64 first, std::span<const std::byte> items,
                                      const std::byte* before) {
  const auto request = typed<SelectRequest>(spec.request);
  const auto bytes = static_cast<std::size_t>(request.input_bytes());
  std::vector<unsigned char> kept(items.size() / bytes);
  if (request.criterion == Criterion::flagged) {
    fill_beside_selection(spec, OperandRole::flags, first, std::as_writable_bytes(std::span(kept)));
    for (unsigned char& flag : kept) flag = flag != 0;
    return kept;
  }
  std::byte constant[kMaxValueBytes];
  if (has_constant(request.criterion)) put_constant(request.input_type, constant);
  for (std::size_t index = 0; index < kept.size(); ++index) {
    const std::byte* const item = &items[index * bytes];
    const std::byte* const last = index > 0 ? item - bytes : before;
    if (has_constant(request.criterion))
      kept[index] = holds(request.criterion, request.input_type, item, constant);
    else if (request.criterion == Criterion::predicate)
      kept[index] = std::to_integer<unsigned char>(item[0]) & 1;
    else if (request.criterion == Criterion::unique)
      kept[index] = last == nullptr || holds(Criterion::not_equal, request.input_type, last, item);
    else  // the stand-in compares two bits
      kept[index] = last == nullptr || ((item[0] ^ last[0]) & std::byte{3}) != std::byte{0};
  }
  return kept;
}

}  // namespace scantune

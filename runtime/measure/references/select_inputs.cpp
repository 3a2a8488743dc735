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
  const ValueType type = request.subject_type();
  std::byte constant[kMaxValueBytes];
  put_constant(type, constant);
  const bool is_around = request.criterion == Criterion::around;
  const Criterion wanted = is_around ? drawn_comparison(spec, index) : request.criterion;
  const bool holding = is_around || is_to_be_kept(spec, index);
  if ((wanted == Criterion::equal && holding) || (wanted == Criterion::not_equal && !holding)) {
    std::copy_n(constant, size_of(type), item);
    return;
  }
  for (int attempt = 0; attempt < kTries; ++attempt) {
    fill_random(spec.seed + static_cast<u64>(attempt) * kOfSelectChoices, index, size_of(type), item);
    if (holds(wanted, type, item, constant) == holding) return;
  }
}

// What the criterion looks at, an item or a flag of so many bytes.
void put_subject(const InputSpec& spec, const SelectRequest& request, u64 index, std::span<std::byte> item) {
  const auto bytes = static_cast<int>(item.size());
  if (has_constant(request.criterion)) return put_compared(spec, request, index, item.data());
  if (compares_neighbours(request.criterion)) return fill_random(spec.seed, run_start(spec, index), bytes, item.data());
  fill_random(spec.seed, index, bytes, item.data());
  // The stand-in predicate keeps what is odd.
  if (request.criterion == Criterion::predicate)
    item[0] = (item[0] & ~std::byte{1}) | std::byte{is_to_be_kept(spec, index)};
}

// A flag with one byte that is not 0, or none. Of floating-point zeros every other one is negative.
void put_flag(const InputSpec& spec, ValueType type, u64 index, std::span<std::byte> flag) {
  const u64 bits = random_bits(spec.seed + kOfFlags, index);
  std::ranges::fill(flag, std::byte{0});
  if (is_to_be_kept(spec, index)) {
    const u64 byte = bits / 256 % flag.size();
    const u64 most = is_floating(type) && byte + 1 == flag.size() ? 127 : 255;
    flag[byte] = static_cast<std::byte>(1 + bits % 256 % most);
  } else if (is_floating(type) && bits % 2 != 0) {
    flag.back() = std::byte{0x80};
  }
}

}  // namespace

void fill_selection_input(const InputSpec& spec, u64 first, std::span<std::byte> out) {
  const auto request = typed<SelectRequest>(spec.request);
  const auto bytes = static_cast<std::size_t>(request.input_bytes());
  for (std::size_t done = 0; done < out.size(); done += bytes) {
    const u64 index = first + done / bytes;
    if (request.reads_flags())
      fill_random(spec.seed, index, request.input_bytes(), &out[done]);
    else
      put_subject(spec, request, index, out.subspan(done, bytes));
  }
}

void fill_beside_selection(const InputSpec& spec, OperandRole role, u64 first, std::span<std::byte> out) {
  const auto request = typed<SelectRequest>(spec.request);
  const bool are_flags = role == OperandRole::flags;
  // Nobody asks for flags or values of a request without any.
  const auto bytes = static_cast<std::size_t>(std::max(1, are_flags ? request.flag_bytes() : request.value_bytes()));
  InputSpec of_flags = spec;
  of_flags.seed += kOfFlags;
  for (std::size_t done = 0; done < out.size(); done += bytes) {
    const u64 index = first + done / bytes;
    if (!are_flags)
      fill_random(spec.seed + kOfSelectedValues, index, static_cast<int>(bytes), &out[done]);
    else if (request.subject == Subject::flag)
      put_subject(of_flags, request, index, out.subspan(done, bytes));
    else
      put_flag(spec, value_type(request.flag_type), index, out.subspan(done, bytes));
  }
}

void fill_selection_constant(const Request& request, unsigned char* constant) {
  const auto selection = typed<SelectRequest>(request);
  if (has_constant(selection.criterion)) put_constant(selection.subject_type(), reinterpret_cast<std::byte*>(constant));
}

std::vector<unsigned char> parts_of_items(const InputSpec& spec, u64 first, std::span<const std::byte> items,
                                          const std::byte* before) {
  const auto request = typed<SelectRequest>(spec.request);
  std::vector<unsigned char> parts(items.size() / static_cast<std::size_t>(request.input_bytes()));
  std::vector<std::byte> flags(parts.size() * static_cast<std::size_t>(request.flag_bytes()));
  fill_beside_selection(spec, OperandRole::flags, first, flags);
  const std::span<const std::byte> subjects = request.reads_flags() ? flags : items;
  const ValueType type = request.reads_flags() ? value_type(request.flag_type) : request.input_type;
  const auto bytes = static_cast<std::size_t>(request.bytes_of(type));
  std::byte constant[kMaxValueBytes]{};  // 0, where flags are not
  if (has_constant(request.criterion)) put_constant(type, constant);
  const auto is_kept = [&](const std::byte* item, const std::byte* last) {
    if (has_constant(request.criterion)) return holds(request.criterion, type, item, constant);
    if (request.criterion == Criterion::flagged) return holds(Criterion::not_equal, type, item, constant);
    if (request.criterion == Criterion::predicate) return (item[0] & std::byte{1}) != std::byte{0};
    if (last == nullptr) return true;
    if (request.criterion == Criterion::unique) return holds(Criterion::not_equal, type, last, item);
    return ((item[0] ^ last[0]) & std::byte{3}) != std::byte{0};  // the stand-in compares two bits
  };
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const std::byte* const item = &subjects[index * bytes];
    if (request.criterion == Criterion::parts)
      parts[index] = static_cast<unsigned char>(std::min(std::to_integer<int>(item[0]) & 3, 2));
    else if (request.criterion == Criterion::around)
      parts[index] = holds(Criterion::less, type, item, constant)    ? 0
                     : holds(Criterion::equal, type, item, constant) ? 1
                                                                     : 2;
    else
      parts[index] = !is_kept(item, index > 0 ? item - bytes : before);
  }
  return parts;
}

}  // namespace scantune

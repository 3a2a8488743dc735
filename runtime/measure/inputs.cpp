#include "measure/inputs.h"

#include <cstring>

#include "measure/input_values.h"

namespace scantune {

void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) {
  visit_type(spec.type, [&]<class T>(std::type_identity<T>) {
    visit_input<T>(spec, first, out.size() / sizeof(T), [&](u64 index, T value) {
      std::memcpy(out.data() + (index - first) * sizeof(T), &value, sizeof value);
    });
  });
}

void fill_init(const InputSpec& spec, unsigned char* init) {
  visit_type(spec.type, [&]<class T>(std::type_identity<T>) {
    const T value = initial_value<T>(spec.op);
    std::memcpy(init, &value, sizeof value);
  });
}

}  // namespace scantune

#include <string>

#include "python/comparison.h"
#include "python/first_items.h"
#include "python/into.h"
#include "python/request_run.h"
#include "python/segment_offsets.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

struct SortArguments {
  std::string function;
  nb::object d_in_keys, d_out_keys, d_in_values, d_out_values, num_items;
  bool is_descending;
  bool consumes_input;  // the inputs may be overwritten
  nb::object stream;
};

// What sorts of all keys and of segments have in common.
class Sorting {
 public:
  explicit Sorting(const SortArguments& arguments)
      : items_(arguments.function, "d_in_keys", arguments.d_in_keys,
               number_of(arguments.function, "num_items", arguments.num_items), arguments.stream),
        keys_(items_.first()),
        keys_out_(items_.output("d_out_keys", arguments.d_out_keys, keys_.size(), &keys_)),
        is_descending_(arguments.is_descending),
        consumes_input_(arguments.consumes_input) {
    items_.check_type("d_out_keys", keys_out_, "d_in_keys", *keys_.type);
    if (arguments.d_in_values.is_none() != arguments.d_out_values.is_none())
      items_.call().refuse(nb::type_error, "one of d_in_values and d_out_values is given: pass both, or neither");
    if (arguments.d_in_values.is_none()) return;
    values_ = &items_.input("d_in_values", arguments.d_in_values, keys_.size());
    values_out_ = &items_.output("d_out_values", arguments.d_out_values, keys_.size(), values_);
    items_.check_type("d_out_values", *values_out_, "d_in_values", *values_->type);
  }

  FirstItems& items() { return items_; }
  const ElementType& key_type() const { return *keys_.type; }

  // Sorts as a request with bits or segments says. A sort in place begins with a copy of its inputs.
  void run(scantune_sort_request request, const SegmentOffsets* offsets = nullptr) const {
    const std::uint64_t stream = items_.stream();
    request.head.n = keys_.size();
    request.order = is_descending_ ? SCANTUNE_DESCENDING : SCANTUNE_ASCENDING;
    if (consumes_input_) request.input_use = SCANTUNE_CONSUME_INPUT;
    if (request.head.n == 0) return;
    if (keys_.first != keys_out_.first && (values_ == nullptr || values_->first != values_out_->first))
      return run(request, {&keys_, values_}, {&keys_out_, values_out_}, offsets, stream);

    const Array keys = like(keys_), values = values_ == nullptr ? Array() : like(*values_);
    const Arrays copies = {&keys, values_ == nullptr ? nullptr : &values};
    scantune_sort_request copy = SCANTUNE_SORT_REQUEST_INIT;
    copy.head.n = request.head.n;
    copy.end_bit = SCANTUNE_NO_BITS;
    run(copy, {&keys_, values_}, copies, nullptr, stream);
    request.input_use = SCANTUNE_CONSUME_INPUT;
    run(request, copies, {&keys_out_, values_out_}, offsets, stream);
  }

 private:
  struct Arrays {
    const Array* keys;
    const Array* values;  // or null
  };

  Array like(const Array& array) const {
    return items_.call().output("a copy", items_.call().made(array, {array.size()}, *array.type));
  }

  static void run(scantune_sort_request& request, const Arrays& from, const Arrays& to, const SegmentOffsets* offsets,
                  std::uint64_t stream) {
    request.input_type = from.keys->type->type;
    if (from.values != nullptr) {
      request.sorted = SCANTUNE_SORTED_PAIRS;
      request.value_type = from.values->type->type;
    }
    python::run(request.head,
                {{SCANTUNE_INPUT, from.keys},
                 {SCANTUNE_OUTPUT, to.keys},
                 {SCANTUNE_VALUES, from.values},
                 {SCANTUNE_VALUES_OUTPUT, to.values},
                 {SCANTUNE_BEGINS, offsets == nullptr ? nullptr : &offsets->begins()},
                 {SCANTUNE_ENDS, offsets == nullptr ? nullptr : &offsets->ends()}},
                stream);
  }

  FirstItems items_;
  const Array& keys_;
  const Array& keys_out_;
  const Array* values_ = nullptr;
  const Array* values_out_ = nullptr;
  bool is_descending_, consumes_input_;
};

std::int32_t bit_of(const std::string& function, const char* name, const nb::object& bit, const ElementType& keys,
                    std::int32_t otherwise) {
  if (bit.is_none()) return otherwise;
  const std::uint64_t number = number_of(function, name, bit);
  if (number > keys.bits)
    refuse(nb::value_error, function,
           name + std::string(" is ") + std::to_string(number) + ", and keys of " + keys.name + " have " +
               std::to_string(keys.bits) + " bits");
  return static_cast<std::int32_t>(number);
}

struct KeyBits {
  nb::object begin, end;
};

void sort_into(const SortArguments& arguments, const KeyBits& bits, const nb::object& less) {
  const Comparison comparison(arguments.function, less);
  const Sorting sorting(arguments);
  scantune_sort_request request = SCANTUNE_SORT_REQUEST_INIT;
  request.begin_bit = bit_of(arguments.function, "begin_bit", bits.begin, sorting.key_type(), 0);
  request.end_bit = bit_of(arguments.function, "end_bit", bits.end, sorting.key_type(), SCANTUNE_ALL_BITS);
  if (request.end_bit == 0) request.end_bit = SCANTUNE_NO_BITS;  // 0 is all in a request
  comparison.put_into(request);
  sorting.run(request);
}

void segmented_sort_into(const SortArguments& arguments, const SegmentArguments& segments) {
  Sorting sorting(arguments);
  const SegmentOffsets offsets(sorting.items(), segments);
  scantune_sort_request request = SCANTUNE_SORT_REQUEST_INIT;
  offsets.put_into(request);
  if (offsets.number() > 0) sorting.run(request, &offsets);
}

}  // namespace

void add_sorts_into(nb::module_& module) {
  const auto any = nb::arg().none();
  module.def(
      "_sort_into",
      [](const std::string& function, const nb::object& d_in_keys, const nb::object& d_out_keys,
         const nb::object& d_in_values, const nb::object& d_out_values, const nb::object& num_items, bool is_descending,
         bool consumes_input, const nb::object& stream, const nb::object& begin_bit, const nb::object& end_bit,
         const nb::object& less) {
        sort_into({function, d_in_keys, d_out_keys, d_in_values, d_out_values, num_items, is_descending, consumes_input,
                   stream},
                  {begin_bit, end_bit}, less);
      },
      nb::arg(), any, any, any, any, any, nb::arg(), nb::arg(), any, any, any, any);
  module.def(
      "_segmented_sort_into",
      [](const std::string& function, const nb::object& d_in_keys, const nb::object& d_out_keys,
         const nb::object& d_in_values, const nb::object& d_out_values, const nb::object& num_items, bool is_descending,
         bool consumes_input, const nb::object& stream, const nb::object& num_segments, const nb::object& begins,
         const nb::object& ends) {
        segmented_sort_into({function, d_in_keys, d_out_keys, d_in_values, d_out_values, num_items, is_descending,
                             consumes_input, stream},
                            {num_segments, begins, ends});
      },
      nb::arg(), any, any, any, any, any, nb::arg(), nb::arg(), any, any, any, any);
}

}  // namespace scantune::python

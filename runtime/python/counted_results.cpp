#include "python/counted_results.h"

#include <string_view>

#include "python/fill.h"
#include "python/output.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

// What an array of a type is filled with.
nb::object fill_of(const Call& call, const ElementType& type, const nb::object& value) {
  if (type.is_floating()) return value;
  const bool is_boolean = nb::isinstance<nb::bool_>(value);
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    call.refuse(nb::type_error,
                "fill_value is " + spelled(value) + "; it must be an integer, as results are " + type.name);
  }
  if (!type.is_bool()) return number;
  if (!is_boolean && !number.equal(nb::int_(0)) && !number.equal(nb::int_(1)))
    call.refuse(nb::value_error, "fill_value is " + spelled(value) + "; it must be a bool, as results are");
  return nb::bool_(number);
}

}  // namespace

CountedResults::CountedResults(const Call& call, const Array& x, const std::vector<const ElementType*>& types,
                               const LengthArguments& arguments)
    : call_(call), stream_(call.stream_for(x)) {
  const bool has_out = !arguments.out.is_none(), has_size = !arguments.size.is_none();
  if (has_out == arguments.count.is_none())
    call.refuse(nb::type_error, has_out
                                    ? "out is given without count: pass an array of one integer for how many there are"
                                    : "count is given without out: pass an array for the results");
  if (has_out && has_size) call.refuse(nb::type_error, "size and out are both given: pass one of them");
  if (!has_size && !arguments.fill_value.is_none())
    call.refuse(nb::type_error, "fill_value is given without size: pass both, or neither");
  for (std::size_t i = 0; i < types.size(); ++i)
    names_.push_back(types.size() == 1 ? "out" : "out[" + std::to_string(i) + "]");
  if (has_out)
    take(types, arguments, x);
  else
    make(types, arguments, x);
}

void CountedResults::take(const std::vector<const ElementType*>& types, const LengthArguments& arguments,
                          const Array& x) {
  std::vector<nb::object> given;
  if (types.size() == 1) {
    given.push_back(arguments.out);
  } else {
    if (!nb::isinstance<nb::tuple>(arguments.out) || nb::len(arguments.out) != types.size())
      call_.refuse(nb::type_error, "out must be a tuple of " + std::to_string(types.size()) + " arrays");
    for (const nb::handle one : arguments.out) given.push_back(nb::borrow(one));
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string& name = names_[i];
    Array array = call_.output(name, given[i]);
    if (array.type != types[i])
      call_.refuse(nb::type_error,
                   name + " has items of " + std::string(array.type->name) + ", and results are " + types[i]->name);
    if (array.extents.size() != 1) call_.refuse(nb::value_error, name + " must have one dimension");
    if (i > 0 && array.size() != arrays_[0].size())
      call_.refuse(nb::value_error, name + " has another length than " + names_[0]);
    check_output(call_, name, array, shape_of(array), x);
    if (!is_contiguous(array)) call_.refuse(nb::value_error, name + " is not contiguous: pass another");
    for (std::size_t other = 0; other < i; ++other) check_apart(call_, name, array, names_[other], arrays_[other]);
    arrays_.push_back(std::move(array));
  }
  count_ = call_.output("count", arguments.count);
  call_.check_counts("count", count_);
  if (count_.size() != 1) call_.refuse(nb::value_error, "count must be an array of one integer");
  check_output(call_, "count", count_, shape_of(count_), x);
  for (std::size_t i = 0; i < arrays_.size(); ++i) check_apart(call_, "count", count_, names_[i], arrays_[i]);
  room_ = arrays_[0].size();
}

// What is beyond the results holds fill_value in the first array, and 0 in the others.
void CountedResults::make(const std::vector<const ElementType*>& types, const LengthArguments& arguments,
                          const Array& x) {
  is_made_ = true;
  is_cut_ = arguments.size.is_none();
  if (is_cut_) check_length_may_follow(call_, x);
  room_ = is_cut_ ? x.size() : number_of(call_.function(), "size", arguments.size);
  for (const ElementType* const type : types) {
    arrays_.push_back(call_.output("out", call_.made(x, {room_}, *type)));
    if (is_cut_) continue;
    const bool has_value = arrays_.size() == 1 && !arguments.fill_value.is_none();
    const nb::object value = has_value ? arguments.fill_value : nb::object(nb::int_(0));
    fill(call_, arrays_.back(), "fill_value", fill_of(call_, *type, value));
  }
  count_ = call_.output("count", call_.made(x, {}, *element_type(std::string_view("int64"))));
}

void CountedResults::check_apart_from(const std::string& name, const Array& input) const {
  for (std::size_t i = 0; i < arrays_.size(); ++i) check_apart(call_, names_[i], arrays_[i], name, input);
  check_apart(call_, "count", count_, name, input);
}

std::vector<nb::object> CountedResults::taken() const {
  std::vector<nb::object> results;
  results.reserve(arrays_.size());
  const nb::object count = is_cut_ ? nb::object(nb::int_(call_.returned(count_.object))) : nb::none();
  for (const Array& array : arrays_)
    results.push_back(is_cut_    ? nb::object(call_.returned(array.object)[nb::slice(nb::none(), count, nb::none())])
                      : is_made_ ? call_.returned(array.object)
                                 : array.object);
  return results;
}

}  // namespace scantune::python

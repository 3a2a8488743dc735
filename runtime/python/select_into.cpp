#include <algorithm>
#include <string>

#include "python/first_items.h"
#include "python/into.h"
#include "python/predicate.h"
#include "python/request_run.h"

namespace nb = nanobind;

namespace scantune::python {
namespace {

scantune_select_request request_for(const Array& x, const Array& counts) {
  scantune_select_request request = SCANTUNE_SELECT_REQUEST_INIT;
  request.head.n = x.size();
  request.input_type = x.type->type;
  request.count_type = counts.type->type;
  return request;
}

struct Select {
  std::string function;
  nb::object d_in, d_out, d_num_selected_out;
  std::string cond;
  nb::object num_items, stream;
};

void select_into(const Select& arguments) {
  FirstItems items(arguments.function, "d_in", arguments.d_in,
                   number_of(arguments.function, "num_items", arguments.num_items), arguments.stream);
  const Array& x = items.first();
  const Array& out = items.output("d_out", arguments.d_out, {});
  const Array& count = items.counts("d_num_selected_out", arguments.d_num_selected_out, 1);
  items.check_type("d_out", out, "d_in", *x.type);
  scantune_select_request request = request_for(x, count);
  const Predicate keeps(arguments.cond, *x.type);
  keeps.put_into(request);
  const std::uint64_t room = out.size();
  request.capacity = &room;
  run(request.head, {{SCANTUNE_INPUT, &x}, {SCANTUNE_OUTPUT, &out}, {SCANTUNE_COUNT, &count}}, items.stream());
}

struct ThreeWayPartition {
  std::string function;
  nb::object d_in, d_first_part_out, d_second_part_out, d_unselected_out, d_num_selected_out;
  std::string first_part, second_part;
  nb::object num_items, stream;
};

void three_way_partition_into(const ThreeWayPartition& arguments) {
  FirstItems items(arguments.function, "d_in", arguments.d_in,
                   number_of(arguments.function, "num_items", arguments.num_items), arguments.stream);
  const Array& x = items.first();
  const auto place = [&](const char* name, const nb::object& object) -> const Array& {
    const Array& out = items.output(name, object, {});
    items.check_type(name, out, "d_in", *x.type);
    return out;
  };
  const Array& first = place("d_first_part_out", arguments.d_first_part_out);
  const Array& second = place("d_second_part_out", arguments.d_second_part_out);
  const Array& rest = place("d_unselected_out", arguments.d_unselected_out);
  const Array& counts = items.counts("d_num_selected_out", arguments.d_num_selected_out, 2);
  scantune_select_request request = request_for(x, counts);
  request.rejected = SCANTUNE_APART;
  // Both sources define keep().
  const std::string source = "namespace first_part {\n" + arguments.first_part + "\n}\nnamespace second_part {\n" +
                             arguments.second_part +
                             "\n}\n__device__ int part(Value item) {\n"
                             "  return first_part::keep(item) ? 0 : second_part::keep(item) ? 1 : 2;\n}\n";
  const Predicate divides(source, *x.type, SCANTUNE_PARTS);
  divides.put_into(request);
  const std::uint64_t first_room = first.size(), second_room = second.size(), rest_room = rest.size();
  request.capacity = &first_room;
  request.second_capacity = &second_room;
  request.rejected_capacity = &rest_room;
  run(request.head,
      {{SCANTUNE_INPUT, &x},
       {SCANTUNE_OUTPUT, &first},
       {SCANTUNE_SECOND, &second},
       {SCANTUNE_REJECTED, &rest},
       {SCANTUNE_COUNT, &counts}},
      items.stream());
}

struct UniqueByKey {
  std::string function;
  nb::object d_in_keys, d_in_items, d_out_keys, d_out_items, d_out_num_selected, equal, num_items, stream;
};

void unique_by_key_into(const UniqueByKey& arguments) {
  FirstItems items(arguments.function, "d_in_keys", arguments.d_in_keys,
                   number_of(arguments.function, "num_items", arguments.num_items), arguments.stream);
  const Array& keys = items.first();
  const Array& values = items.input("d_in_items", arguments.d_in_items, keys.size());
  const Array& keys_out = items.output("d_out_keys", arguments.d_out_keys, {});
  const Array& values_out = items.output("d_out_items", arguments.d_out_items, {});
  const Array& count = items.counts("d_out_num_selected", arguments.d_out_num_selected, 1);
  items.check_type("d_out_keys", keys_out, "d_in_keys", *keys.type);
  items.check_type("d_out_items", values_out, "d_in_items", *values.type);
  scantune_select_request request = request_for(keys, count);
  request.criterion = SCANTUNE_UNIQUE;
  const bool has_source = !arguments.equal.is_none();
  const std::string source = has_source ? nb::cast<std::string>(arguments.equal) : "";
  const Predicate compares(source, *keys.type, SCANTUNE_UNIQUE_BY);
  if (has_source) compares.put_into(request);
  request.value_type = values.type->type;
  const std::uint64_t room = std::min(keys_out.size(), values_out.size());
  request.capacity = &room;
  run(request.head,
      {{SCANTUNE_INPUT, &keys},
       {SCANTUNE_VALUES, &values},
       {SCANTUNE_OUTPUT, &keys_out},
       {SCANTUNE_VALUES_OUTPUT, &values_out},
       {SCANTUNE_COUNT, &count}},
      items.stream());
}

}  // namespace

void add_selections_into(nb::module_& module) {
  const auto any = nb::arg().none();
  module.def(
      "_select_into",
      [](const std::string& function, const nb::object& d_in, const nb::object& d_out,
         const nb::object& d_num_selected_out, const std::string& cond, const nb::object& num_items,
         const nb::object& stream) {
        select_into({function, d_in, d_out, d_num_selected_out, cond, num_items, stream});
      },
      nb::arg(), any, any, any, nb::arg(), any, any);
  module.def(
      "_three_way_partition_into",
      [](const std::string& function, const nb::object& d_in, const nb::object& d_first_part_out,
         const nb::object& d_second_part_out, const nb::object& d_unselected_out, const nb::object& d_num_selected_out,
         const std::string& first_part, const std::string& second_part, const nb::object& num_items,
         const nb::object& stream) {
        three_way_partition_into({function, d_in, d_first_part_out, d_second_part_out, d_unselected_out,
                                  d_num_selected_out, first_part, second_part, num_items, stream});
      },
      nb::arg(), any, any, any, any, any, nb::arg(), nb::arg(), any, any);
  module.def(
      "_unique_by_key_into",
      [](const std::string& function, const nb::object& d_in_keys, const nb::object& d_in_items,
         const nb::object& d_out_keys, const nb::object& d_out_items, const nb::object& d_out_num_selected,
         const nb::object& equal, const nb::object& num_items, const nb::object& stream) {
        unique_by_key_into(
            {function, d_in_keys, d_in_items, d_out_keys, d_out_items, d_out_num_selected, equal, num_items, stream});
      },
      nb::arg(), any, any, any, any, any, any, any, any);
}

}  // namespace scantune::python

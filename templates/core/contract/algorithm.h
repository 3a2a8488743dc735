// The contract of algorithms, for the host compiler only. A request is to its algorithm what a config is to its family.
// An algorithm is one request struct, a specialisation of Algorithm for it, and its line in algorithms.h with
// its families.
#pragma once

#ifndef __CUDACC_RTC__

#include "core/contract/member.h"
#include "core/contract/operand.h"

namespace scantune {

// template <> struct Algorithm<XRequest> {
//   static constexpr const char* kName;               // in JSON, SQL, the worker's list and on the command line
//   static constexpr const char* kRequestName;        // the struct's own name, in the generated source
//   static constexpr const char* kProblemName;        // the name of the template that kernels take the request by
//   static constexpr Member<XRequest> kMembers[];     // in the order of their declaration
//   static constexpr Extent<XRequest> kExtents[];     // optional: the extents beside n
//   static constexpr OperandList operands(const XRequest&);
//   static constexpr XRequest compiled(XRequest);     // optional: equal for requests whose kernels are equal
//   static constexpr bool has_result_without_items(const XRequest&);  // optional: whether n = 0 launches anything
//   static constexpr const char* remark(const XRequest&);  // optional: what messages add to the members
// }; Next to it is the algorithm's rule for requests that no family supports, if its extents are not 0:
//   constexpr const char* unsupported_reason(const XRequest&);
// An operator, the member of type Operator, combines values of the member accumulator_type. XRequest has u64 n, the
// items, and input_bytes() and the like for the types of its operands. With value types that may be custom it has
// custom_bytes and custom_alignment.
template <class Request>
struct Algorithm;

}  // namespace scantune

#endif

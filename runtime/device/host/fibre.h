// Fibres: the one file that includes Boost.Context. Fibres are abandoned, never unwound, so the bare context switch
// serves better than boost::context::fiber, which unwinds what it destroys.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace scantune {

struct Fibre {
  boost::context::detail::fcontext_t context = nullptr;
};

using FibreTransfer = boost::context::detail::transfer_t;
using FibreEntry = void (*)(FibreTransfer);

inline void start_fibre(Fibre& fibre, void* stack_top, std::size_t stack_bytes, FibreEntry entry) {
  fibre.context = boost::context::detail::make_fcontext(stack_top, stack_bytes, entry);
}

// A resumed fibre first records where to continue the fibre that resumed it.
inline void keep_context(FibreTransfer transfer) { static_cast<Fibre*>(transfer.data)->context = transfer.fctx; }

// Returns when something switches back to `from`.
inline void switch_fibre(Fibre& from, Fibre& to) {
  keep_context(boost::context::detail::jump_fcontext(to.context, &from));
}

}  // namespace scantune

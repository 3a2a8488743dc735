// Segments of random lengths, any part of which can be computed independently.
#pragma once

#include "core/contract/types.h"

namespace scantune {

// The segments are the leaves of a tree. A node's items are split between its halves at random: so that lengths vary
// by some factors of two around their mean or, where they are extreme, so that most segments are empty, in long runs,
// and others hold most of the items.
class DrawnSegments {
 public:
  DrawnSegments(u64 segments, u64 n, u64 seed, bool is_extreme)
      : segments_(segments), n_(n), seed_(seed), is_extreme_(is_extreme) {}

  // Calls visit(segment, first item, one past the last item) for those segments, in order.
  template <class Visit>
  void visit_segments(u64 first, u64 end, const Visit& visit) const {
    walk({0, segments_, 0, n_}, [&](const Node& node) { return node.first < end && node.end > first; }, visit);
  }

  // The same of segments that hold some of those items.
  template <class Visit>
  void visit_items(u64 first, u64 end, const Visit& visit) const {
    walk(
        {0, segments_, 0, n_},
        [&](const Node& node) {
          return node.first_item < node.end_item && node.first_item < end && node.end_item > first;
        },
        visit);
  }

 private:
  struct Node {
    u64 first, end;  // segments
    u64 first_item, end_item;
  };

  template <class Reaches, class Visit>
  void walk(const Node& node, const Reaches& reaches, const Visit& visit) const {
    if (node.first == node.end || !reaches(node)) return;
    if (node.end - node.first == 1) return visit(node.first, node.first_item, node.end_item);
    const u64 middle = node.first + (node.end - node.first) / 2;
    const u64 item = node.first_item + items_of_first_half(node);
    walk({node.first, middle, node.first_item, item}, reaches, visit);
    walk({middle, node.end, item, node.end_item}, reaches, visit);
  }

  u64 items_of_first_half(const Node& node) const;

  u64 segments_, n_, seed_;
  bool is_extreme_;
};

}  // namespace scantune

// What a scan must return.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

#include "measure/parallel.h"
#include "measure/reference.h"
#include "measure/references/drawn_offsets.h"
#include "measure/references/drawn_starts.h"
#include "measure/references/running_value.h"
#include "measure/references/scan_inputs.h"

namespace scantune {

// It takes the items for lines of columns, of which a scan without columns has one; where there are rows or segments,
// its column starts again at each. It keeps a Running for each column at every band of lines but the first, and goes
// through a band from its first line. Threads share the bands, and the columns of wide ones.
template <class Running>
class ScannedItems final : public Reference {
 public:
  explicit ScannedItems(const KnownInput& input)
      : input_(input.spec),
        scan_(input.spec),
        exclusive_(scan_.request.kind == Kind::exclusive),
        row_items_(row_items(scan_.request)),
        columns_(scan_.request.segments == Segments::columns ? std::max<u64>(scan_.request.columns, 1) : 1),
        band_lines_(std::max(kLeastBandLines, ceil_div(kChunkItems, columns_))),
        bands_(ceil_div(ceil_div(items(), columns_), band_lines_)),
        blocks_(ceil_div(columns_, kBlockColumns)),
        start_(start_of<Running>(scan_)) {
    if (has_starts(scan_.request.segments)) starts_.emplace(input.spec);
    if (scan_.request.has_offsets()) offsets_.emplace(scan_.request, input.spec);
    if (request().writes_totals()) count_ends();
    if (bands_ <= 1) return;
    carries_.assign((bands_ - 1) * columns_, Running(scan_));
    std::vector<unsigned char> begins_in(bands_ - 1);  // whether a row or segment does
    parallel_for((bands_ - 1) * blocks_, [&](u64 task) {
      const Part part = part_of(0, task);
      std::vector<Running> totals(part.columns(), Running(scan_));  // its own cache lines, until they are complete
      bool begins_any = false;
      visit_items(input, part, items(), [&](u64, u64 column, ItemPlace place, const std::byte* item) {
        const bool begins = place == ItemPlace::first_of_segment;
        if (begins) totals[column] = Running(scan_);
        begins_any |= begins;
        totals[column].add_item(item);
        return true;
      });
      if (part.first_column == 0) begins_in[part.band] = begins_any;
      std::ranges::copy(totals, carries_.data() + place_of_carry(part.band + 1, part.first_column));
    });
    parallel_for(blocks_, [&](u64 block) {
      const Part part = part_of(0, block);
      std::vector<Running> before(part.columns(), start_);
      for (u64 band = 1; band < bands_; ++band) {
        for (u64 column = 0; column < part.columns(); ++column) {
          Running& its = carries_[place_of_carry(band, part.first_column + column)];
          if (begins_in[band - 1] != 0) before[column] = start_;
          before[column].add(its);
          its = before[column];
        }
      }
    });
  }

  u64 item_bytes() const override { return static_cast<u64>(request().output_bytes()); }
  u64 bytes() const override {
    return sizeof *this + carries_.capacity() * sizeof(Running) + ends_before_.capacity() * sizeof(u64);
  }

  u64 written(const RequestOperand& operand) const override {
    if (operand.role == OperandRole::count || !request().writes_totals()) return operand.items;
    return std::min(ends_before_.back(), operand.items);
  }

  void expect_beside(OperandRole role, u64 first, std::span<std::byte> expected) const override {
    if (role == OperandRole::count)
      return put_low_bytes(std::span(&ends_before_.back(), 1), bytes_of(request().count_width), expected);
    const auto bytes = static_cast<u64>(size_of(type_of(request().keys)));
    visit_ends(first, first + expected.size() / bytes,
               [&](u64 total, u64 index) { starts_->fill(index, expected.subspan((total - first) * bytes, bytes)); });
  }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    if (request().writes_totals()) return check_totals(first, found);
    const u64 end = first + found.size() / item_bytes();
    const u64 first_band = first / columns_ / band_lines_;
    const u64 end_band = ceil_div(ceil_div(end, columns_), band_lines_);
    std::atomic<u64> first_wrong = items();
    parallel_for((end_band - first_band) * blocks_, [&](u64 task) {
      const Part part = part_of(first_band, task);
      const u64 from = first_of(part, first);
      if (from >= std::min(end, first_wrong.load(std::memory_order_relaxed))) return;
      visit_outputs(input_, part, end, [&](u64 index, const Running* running, const std::byte* item) {
        if (index < from) return true;
        const std::byte* const its = found.data() + (index - first) * item_bytes();
        if (running != nullptr ? running->agrees(its) : is_untouched(its, item)) return true;
        for (u64 known = first_wrong.load(); index < known && !first_wrong.compare_exchange_weak(known, index);) {
        }
        return false;
      });
    });
    if (first_wrong == items()) return std::nullopt;
    return describe(first_wrong, found.data() + (first_wrong - first) * item_bytes());
  }

  void expect(const KnownInput& input, std::span<std::byte> output) const override {
    if (request().writes_totals()) {
      visit_totals(input, 0, output.size() / item_bytes(), [&](u64 total, u64, const Running& running) {
        running.output(output.data() + total * item_bytes());
        return true;
      });
      return;
    }
    parallel_for(bands_ * blocks_, [&](u64 task) {
      visit_outputs(input, part_of(0, task), items(), [&](u64 index, const Running* running, const std::byte*) {
        const auto its = output.subspan(index * item_bytes(), item_bytes());
        if (running != nullptr)
          running->output(its.data());
        else
          std::ranges::fill(its, kUnwritten);
        return true;
      });
    });
  }

 private:
  static constexpr u64 kLeastBandLines = 64;  // a Running takes about as many bytes, so it costs one for each item
  static constexpr u64 kBlockColumns = 256;   // items that are made at a time: they stay in the nearest cache

  // What one thread goes through: some columns of a band.
  struct Part {
    u64 band;
    u64 first_column;
    u64 end_column;

    u64 columns() const { return end_column - first_column; }
  };

  Part part_of(u64 first_band, u64 task) const {
    const u64 column = task % blocks_ * kBlockColumns;
    return {first_band + task / blocks_, column, std::min(column + kBlockColumns, columns_)};
  }

  const ScanRequest& request() const { return scan_.request; }
  u64 items() const { return request().n; }
  u64 place_of_carry(u64 band, u64 column) const { return (band - 1) * columns_ + column; }

  // The first row's start from an item on.
  u64 next_row(u64 item) const { return ceil_div(item, row_items_) * row_items_; }

  u64 first_of(u64 band) const { return band * band_lines_ * columns_; }

  // The part's first item from `index` on, or one past the part.
  u64 first_of(const Part& part, u64 index) const {
    index = std::max(index, first_of(part.band));
    const u64 line = index / columns_, column = index % columns_;
    if (column < part.first_column) return line * columns_ + part.first_column;
    return column < part.end_column ? index : (line + 1) * columns_ + part.first_column;
  }

  // Whether nothing has been written over what was in the place of the item's result.
  bool is_untouched(const std::byte* found, const std::byte* item) const {
    if (std::all_of(found, found + item_bytes(), [](std::byte byte) { return byte == kUnwritten; })) return true;
    return request().input_bytes() == request().output_bytes() && std::memcmp(found, item, item_bytes()) == 0;
  }

  // Calls visit(index, column of the part, place, item) for the part's items before `end`, in order of memory, until it
  // returns false; a row is a segment. Where the part has all columns its lines are one run of memory.
  template <class Visit>
  void visit_items(const KnownInput& input, const Part& part, u64 end, const Visit& visit) const {
    const u64 first = first_of(part.band), step = blocks_ == 1 ? band_lines_ * columns_ : columns_;
    const u64 run = blocks_ == 1 ? step : part.columns();
    end = std::min({end, first_of(part.band + 1), items()});
    const u64 input_bytes = static_cast<u64>(request().input_bytes());
    std::byte scratch[kBlockColumns * kMaxValueBytes];
    ItemPlace places[kBlockColumns] = {};
    u64 column = 0, row = next_row(first);
    for (u64 begin = first + part.first_column; begin < end; begin += step)
      for (u64 piece = begin; piece < std::min(begin + run, end); piece += kBlockColumns) {
        const u64 count = std::min({kBlockColumns, begin + run - piece, end - piece});
        const auto made = input.items(piece, std::span(scratch).first(count * input_bytes));
        if (offsets_) offsets_->place(piece, std::span(places).first(count));
        for (u64 item = 0; item < count; ++item) {
          ItemPlace place = places[item];
          const bool begins_row = piece + item == row && !offsets_;
          if (begins_row) row += row_items_;
          if (begins_row || (starts_ && starts_->at(piece + item))) place = ItemPlace::first_of_segment;
          if (!visit(piece + item, column, place, made.data() + item * input_bytes)) return;
          if (++column == part.columns()) column = 0;
        }
      }
  }

  // Calls visit(index, running, item) with the value that each of the part's outputs before `end` should have, or null
  // where the item is in no segment.
  template <class Visit>
  void visit_outputs(const KnownInput& input, const Part& part, u64 end, const Visit& visit) const {
    std::vector<Running> running(part.columns(), start_);
    if (part.band > 0)
      std::copy_n(carries_.data() + place_of_carry(part.band, part.first_column), part.columns(), running.begin());
    visit_items(input, part, end, [&](u64 index, u64 column, ItemPlace place, const std::byte* item) {
      if (place == ItemPlace::outside) return visit(index, static_cast<const Running*>(nullptr), item);
      if (place == ItemPlace::first_of_segment) running[column] = start_;
      if (!exclusive_) running[column].add_item(item);
      if (!visit(index, &std::as_const(running[column]), item)) return false;
      if (exclusive_) running[column].add_item(item);
      return true;
    });
  }

  // ---- totals: there are no columns, so a band is one part ----

  bool ends_at(u64 index) const { return index + 1 == items() || starts_->at(index + 1); }

  void count_ends() {
    ends_before_.assign(bands_ + 1, 0);
    parallel_for(bands_, [&](u64 band) {
      for (u64 index = first_of(band); index < std::min(first_of(band + 1), items()); ++index)
        ends_before_[band + 1] += ends_at(index);
    });
    std::partial_sum(ends_before_.begin(), ends_before_.end(), ends_before_.begin());
  }

  // Calls visit(band) for those that have some of the totals [first, end).
  template <class Visit>
  void visit_bands(u64 first, u64 end, const Visit& visit) const {
    parallel_for(bands_, [&](u64 band) {
      if (ends_before_[band + 1] > first && ends_before_[band] < end) visit(band);
    });
  }

  // Calls visit(total, index) for each of the totals [first, end), with the index of the last item of its segment.
  template <class Visit>
  void visit_ends(u64 first, u64 end, const Visit& visit) const {
    visit_bands(first, end, [&](u64 band) {
      u64 total = ends_before_[band];
      for (u64 index = first_of(band); index < std::min(first_of(band + 1), items()) && total < end; ++index)
        if (ends_at(index) && total++ >= first) visit(total - 1, index);
    });
  }

  // Calls visit(total, index, running) likewise, in the order of a band's totals until it returns false.
  template <class Visit>
  void visit_totals(const KnownInput& input, u64 first, u64 end, const Visit& visit) const {
    visit_bands(first, end, [&](u64 band) {
      u64 total = ends_before_[band];
      visit_outputs(input, part_of(band, 0), items(), [&](u64 index, const Running* running, const std::byte*) {
        if (running == nullptr || !ends_at(index)) return true;
        const u64 place = total++;
        return place < end && (place < first || visit(place, index, *running));
      });
    });
  }

  std::optional<Mismatch> check_totals(u64 first, std::span<const std::byte> found) const {
    std::mutex mutex;
    std::optional<Mismatch> wrong;
    visit_totals(input_, first, first + found.size() / item_bytes(), [&](u64 total, u64, const Running& running) {
      const std::byte* const its = found.data() + (total - first) * item_bytes();
      if (running.agrees(its)) return true;
      const std::lock_guard lock(mutex);
      if (!wrong || wrong->index > total) wrong = mismatch_of(request(), total, running, its);
      return false;
    });
    return wrong;
  }

  Mismatch describe(u64 wrong, const std::byte* found) const {
    std::optional<Mismatch> mismatch;
    const u64 band = wrong / columns_ / band_lines_, block = wrong % columns_ / kBlockColumns;
    visit_outputs(input_, part_of(band, block), wrong + 1, [&](u64 index, const Running* running, const std::byte*) {
      if (index == wrong)
        mismatch = running != nullptr
                       ? mismatch_of(request(), index, *running, found)
                       : Mismatch{index, "left as it was, in no segment", hexadecimal(found, request().output_bytes())};
      return true;
    });
    return *mismatch;
  }

  KnownInput input_;  // without its items
  ScanSpec scan_;
  std::optional<DrawnStarts> starts_;
  std::optional<DrawnOffsets> offsets_;
  bool exclusive_;
  u64 row_items_;
  u64 columns_;
  u64 band_lines_;
  u64 bands_;
  u64 blocks_;                    // of columns, which threads share
  std::vector<u64> ends_before_;  // of segments, before each band, and in all; where totals are written
  Running start_;                 // what comes before the first item of a row or column
  std::vector<Running> carries_;  // everything before each band but the first, the initial value included
};

}  // namespace scantune

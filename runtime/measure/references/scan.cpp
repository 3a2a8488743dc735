#include "measure/references/algorithm_reference.h"

#include <vector>

#include "measure/references/drawn_offsets.h"
#include "measure/references/drawn_starts.h"
#include "measure/references/reverse_of.h"
#include "measure/references/scanned_items.h"
#include "measure/verify.h"

namespace scantune {
namespace {

// A record serves other numbers of rows than its own: one long row, one that begins anywhere, and more than a few CTAs.
constexpr OtherExtents kOtherRows = {{1, Variant::any}, {2, Variant::aligned}, {33, Variant::any}};
// A record serves other numbers of columns, too: the largest takes tiles side by side, and its lines fill vectors.
constexpr OtherExtents kOtherColumns = {{1, Variant::any},  {2, Variant::aligned}, {7, Variant::any},
                                        {31, Variant::any}, {33, Variant::any},    {200, Variant::aligned}};

// The forward scan of the same items in the other order.
InputSpec forward_of(InputSpec spec) {
  auto scan = typed<ScanRequest>(spec.request);
  scan.direction = Direction::forward;
  spec.request = scan;
  spec.is_turned = true;
  return spec;
}

class ScanReference final : public AlgorithmReference {
 public:
  const AlgorithmModel& algorithm() const override { return algorithm_of<ScanRequest>(); }

  bool has(InputPattern pattern, const Request& request) const override {
    return applies_to_scan(pattern, typed<ScanRequest>(request));
  }
  void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) const override {
    const auto scan = typed<ScanRequest>(spec.request);
    if (scan.direction == Direction::forward) return fill_scan_input(ScanSpec(spec), first, out);
    const auto item_bytes = static_cast<u64>(scan.input_bytes());
    fill_scan_input(ScanSpec(forward_of(spec)), scan.n - first - out.size() / item_bytes, out);
    reverse_items(out, item_bytes);
  }
  void fill_beside(const InputSpec& spec, OperandRole role, u64 first, std::span<std::byte> out) const override {
    if (const auto scan = typed<ScanRequest>(spec.request); scan.has_offsets())
      return DrawnOffsets(scan, spec).fill(role, first, out);
    DrawnStarts(spec).fill(first, out);
  }
  void fill_init(const Request& request, unsigned char* init) const override {
    const auto scan = typed<ScanRequest>(request);
    if (scan.has_init()) fill_scan_init(scan, init);
  }

  std::unique_ptr<const Reference> reference(const KnownInput& input) const override {
    const auto scan = typed<ScanRequest>(input.spec.request);
    if (scan.direction == Direction::reverse)
      return std::make_unique<ReverseOf>(reference(forward_of(input.spec)), forward_of(input.spec));
    return reference_by<ScannedItems>(scan, input);
  }

  // Its chunks carry on from row to row, and from column to column.
  CheckKernels check_kernels(const Request& request) const override {
    if (typed<ScanRequest>(request).segments != Segments::none) return {};
    return {"scan/kernels/check_scan.h", {"fold_chunks", "fold_totals", "check_chunks"}};
  }

  // Where an initial value comes from hardly touches a kernel, so one kernel of each kind with it in memory is enough.
  std::vector<RequestVariant> also_served(const Request& request) const override {
    const auto with = [&](Kind kind, Init init) {
      auto scan = typed<ScanRequest>(request);
      scan.kind = kind;
      scan.init = init;
      return scan;
    };
    std::vector<RequestVariant> served{{with(Kind::inclusive, Init::none), Variant::aligned},
                                       {with(Kind::exclusive, Init::value), Variant::aligned},
                                       {with(Kind::inclusive, Init::memory), Variant::any},
                                       {with(Kind::exclusive, Init::memory), Variant::any}};
    const auto own = typed<ScanRequest>(request);
    if (own.has_offsets()) return served_by_offsets(own);
    if (own.writes_totals()) {
      std::erase_if(served, [](const RequestVariant& one) { return one.request.value<Kind>() == Kind::exclusive; });
      auto limited = own;
      limited.room = OutputRoom::limited;
      limited.capacity = std::min<u64>(own.n / 3, 1021);
      served.push_back({limited, Variant::any});
    }
    if (own.segments != Segments::none) {
      auto each = with(own.writes_totals() ? Kind::inclusive : Kind::exclusive, Init::each);
      if (has_starts(own.segments)) each.segment_count = kOtherKindsItems;
      if (unsupported_reason(each) == nullptr && invalid_starts_reason(each) == nullptr)
        served.push_back({each, Variant::any});
    }
    if (own.segments == Segments::rows) add_with_other(&ScanRequest::rows, kOtherRows, own, served);
    if (own.segments == Segments::columns) add_with_other(&ScanRequest::columns, kOtherColumns, own, served);
    return served;
  }

  bool repeats_bits(const Request& request) const override {
    return needs_fixed_association(typed<ScanRequest>(request));
  }

  Request same_results(const Request& request) const override {
    auto scan = typed<ScanRequest>(request);
    if (scan.init == Init::memory || scan.init == Init::each) scan.init = Init::value;
    if (has_starts(scan.segments)) scan.segment_count = 0;
    scan.n_source = NSource::call;
    return scan;
  }

 private:
  // Every form, width and source of a number, of a kind and an initial value, between them.
  static std::vector<RequestVariant> served_by_offsets(const ScanRequest& own) {
    auto wide = own, apart = own, widest = own, unsigned_apart = own, by_bounds = own, counted = own;
    wide.offset_type = OffsetType::i64;
    wide.count_source = CountSource::memory;
    wide.kind = Kind::exclusive;
    wide.init = Init::each;
    apart.offset_form = OffsetForm::begins_and_ends;
    widest.offset_type = OffsetType::u64;
    widest.count_source = CountSource::memory_32;
    widest.kind = Kind::inclusive;
    widest.init = Init::memory;
    unsigned_apart.offset_type = OffsetType::u32;
    unsigned_apart.offset_form = OffsetForm::begins_and_ends;
    unsigned_apart.kind = Kind::exclusive;
    unsigned_apart.init = Init::value;
    // Families of segments without gaps, which begin from one value, take neither `wide` nor what is apart.
    by_bounds.offset_type = OffsetType::i64;
    by_bounds.count_source = CountSource::memory;
    by_bounds.kind = Kind::exclusive;
    by_bounds.init = Init::value;
    counted.offset_type = OffsetType::u32;
    counted.kind = Kind::exclusive;
    counted.init = Init::memory;
    std::vector<RequestVariant> served = {{wide, Variant::aligned},      {apart, Variant::any},
                                          {widest, Variant::any},        {unsigned_apart, Variant::aligned},
                                          {by_bounds, Variant::aligned}, {counted, Variant::any}};
    add_with_other(&ScanRequest::segment_count, {{1, Variant::aligned}, {33, Variant::any}}, own, served);
    return served;
  }
};

}  // namespace

const AlgorithmReference& reference_of_scan() {
  static const ScanReference kScan;
  return kScan;
}

}  // namespace scantune

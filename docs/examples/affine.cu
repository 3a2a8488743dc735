// An operator of one's own, for `scantune --operator`: the composition of maps x -> a x + b, first f and then g. It is
// associative and does not commute. Horner's rule for a polynomial's value at z is a scan of maps (z, coefficient).
struct Value {
  float a, b;
};
__device__ Value combine(Value f, Value g) { return {g.a * f.a, g.a * f.b + g.b}; }

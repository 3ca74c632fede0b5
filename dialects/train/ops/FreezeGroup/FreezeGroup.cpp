// The interleaved schedule of grad_freeze: the definition, and the same in
// integers for devices.

#include "dialects/interfaces/LinalgHelpers.h"
#include "dialects/train/TrainDialect.h"
#include "runtime/abi/boost_random.h"
#include <cmath>

using namespace mlir;
using namespace boostc;
using namespace boostc::train;

static constexpr const char *kStream = "grad_freeze";
/// Steps are counted modulo this, so that products fit 64 bits.
static constexpr int64_t kMaxSteps = int64_t{1} << 31;

LogicalResult FreezeGroupOp::verify() {
  double share = getFullShare().convertToDouble();
  if (getGroups() >= 2 && getGroups() <= kMaxFreezeGroups && share >= 0.0 &&
      share <= 1.0 && static_cast<int64_t>(getLength()) >= 0)
    return success();
  return emitOpError("expected 2 to ")
         << kMaxFreezeGroups
         << " groups, a share from 0 to 1 and a length of 0 or more, found "
         << getGroups() << ", " << share << " and "
         << static_cast<int64_t>(getLength());
}

static int64_t getPeriod(FreezeGroupOp op) {
  auto length = static_cast<int64_t>(op.getLength());
  return length == 0 ? kMaxSteps : std::min(length, kMaxSteps);
}

/// As the schedule is defined: from the beginning to the step.
LogicalResult
FreezeGroupOp::evaluate(ReferenceContext &, ArrayRef<ReferenceValue> operands,
                        SmallVectorImpl<ReferenceValue> &results) {
  auto step = static_cast<int64_t>(operands[0].item());
  int64_t number = (step - 1) % getPeriod(*this), frozen = 0;
  double frozenShare = 1.0 - getFullShare().convertToDouble();
  bool isFrozen = false;
  for (int64_t s = 1; s <= number; ++s) {
    isFrozen =
        static_cast<double>(frozen) / static_cast<double>(s) < frozenShare;
    frozen += isFrozen;
  }
  int64_t group = 0;
  if (isFrozen) {
    auto groups = static_cast<uint64_t>(getGroups());
    uint64_t word = boost_random_block(static_cast<uint64_t>(getSeed()),
                                       boost_random_stream(kStream),
                                       static_cast<uint64_t>(number))
                        .word[0];
    uint64_t drawn = word * (groups * (groups - 1) / 2) >> 32;
    for (group = 1; drawn >= groups - group; ++group)
      drawn -= groups - group;
  }
  results.push_back(ReferenceValue::scalar(static_cast<double>(group)));
  return success();
}

/// It is exact.
ErrorBounds FreezeGroupOp::boundErrors(ReferenceContext &, ArrayRef<Bounded>,
                                       ArrayRef<ReferenceValue>) {
  return {};
}

namespace {

/// `numerator / 2^exponent`.
struct Dyadic {
  uint64_t numerator = 0;
  int exponent = 0;

  /// The midpoint of `x`, from 0 to 1, and the double below it; 0 for 0. What
  /// is below 2^-36 freezes one step of 2^31, as that does.
  static Dyadic below(double x) {
    if (x <= 0.0)
      return {0, 53};
    x = std::max(x, 0x1p-36);
    int low, high;
    double fraction = std::frexp(std::nextafter(x, 0.0), &low);
    auto sum = static_cast<uint64_t>(std::ldexp(fraction, 53));
    fraction = std::frexp(x, &high);
    sum += static_cast<uint64_t>(std::ldexp(fraction, 53)) << (high - low);
    return {sum, 54 - low};
  }
};

/// Emits arithmetic on i64. No number reaches 2^53, so that the interpreter,
/// whose numbers are doubles, computes the same.
class IntegerBuilder {
public:
  IntegerBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(uint64_t value) {
    return arith::ConstantOp::create(
        b, loc, b.getI64IntegerAttr(static_cast<int64_t>(value)));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value subtract(Value x, Value y) {
    return arith::SubIOp::create(b, loc, x, y);
  }
  Value multiply(Value x, uint64_t y) {
    return arith::MulIOp::create(b, loc, x, constant(y));
  }
  Value shiftRight(Value x, int bits) {
    return arith::ShRUIOp::create(b, loc, x, constant(bits));
  }
  Value lowBits(Value x, int bits) {
    return arith::AndIOp::create(b, loc, x,
                                 constant((uint64_t{1} << bits) - 1));
  }
  Value exclusiveOr(Value x, Value y) {
    return arith::XOrIOp::create(b, loc, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  /// 1 or 0.
  Value toNumber(Value condition) {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), condition);
  }

  /// ceil(m * s), s from 0 to 2^31: the numerator in three parts of 20 bits.
  Value ceilProduct(const Dyadic &m, Value s) {
    constexpr int kBits = 20;
    constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
    Value low = multiply(s, m.numerator & kMask);
    Value middle = add(multiply(s, m.numerator >> kBits & kMask),
                       shiftRight(low, kBits));
    Value high = add(multiply(s, m.numerator >> (2 * kBits)),
                     shiftRight(middle, kBits));
    int rest = m.exponent - 2 * kBits;
    Value lost = add(lowBits(low, kBits), lowBits(middle, kBits));
    lost = add(lost, lowBits(high, rest));
    Value up = compare(arith::CmpIPredicate::ne, lost, constant(0));
    return add(shiftRight(high, rest), toNumber(up));
  }

  /// The upper and the lower 32 bits of a product of numbers of 32 bits.
  std::pair<Value, Value> multiplyWide(Value x, uint32_t y) {
    Value low = multiply(lowBits(x, 16), y);
    Value high = add(multiply(shiftRight(x, 16), y), shiftRight(low, 16));
    return {shiftRight(high, 16),
            add(multiply(lowBits(high, 16), uint64_t{1} << 16),
                lowBits(low, 16))};
  }

  /// The first word of a block of random numbers.
  Value drawWord(uint64_t seed, uint64_t stream, Value counter) {
    Value c0 = lowBits(counter, 32), c1 = shiftRight(counter, 32);
    Value c2 = constant(stream & 0xffffffff), c3 = constant(stream >> 32);
    auto k0 = static_cast<uint32_t>(seed),
         k1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      auto [high0, low0] = multiplyWide(c0, 0xD2511F53u);
      auto [high1, low1] = multiplyWide(c2, 0xCD9E8D57u);
      c0 = exclusiveOr(exclusiveOr(high1, c1), constant(k0));
      c2 = exclusiveOr(exclusiveOr(high0, c3), constant(k1));
      c1 = low1;
      c3 = low0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    return c0;
  }

private:
  OpBuilder &b;
  Location loc;
};

} // namespace

FailureOr<SmallVector<Value>> FreezeGroupOp::lowerToLinalg(OpBuilder &builder) {
  using Predicate = arith::CmpIPredicate;
  Location loc = getLoc();
  auto groups = static_cast<uint64_t>(getGroups());
  Dyadic share = Dyadic::below(1.0 - getFullShare().convertToDouble());
  return SmallVector<Value>{buildElementwise(
      builder, loc, cast<RankedTensorType>(getType()), getStep(),
      [&](OpBuilder &b, Location at, ValueRange args) -> Value {
        IntegerBuilder i(b, at);
        Value zero = i.constant(0);
        Value s = arith::RemUIOp::create(
            b, at, i.subtract(args[0], i.constant(1)),
            i.constant(static_cast<uint64_t>(getPeriod(*this))));
        // Before s = 1 nothing is frozen, and s = 0 is not either.
        Value before =
            arith::SelectOp::create(b, at, i.compare(Predicate::eq, s, zero),
                                    zero, i.subtract(s, i.constant(1)));
        Value isFrozen = i.compare(Predicate::ugt, i.ceilProduct(share, s),
                                   i.ceilProduct(share, before));
        Value word = i.drawWord(static_cast<uint64_t>(getSeed()),
                                boost_random_stream(kStream), s);
        Value drawn =
            i.shiftRight(i.multiply(word, groups * (groups - 1) / 2), 32);
        Value group = i.constant(1);
        uint64_t end = 0; // of a group's share
        for (uint64_t k = 1; k + 1 < groups; ++k) {
          end += groups - k;
          group = i.add(group, i.toNumber(i.compare(Predicate::uge, drawn,
                                                    i.constant(end))));
        }
        Value chosen = arith::SelectOp::create(b, at, isFrozen, group, zero);
        return arith::TruncIOp::create(b, at, b.getI32Type(), chosen);
      })};
}

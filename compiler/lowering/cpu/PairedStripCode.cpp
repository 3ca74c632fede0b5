#include "compiler/lowering/cpu/PairedStripCode.h"
#include "compiler/lowering/cpu/VectorAccess.h"

using namespace mlir;
using namespace boostc;

PairedStripCode::PairedStripCode(OpBuilder &builder, Location loc,
                                 const TapSum &sum, const TapSumPlan &plan)
    : TapSumCode(builder, loc, sum, plan),
      sharesSource(sum.parts.front().source.vector == 0) {
  if (!plan.inPairs)
    return;
  PairedStrip strip = PairedStrip::get(sum, plan);
  auto reserve = [&](int64_t rows, int64_t width) {
    int64_t row = strip.pairs * width;
    TapOperand operand = reservePairs(strip.samples * rows * row);
    operand.sample = rows * row;
    operand.row = row;
    operand.column = width;
    operand.term = 2;
    return operand;
  };
  source = reserve(strip.sourceRows, strip.sourceWidth);
  image = reserve(strip.rows, strip.width);
  (sharesSource ? image : source).vector = 1;
}

PairedStripCode::Pairs PairedStripCode::pack(const TapPart &part,
                                             const Block &block,
                                             const Strip &strip,
                                             Value tapColumn, Range terms) {
  Range seen = getInsidePixels(part.columns, tapColumn);
  Pairs pairs{strip, terms.begin, seen.begin,
              quotient(subtract(seen.end, seen.begin), 2)};
  Value ofImage = offsetOf(part.weight, block, Value());
  ofImage = add(ofImage, times(seen.begin, part.weight.column));
  packImage(part.weight, image, ofImage, pairs, strip.rows, strip.rows.begin,
            part.weight.column, terms);

  Value first =
      plus(times(strip.rows.begin, part.rows.pixelStep), part.rows.constant);
  Value height = plus(
      times(subtract(strip.rows.end, strip.rows.begin), part.rows.pixelStep),
      part.rows.tapStep * (part.rows.taps - 1) + 1 - part.rows.pixelStep);
  Range rows{maximum(first, constant(0)),
             minimum(add(first, height), constant(part.rows.extent))};
  Value column = plus(add(times(seen.begin, part.columns.pixelStep),
                          times(tapColumn, part.columns.tapStep)),
                      part.columns.constant);
  Value ofSource = offsetOf(part.source, block, Value());
  ofSource = add(ofSource, times(column, part.source.column));
  packImage(part.source, source, ofSource, pairs, rows, first,
            part.columns.pixelStep * part.source.column, terms);
  return pairs;
}

void PairedStripCode::packImage(const TapOperand &image,
                                const TapOperand &target, Value corner,
                                const Pairs &pairs, Range rows, Value first,
                                int64_t step, Range terms) {
  Range samples = pairs.strip.samples;
  forEach(samples.begin, samples.end, [&](Value sample) {
    Value ofSample = add(corner, times(sample, image.sample));
    Value inSample = times(subtract(sample, samples.begin), target.sample);
    forEach(rows.begin, rows.end, [&](Value row) {
      Value ofRow = add(ofSample, times(row, image.row));
      Value inRow = add(inSample, times(subtract(row, first), target.row));
      forEach(constant(0), pairs.count, [&](Value pair) {
        packPair(image, target, add(ofRow, times(pair, 2 * step)),
                 add(inRow, times(pair, target.column)), step, terms);
      });
    });
  });
}

void PairedStripCode::packPair(const TapOperand &image,
                               const TapOperand &target, Value from, Value to,
                               int64_t step, Range terms) {
  int64_t lanes = plan.lanes;
  if (image.vector != 0) {
    Loads loads;
    for (int64_t vector = 0; vector < plan.vectors; ++vector) {
      Value pair = load(image, from, 0, vector, loads, step);
      storePacked(pair, target, plus(to, vector * 2 * lanes));
    }
    return;
  }
  auto type = VectorType::get({lanes}, builder.getBF16Type());
  forEach(terms.begin, terms.end, lanes, [&](Value term) {
    Value mask = emitMasks(builder, loc, lanes, 1, terms.end, term).front();
    Value offset = add(from, times(term, image.term));
    auto at = [&](int64_t shift) {
      return loadVector(builder, loc, type, getFlat(image.buffer),
                        plus(offset, shift), mask);
    };
    Value one = at(0);
    Value other = at(step);
    Value pair = interleave(one, other);
    storePacked(pair, target,
                add(to, times(subtract(term, terms.begin), target.term)));
  });
}

PairedStripCode::PairedRow PairedStripCode::getRow(const TapPart &part,
                                                   const Pairs &pairs,
                                                   Value sample, Value row,
                                                   Value tapRow, Value term) {
  sample = subtract(sample, pairs.strip.samples.begin);
  row = subtract(row, pairs.strip.rows.begin);
  auto at = [&](const TapOperand &operand, Value row) {
    return add(times(sample, operand.sample), times(row, operand.row));
  };
  Value ofImage = at(image, row);
  Value ofSource = at(source, add(times(row, part.rows.pixelStep),
                                  times(tapRow, part.rows.tapStep)));
  Value &shared = sharesSource ? ofSource : ofImage;
  shared = add(shared, times(subtract(term, pairs.firstTerm), source.term));
  return sharesSource ? PairedRow{ofSource, ofImage}
                      : PairedRow{ofImage, ofSource};
}

SmallVector<Value> PairedStripCode::multiplyPairs(const PairedRow &row,
                                                  Value pair, int64_t terms,
                                                  List<Value> sums) {
  const TapOperand &shared = sharesSource ? source : image;
  const TapOperand &own = sharesSource ? image : source;
  Value ofTerms = add(row.shared, times(pair, shared.column));
  Value ofVectors = add(row.vectors, times(pair, own.column));
  Loads pairs, vectors;
  unsigned number = 0;
  for (int64_t term = 0; term < terms; ++term)
    for (int64_t vector = 0; vector < plan.vectors; ++vector) {
      Value a = load(shared, ofTerms, term * shared.term, vector, pairs, 1);
      Value b = load(own, ofVectors, 0, vector, vectors, 1);
      sums[number] = multiplyAdd(a, b, sums[number]);
      ++number;
    }
  return sums;
}

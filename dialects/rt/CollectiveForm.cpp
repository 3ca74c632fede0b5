#include "dialects/rt/CollectiveForm.h"
#include "llvm/ADT/MapVector.h"
#include <bit>

using namespace mlir;
using namespace boostc;
using namespace boostc::rt;

/// `groups` has one number, of 0 or more, for each of the `operands` values of
/// `op`.
static LogicalResult verifyGroups(Operation *op, ArrayRef<int32_t> groups,
                                  size_t exchanged) {
  if (groups.size() == exchanged &&
      llvm::none_of(groups, [](int32_t group) { return group < 0; }))
    return success();
  return op->emitOpError("expected a group of 0 or more for each of ")
         << exchanged << " operands, found [" << groups << "]";
}

LogicalResult rt::verifyForm(Operation *op, const CollectiveForm &form,
                             size_t exchanged) {
  if (failed(verifyGroups(op, form.groups, exchanged)))
    return failure();
  bool isAdasum = form.kind == CollectiveKind::Adasum;
  if (isAdasum != (form.ranks == RankGroup::InterGroup))
    return op->emitOpError("is over '")
           << stringifyRankGroup(form.ranks)
           << "'; adasum, and it alone, is over 'inter_group'";
  if (form.kind != CollectiveKind::Broadcast && form.root != 0)
    return op->emitOpError("has root ")
           << form.root << ", which '" << stringifyCollectiveKind(form.kind)
           << "' does not use; expected none";
  return success();
}

void rt::numberCollectives(ArrayRef<func::FuncOp> functions) {
  uint32_t next = 0;
  for (func::FuncOp function : functions)
    for (auto collective : function.getOps<CollectiveOpInterface>())
      collective.setIndex(next++);
}

namespace {

/// The values of one operand on the ranks of a group, whose rows have `owners`,
/// and what rank `self` gets.
class Exchange {
public:
  Exchange(const CollectiveForm &form, ArrayRef<const ReferenceValue *> values,
           ArrayRef<int64_t> owners, int64_t self)
      : form(form), values(values), owners(owners), self(self),
        ranks(static_cast<int64_t>(values.size())) {}

  double getResult(int64_t element) const {
    switch (form.kind) {
    case CollectiveKind::AllReduce:
      return getSum(element);
    case CollectiveKind::ReduceScatter:
      return getOwner(element) == self ? getSum(element) : get(self, element);
    case CollectiveKind::AllGather:
      return get(getOwner(element), element);
    case CollectiveKind::Broadcast:
      return get((form.root % ranks + ranks) % ranks, element);
    case CollectiveKind::OwnSlice:
      return getOwner(element) == self ? get(self, element) : 0.0;
    case CollectiveKind::Adasum:
      break;
    }
    llvm_unreachable("Adasum has no meaning for one element");
  }

private:
  double get(int64_t rank, int64_t element) const {
    return values[rank]->data[element];
  }
  double getSum(int64_t element) const {
    double sum = 0;
    for (int64_t rank = 0; rank < ranks; ++rank)
      sum += get(rank, element);
    return sum;
  }
  /// Whose slice an element is in.
  int64_t getOwner(int64_t element) const {
    int64_t rows = static_cast<int64_t>(owners.size());
    return owners[element / (values.front()->size() / rows)];
  }

  const CollectiveForm &form;
  ArrayRef<const ReferenceValue *> values;
  ArrayRef<int64_t> owners;
  int64_t self, ranks;
};

} // namespace

/// Whose slice each row of a value is in. `first` is the first rank that has
/// one more where they do not come out even; then that of the next value.
static SmallVector<int64_t> dealRows(const ReferenceValue &value, int64_t ranks,
                                     int64_t &first) {
  int64_t rows = value.shape.empty() ? 1 : value.dim(0);
  SmallVector<int64_t> share(ranks, rows / ranks);
  for (int64_t i = 0; i < rows % ranks; ++i)
    ++share[first++ % ranks];
  SmallVector<int64_t> owners;
  for (auto [rank, count] : llvm::enumerate(share))
    owners.append(count, static_cast<int64_t>(rank));
  return owners;
}

std::vector<double> rt::combineByAdasum(ArrayRef<std::vector<double>> vectors) {
  size_t count = vectors.size();
  if (count == 1)
    return vectors[0];
  size_t middle = std::bit_floor(count - 1);
  std::vector<double> a = combineByAdasum(vectors.take_front(middle));
  std::vector<double> b = combineByAdasum(vectors.drop_front(middle));
  double product = 0, ofA = 0, ofB = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    ofA += a[i] * a[i];
    ofB += b[i] * b[i];
  }
  double share = double(middle) / double(count);
  double scaleA = ofA > 0 ? 1 - share * product / ofA : 1;
  double scaleB = ofB > 0 ? 1 - (1 - share) * product / ofB : 1;
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = scaleA * a[i] + scaleB * b[i];
  return a;
}

/// Every rank gets the same.
static RankValues evaluateAdasum(const CollectiveForm &form,
                                 ArrayRef<RankValues> operands) {
  llvm::MapVector<int32_t, SmallVector<size_t>> vectors;
  for (auto [i, group] : llvm::enumerate(form.groups))
    vectors[group].push_back(i);
  RankValues results(operands.front());
  for (const auto &[group, members] : vectors) {
    std::vector<std::vector<double>> brought;
    for (const RankValues &rank : operands) {
      std::vector<double> &whole = brought.emplace_back();
      for (size_t i : members)
        llvm::append_range(whole, rank[i].data);
    }
    std::vector<double> combined = combineByAdasum(brought);
    auto next = combined.begin();
    for (size_t i : members)
      for (double &element : results[i].data)
        element = *next++;
  }
  return results;
}

std::vector<RankValues> rt::evaluateOnRanks(const CollectiveForm &form,
                                            ArrayRef<RankValues> operands) {
  if (form.kind == CollectiveKind::Adasum)
    return std::vector<RankValues>(operands.size(),
                                   evaluateAdasum(form, operands));
  std::vector<RankValues> results(operands.begin(), operands.end());
  if (form.ranks == RankGroup::IntraGroup)
    return results; // of one rank each
  auto ranks = static_cast<int64_t>(operands.size());
  int64_t first = 0;
  for (size_t i = 0; i < operands.front().size(); ++i) {
    SmallVector<const ReferenceValue *> values;
    for (const RankValues &rank : operands)
      values.push_back(&rank[i]);
    SmallVector<int64_t> owners = dealRows(*values.front(), ranks, first);
    for (auto [self, result] : llvm::enumerate(results)) {
      Exchange exchange(form, values, owners, static_cast<int64_t>(self));
      for (int64_t element = 0; element < result[i].size(); ++element)
        result[i].data[element] = exchange.getResult(element);
    }
  }
  return results;
}

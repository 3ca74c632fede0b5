#include "runtime/comm/Group.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace boostrt {
namespace {

std::vector<uint32_t> allRanks(uint32_t size) {
  std::vector<uint32_t> ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

} // namespace

Group::Group(Transport &transport, std::vector<uint32_t> ranks)
    : transport_(transport), ranks_(std::move(ranks)) {
  auto self = std::find(ranks_.begin(), ranks_.end(), transport.rank());
  assert(self != ranks_.end() && "a group of the transport's own rank");
  self_ = static_cast<uint32_t>(self - ranks_.begin());
}

Group::Group(Transport &transport)
    : Group(transport, allRanks(transport.size())) {}

} // namespace boostrt

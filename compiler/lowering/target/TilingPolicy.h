// TilingPolicy.h - an option of passes that tile and split contractions.
#pragma once

namespace boostc {

/// Which contractions blocks of a GPU compute from factors that their threads
/// read together (SharedMemoryTiling.h), and which sums are computed in partial
/// sums, on GPUs and by threads of CPUs: those that are estimated to be faster,
/// all that can be, or none.
enum class TilingPolicy { Auto, Always, Never };

} // namespace boostc

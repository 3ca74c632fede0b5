// CallShape.h - what is asked of library calls of every kind.
#pragma once

#include "runtime/abi/boost_abi.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace boostrt::cuda {

/// Where operands stand among those of a call (BoostLibraryCall).
struct CallOperands {
  enum Number : size_t { A, B, Bias, C, Scratch, Count };
};

/// For the kernel that computes the same: without the scratch memory and
/// without a bias that is missing.
std::vector<uint64_t> fallbackOperands(std::span<const uint64_t> operands);

/// "matmul", "convolution_backward_data".
const char *nameOfCall(uint32_t kind);
bool isMatmul(const BoostLibraryCall &call);
bool isConvolution(const BoostLibraryCall &call);
bool hasBias(const BoostLibraryCall &call);
/// BoostFloatType of an operand that is not the scratch memory.
uint32_t typeOfOperand(const BoostLibraryCall &call,
                       CallOperands::Number number);
/// What A and B have, at most: "f32", "tf32", "bf16" or "f16".
const char *nameOfPrecision(const BoostLibraryCall &call);
/// Whether tensor cores are as exact as the call asks for.
bool allowsTensorCores(const BoostLibraryCall &call);
/// For C.
uint64_t countResults(const BoostLibraryCall &call);
/// Products that are added up for one element of C, at most.
int64_t countTerms(const BoostLibraryCall &call);

/// What is computed, how exactly and with how much scratch memory, in a word:
/// "matmul:128x512x784:784,1:1,784:bias:tf32:scratch33554432".
std::string describeCall(const BoostLibraryCall &call);

} // namespace boostrt::cuda

#!/bin/sh
# make.sh - makes the .ptx of this folder from its sources, as they were made for
# the tests. Needs LLVM/MLIR 22 and a CUDA 13 toolkit; the tests need neither.
set -e
cd "$(dirname "$0")"
cuda=${CUDA_HOME:-/usr/local/cuda}
llvm=${LLVM_BIN:-/usr/lib/llvm-22/bin}
note() { printf '// Made from %s by make.sh: %s\n' "$1" "$2"; cat; }

"$cuda/bin/nvcc" -ptx -arch=sm_80 -O3 -lineinfo samples.cu -o samples.tmp
# The last lines name files and debugging strings of this machine.
sed -e '/^\t\.section/,$d' -e '/^\t\.file/d' -e 's/, function_name.*//' samples.tmp > samples.body
printf '\t.file\t1 "samples.cu"\n' >> samples.body
note samples.cu 'nvcc -ptx -arch=sm_80 -O3 -lineinfo' < samples.body > samples.ptx

"$llvm/mlir-opt" rows.mlir --pass-pipeline='builtin.module(gpu.module(convert-vector-to-scf,convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-index-to-llvm,convert-arith-to-llvm,reconcile-unrealized-casts),nvvm-attach-target{chip=sm_80 features=+ptx80 O=3},gpu-module-to-binary{format=isa})' |
  sed -n 's/.*assembly = "\(.*\)">\].*/\1/p' | sed -e 's/\\0A/\n/g' -e 's/\\09/\t/g' -e 's/\\22/"/g' -e 's/\\00//g' > rows.body
note rows.mlir 'mlir-opt, gpu to nvvm to PTX for sm_80' < rows.body > rows.ptx

"$llvm/llc" -march=nvptx64 -mcpu=sm_80 -mattr=+ptx80 -O3 probe.ll -o - |
  note probe.ll 'llc -mcpu=sm_80 -mattr=+ptx80 -O3' > probe.ptx

"$llvm/llvm-link" --only-needed libdevice.ll "$cuda/nvvm/libdevice/libdevice.10.bc" -o libdevice.tmp
"$llvm/opt" '-passes=internalize,default<O3>' "-internalize-public-api-list=$(grep -o 'k_[a-z0-9]*' libdevice.ll | paste -sd,)" libdevice.tmp -o libdevice.opt
"$llvm/llc" -march=nvptx64 -mcpu=sm_80 -mattr=+ptx80 -O3 libdevice.opt -o - |
  note libdevice.ll 'llvm-link with libdevice, opt -O3, llc -mcpu=sm_80' > libdevice.ptx
for ptx in *.ptx; do "$cuda/bin/ptxas" -arch=sm_80 "$ptx" -o ptxas.tmp; done
rm -f ./*.tmp ./*.body ./*.opt

; libdevice.ll - one kernel for each function of libdevice: y[i] = f(x[i]), or
; f(x[i], y[i]). Made into libdevice.ptx by make.sh.
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @__nv_expf(float)
declare float @__nv_tanhf(float)
declare float @__nv_sinf(float)
declare float @__nv_cosf(float)
declare float @__nv_logf(float)
declare float @__nv_log1pf(float)
declare float @__nv_erff(float)
declare float @__nv_sqrtf(float)
declare float @__nv_rsqrtf(float)
declare float @__nv_exp2f(float)
declare float @__nv_log2f(float)
declare float @__nv_expm1f(float)
declare float @__nv_atanf(float)
declare float @__nv_tanf(float)
declare float @__nv_cbrtf(float)
declare float @__nv_powf(float, float)
declare float @__nv_fmodf(float, float)
declare double @__nv_exp(double)
declare double @__nv_log(double)
declare double @__nv_pow(double, double)
declare double @__nv_cos(double)
declare double @__nv_sin(double)
define ptx_kernel void @k_expf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_expf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_tanhf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_tanhf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_sinf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_sinf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_cosf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_cosf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_logf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_logf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_log1pf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_log1pf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_erff(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_erff(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_sqrtf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_sqrtf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_rsqrtf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_rsqrtf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_exp2f(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_exp2f(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_log2f(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_log2f(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_expm1f(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_expm1f(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_atanf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_atanf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_tanf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_tanf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_cbrtf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %r = call float @__nv_cbrtf(float %v)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_powf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %w = load float, ptr addrspace(1) %q
  %r = call float @__nv_powf(float %v, float %w)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_fmodf(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr addrspace(1) %x, i32 %t
  %q = getelementptr float, ptr addrspace(1) %y, i32 %t
  %v = load float, ptr addrspace(1) %p
  %w = load float, ptr addrspace(1) %q
  %r = call float @__nv_fmodf(float %v, float %w)
  store float %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_exp(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr double, ptr addrspace(1) %x, i32 %t
  %q = getelementptr double, ptr addrspace(1) %y, i32 %t
  %v = load double, ptr addrspace(1) %p
  %r = call double @__nv_exp(double %v)
  store double %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_log(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr double, ptr addrspace(1) %x, i32 %t
  %q = getelementptr double, ptr addrspace(1) %y, i32 %t
  %v = load double, ptr addrspace(1) %p
  %r = call double @__nv_log(double %v)
  store double %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_pow(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr double, ptr addrspace(1) %x, i32 %t
  %q = getelementptr double, ptr addrspace(1) %y, i32 %t
  %v = load double, ptr addrspace(1) %p
  %w = load double, ptr addrspace(1) %q
  %r = call double @__nv_pow(double %v, double %w)
  store double %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_cos(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr double, ptr addrspace(1) %x, i32 %t
  %q = getelementptr double, ptr addrspace(1) %y, i32 %t
  %v = load double, ptr addrspace(1) %p
  %r = call double @__nv_cos(double %v)
  store double %r, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @k_sin(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr double, ptr addrspace(1) %x, i32 %t
  %q = getelementptr double, ptr addrspace(1) %y, i32 %t
  %v = load double, ptr addrspace(1) %p
  %r = call double @__nv_sin(double %v)
  store double %r, ptr addrspace(1) %q
  ret void
}

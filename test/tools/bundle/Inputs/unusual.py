"""What tools/bundle says of a program that was compiled for one maker's CPUs."""

import importlib.machinery
import importlib.util
import json
import sys

loader = importlib.machinery.SourceFileLoader("bundle", f"{sys.argv[1]}/tools/bundle")
spec = importlib.util.spec_from_loader("bundle", loader)
bundle = importlib.util.module_from_spec(spec)
loader.exec_module(bundle)

sys.stderr = sys.stdout
for features in ("sse2,avx2,sse4a,clzero", "sse2,avx512f"):
    info = {"targets": [{"kind": "cpu", "requirements": features}, {"kind": "cuda"}]}
    bundle.output_of = lambda command: json.dumps(info)
    bundle.check_program("boost-run", "p.so")

#!/usr/bin/env python3
"""Stands in for ptxas: its "cubin" lists the kernels of the PTX.

With FAIL_FOR=sm_90:KERNEL it fails for the text that has the kernel, for that architecture.
"""

import os
import re
import sys

arch, source, output = sys.argv[1].removeprefix("-arch="), sys.argv[2], sys.argv[4]
with open(source, encoding="utf-8") as file:
    kernels = re.findall(r"\.visible \.entry (\w+)", file.read())
failing, _, kernel = os.environ.get("FAIL_FOR", "").partition(":")
if arch == failing and kernel in kernels:
    sys.exit(f"ptxas fatal: no registers for {kernel}")
with open(output, "w", encoding="utf-8") as file:
    file.write(f"<cubin {arch} {' '.join(kernels)}>")

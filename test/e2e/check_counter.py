#!/usr/bin/env python3
"""check_counter.py FILE NAME VALUE: fails unless this tensor of FILE is this i64."""

import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from data_files import read_header

file, name, expected = sys.argv[1:]
header, data = read_header(file)
begin, end = header[name]["data_offsets"]
(found,) = struct.unpack("<q", pathlib.Path(file).read_bytes()[data + begin:data + end])
if found != int(expected):
    sys.exit(f"{file}: {name} is {found}, expected {expected}")

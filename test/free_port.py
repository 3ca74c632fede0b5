"""Ports where the ranks of a test meet."""

import random
import socket


def end_of_range():
    """The port at which Linux begins to number the ends of connections: one of those could take
    a port before the test listens, so all of ours are below."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
            first = int(file.read().split()[0])
    except (OSError, ValueError):
        return 32768
    # Some systems leave no port between those for root and these.
    return first if first > 2048 else 32768


def free_ports(count):
    """Different ports of 127.0.0.1 that nothing listens on."""
    ports, end = set(), end_of_range()
    while len(ports) < count:
        port = random.randrange(1025, end)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            ports.add(port)
    return list(ports)


def free_port():
    return free_ports(1)[0]

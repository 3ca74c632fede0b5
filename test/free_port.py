"""Ports where the ranks of a test meet."""

import random
import socket


def free_port():
    """A port of 127.0.0.1 that nothing listens on. It is below 32768, where Linux begins to
    number the ends of connections: one of those could take it before the test listens."""
    while True:
        port = random.randrange(20000, 32768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port

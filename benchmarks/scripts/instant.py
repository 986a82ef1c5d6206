"""A client that answers at once: it sends recorded answers, one for every request it sees.

    python instant.py PORT CODE FILE

FILE holds the answers, each with its length in four bytes before it. Nothing is parsed, so what is
measured with this client is the other side and the wire.
"""

import socket
import struct
import sys


def answers(path):
    with open(path, "rb") as file:
        data = file.read()
    while data:
        (size,) = struct.unpack_from(">I", data)
        yield data[4 : 4 + size]
        data = data[4 + size :]


def main(port, code, path):
    line = socket.create_connection(("127.0.0.1", int(port)))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    line.sendall(b'<protocol><joinPrepared reservationCode="%s"/>' % code.encode())
    room, seen, waiting = None, b"", answers(path)
    while chunk := line.recv(1 << 18):
        seen = seen[-64:] + chunk
        if room is None and b'<joined roomId="' in seen:
            room = seen.partition(b'<joined roomId="')[2].partition(b'"')[0]
        if b'class="moveRequest"' in seen:
            line.sendall(next(waiting).replace(b"ROOM", room))
            seen = b""
        elif b"<left " in seen:
            return


main(*sys.argv[1:])

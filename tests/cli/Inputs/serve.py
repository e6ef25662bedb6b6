"""serve.py FILE SECONDS: accepts connections of this machine; its port goes to
FILE."""
import socket
import sys

server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(64)
server.settimeout(float(sys.argv[2]))
with open(sys.argv[1], "w") as out:
    out.write(str(server.getsockname()[1]))
try:
    while True:
        server.accept()[0].close()
except OSError:
    pass

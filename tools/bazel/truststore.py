"""Writes a Java trust store from the machine's PEM bundle: truststore.py BUNDLE OUT.

Bazel downloads through Java, which does not read PEM; the JKS format of trusted certificates is
simple enough that no `keytool` is needed.
"""

import hashlib
import pathlib
import re
import ssl
import struct
import sys

_MAGIC, _VERSION, _TRUSTED_CERTIFICATE = 0xFEEDFEED, 2, 2
_PASSWORD = "changeit"  # Java's default; the store holds nothing secret
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


def _utf(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">H", len(data)) + data


def jks(certificates: list[bytes]) -> bytes:
    """Returns a JKS store that trusts the DER-encoded `certificates`."""
    store = struct.pack(">III", _MAGIC, _VERSION, len(certificates))
    for index, der in enumerate(certificates):
        creation_time = 0
        store += struct.pack(">I", _TRUSTED_CERTIFICATE) + _utf(f"ca{index}")
        store += struct.pack(">Q", creation_time) + _utf("X.509")
        store += struct.pack(">I", len(der)) + der
    # The digest that the format prescribes, salt included.
    salt = _PASSWORD.encode("utf-16-be") + b"Mighty Aphrodite"
    return store + hashlib.sha1(salt + store).digest()


if __name__ == "__main__":
    bundle, out = map(pathlib.Path, sys.argv[1:])
    pems = _CERTIFICATE.findall(bundle.read_text(encoding="latin-1"))
    out.write_bytes(jks([ssl.PEM_cert_to_DER_cert(pem) for pem in pems]))

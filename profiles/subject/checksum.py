"""The command under test: hash a buffer some rounds."""

import hashlib

ROUNDS = 24
MEBIBYTE = bytes(range(256)) * 4096

digest = hashlib.sha256()
for _ in range(ROUNDS * 8):
    digest.update(MEBIBYTE)
print(digest.hexdigest())

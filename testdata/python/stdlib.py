# Do compiled modules of the standard library load in every rank, each with its own state?
import os
import math, _ctypes, _decimal, ctypes, decimal, json, struct, threading, zlib, hashlib, random, time

rank = int(os.environ["AMPI_RANK"])
decimal.getcontext().prec = 10 + rank
third = decimal.Decimal(1) / 3
assert str(third) == "0." + "3" * (10 + rank), third
random.seed(rank)
first = random.random()
time.sleep(0.01)  # the other ranks run
random.seed(rank)
assert random.random() == first
assert decimal.getcontext().prec == 10 + rank
assert math.isclose(math.cos(rank) ** 2 + math.sin(rank) ** 2, 1)
assert zlib.decompress(zlib.compress(b"x" * 1000)) == b"x" * 1000
assert json.loads(json.dumps({"rank": rank})) == {"rank": rank}
assert hashlib.sha256(b"").hexdigest().startswith("e3b0c442")

# A function called back from C, and an error number of the rank's own.
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
numbers = (ctypes.c_int * 5)(5, 3, rank + 10, 1, 4)
libc = ctypes.CDLL(None, use_errno=True)
libc.qsort(numbers, 5, 4, compare(lambda a, b: a[0] - b[0]))
assert list(numbers) == [1, 3, 4, 5, rank + 10]
assert libc.chdir(b"/no/such/folder") == -1 and ctypes.get_errno() == 2

total = []
threads = [threading.Thread(target=lambda: total.append(rank)) for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert total == [rank] * 3
print("PASS stdlib", rank)

# Does numpy, with its BLAS, work in every rank?
import os
import numpy as np

rank = int(os.environ["AMPI_RANK"])
generator = np.random.default_rng(rank)
a = generator.random((60, 60)) + np.eye(60) * 60
assert np.allclose(a @ np.linalg.inv(a), np.eye(60))
values, vectors = np.linalg.eigh(a + a.T)
assert np.allclose((a + a.T) @ vectors, vectors * values)
assert np.allclose(np.fft.ifft(np.fft.fft(a)), a)
with np.errstate(divide="ignore"):
    assert np.isinf(np.float64(1) / np.zeros(1))[0]
assert np.arange(10 ** 6).sum() == 10 ** 6 * (10 ** 6 - 1) // 2
print("PASS array", rank)

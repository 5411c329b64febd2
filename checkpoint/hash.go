package checkpoint

import (
	"encoding/hex"

	"github.com/zeebo/xxh3"
)

// Hash is XXH3 of 128 bits (github.com/Cyan4973/xxHash, seed 0), in the canonical order of bytes: the high half first,
// both big-endian.
type Hash [16]byte

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText is String, for JSON.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

func hashOf(data []byte) Hash { return xxh3.Hash128(data).Bytes() }

package main

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"
	"github.com/zeebo/xxh3"
)

// Parts of a manifest: docs/checkpoint-format.md.
const (
	manifestHead   = 24
	manifestLength = 16 // where the length of the CBOR is
	manifestSum    = 16
)

var decoding, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode()

// forge changes fields or bytes of a manifest, and signs it again.
func (c *trial) forge(data []byte) []byte {
	if len(data) < manifestHead+manifestSum+1 {
		return data
	}
	content := slices.Clone(data[manifestHead : len(data)-manifestSum])
	var fields any
	if c.between(0, 3) > 0 && decoding.Unmarshal(content, &fields) == nil {
		for range c.between(1, 2) {
			fields = c.forgeField(fields)
		}
		if changed, err := cbor.Marshal(fields); err == nil {
			content = changed
		}
	} else {
		for range c.between(1, 4) {
			content[c.random.IntN(len(content))] ^= 1 << c.random.IntN(8)
		}
	}
	return sign(data[:manifestHead], content)
}

// sign puts a manifest together whose checksum is right.
func sign(head, content []byte) []byte {
	data := append(slices.Clone(head), content...)
	binary.LittleEndian.PutUint64(data[manifestLength:], uint64(len(content)))
	sum := xxh3.Hash128(data).Bytes()
	return append(data, sum[:]...)
}

// forgeField changes something in a value, and gives it.
func (c *trial) forgeField(value any) any {
	switch v := value.(type) {
	case map[any]any:
		if len(v) > 0 {
			keys := slices.SortedFunc(maps.Keys(v), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			key := keys[c.random.IntN(len(keys))]
			if _, hasJob := v["job"]; hasJob && c.between(0, 2) > 0 {
				key = "job" // what checksums of pages say nothing of
			}
			v[key] = c.forgeField(v[key])
		}
		return v
	case []any:
		return c.forgeList(v)
	case uint64, int64:
		some := []any{-1, 0, 1, 2, uint64(1) << 31, uint64(1) << 40, ^uint64(0), -1 << 62, c.random.Uint64() >> c.random.IntN(64)}
		return some[c.random.IntN(len(some))]
	case string:
		return []any{"", "x", v + "\x00", "../" + v, "/" + v}[c.between(0, 4)]
	case []byte:
		return c.forgeBytes(v)
	case bool:
		return !v
	}
	return value
}

func (c *trial) forgeList(v []any) any {
	switch kind := c.between(0, 4); {
	case len(v) == 0 || kind == 0:
		return []any{}
	case kind == 1:
		return v[:len(v)-1]
	case kind == 2:
		return append(v, v[0])
	}
	i := c.random.IntN(len(v))
	v[i] = c.forgeField(v[i])
	return v
}

func (c *trial) forgeBytes(v []byte) []byte {
	if len(v) == 0 || c.between(0, 4) == 0 {
		return nil
	}
	v = slices.Clone(v)
	v[c.random.IntN(len(v))] ^= 1 << c.random.IntN(8)
	return v
}

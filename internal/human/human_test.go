package human

import (
	"testing"
	"time"
)

func TestNumbersForPeople(t *testing.T) {
	for got, want := range map[string]string{
		Bytes(0): "0 B", Bytes(1023): "1023 B", Bytes(1 << 10): "1.0 KiB", Bytes(5 << 29): "2.5 GiB", Bytes(1<<64 - 1): "16.0 EiB",
		Count(0): "0", Count(9999): "9999", Count(12345): "12 k", Count(2.5e6): "2.5 M", Count(3e9): "3.0 G",
		Time(1500 * time.Nanosecond): "1.5 us", Time(20 * time.Millisecond): "20.0 ms", Time(59 * time.Second): "59.0 s", Time(3661 * time.Second): "1:01:01",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

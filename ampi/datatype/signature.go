package datatype

import "math"

// Run is a part of a type's signature: Count elements of one basic type, or Count times the runs of Body.
type Run struct {
	Basic    uint64 // handle of a predefined type that is not a pair; 0 when Body is set
	Count    int64
	Body     []Run
	Bytes    int64 // in memory, of one repetition
	Elements int64 // basic ones, of one repetition
}

func basicRun(basic uint64, size int64) Run {
	return Run{Basic: basic, Count: 1, Bytes: size, Elements: 1}
}

func bodyRun(n int64, body []Run) Run {
	return Run{Count: n, Body: body, Bytes: sigBytes(body), Elements: sigElements(body)}
}

func sameRuns(a, b []Run) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) > 0 && &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if !sameRun(&a[i], &b[i]) || a[i].Count != b[i].Count {
			return false
		}
	}
	return true
}

// sameRun says whether one repetition of both is the same.
func sameRun(a, b *Run) bool {
	return a.Basic == b.Basic && a.Bytes == b.Bytes && sameRuns(a.Body, b.Body)
}

// repeatRuns is the signature of n > 0 elements.
func repeatRuns(runs []Run, n int64) []Run {
	if n == 1 || len(runs) == 0 {
		return runs
	}
	if len(runs) == 1 {
		r := runs[0]
		r.Count *= n
		return []Run{r}
	}
	return []Run{bodyRun(n, runs)}
}

// appendRuns puts more after list; it may change the last run of list. Long lists stay shared, as those of loops.
func appendRuns(list, more []Run) []Run {
	if len(more) >= shareFrom {
		return appendRun(list, bodyRun(1, more))
	}
	for _, r := range more {
		list = appendRun(list, r)
	}
	return list
}

func appendRun(list []Run, r Run) []Run {
	if n := len(list); n > 0 && sameRun(&list[n-1], &r) {
		list[n-1].Count += r.Count
		return list
	}
	return append(list, r)
}

func sigBytes(runs []Run) (n int64) {
	for i := range runs {
		n += runs[i].Count * runs[i].Bytes
	}
	return n
}

func sigElements(runs []Run) (n int64) {
	for i := range runs {
		n += runs[i].Count * runs[i].Elements
	}
	return n
}

// Elements is how many basic elements `bytes` bytes of packed elements of the type hold, as MPI_Get_elements counts them.
// whole is false when the last element is incomplete.
func (l *Layout) Elements(bytes int64) (n int64, whole bool) {
	if l.Size == 0 {
		return 0, bytes == 0
	}
	n = bytes / l.Size * sigElements(l.Sig)
	part, rest := prefix(l.Sig, bytes%l.Size)
	return n + part, rest == 0
}

// prefix counts the elements of runs that lie in the first bytes, and the bytes of the element that is cut.
func prefix(runs []Run, bytes int64) (n, rest int64) {
	for i := range runs {
		one := runs[i].Bytes
		times := min(bytes/one, runs[i].Count)
		n += times * runs[i].Elements
		bytes -= times * one
		if times < runs[i].Count {
			if runs[i].Body == nil {
				return n, bytes
			}
			part, rest := prefix(runs[i].Body, bytes)
			return n + part, rest
		}
	}
	return n, bytes
}

// BytesOf is the size of the first n basic elements of as many elements of the type as they need, as
// MPI_Status_set_elements takes them; false when that is more than an int64 holds.
func (l *Layout) BytesOf(n int64) (bytes int64, fits bool) {
	per := sigElements(l.Sig)
	if per == 0 {
		return 0, true
	}
	whole, part := n/per, bytesOf(l.Sig, n%per)
	if l.Size > 0 && whole > (math.MaxInt64-part)/l.Size {
		return 0, false
	}
	return whole*l.Size + part, true
}

func bytesOf(runs []Run, n int64) int64 {
	var bytes int64
	for i := range runs {
		per := runs[i].Elements
		times := min(n/per, runs[i].Count)
		bytes += times * runs[i].Bytes
		n -= times * per
		if times < runs[i].Count {
			return bytes + bytesOf(runs[i].Body, n)
		}
	}
	return bytes
}

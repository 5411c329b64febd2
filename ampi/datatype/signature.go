package datatype

// Run is a part of a type's signature: Count elements of one basic type, or Count times the runs of Body.
type Run struct {
	Basic uint64 // handle of a predefined type that is not a pair; 0 when Body is set
	Count int64
	Body  []Run
}

func sameRuns(a, b []Run) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) > 0 && &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if a[i].Basic != b[i].Basic || a[i].Count != b[i].Count || !sameRuns(a[i].Body, b[i].Body) {
			return false
		}
	}
	return true
}

// repeatRuns is the signature of n > 0 elements.
func repeatRuns(runs []Run, n int64) []Run {
	if n == 1 || len(runs) == 0 {
		return runs
	}
	if len(runs) == 1 {
		return []Run{{Basic: runs[0].Basic, Count: runs[0].Count * n, Body: runs[0].Body}}
	}
	return []Run{{Count: n, Body: runs}}
}

// appendRuns puts more after list; it may change the last run of list.
func appendRuns(list, more []Run) []Run {
	for _, r := range more {
		if n := len(list); n > 0 && list[n-1].Basic == r.Basic && sameRuns(list[n-1].Body, r.Body) {
			list[n-1].Count += r.Count
			continue
		}
		list = append(list, r)
	}
	return list
}

// runBytes is the size in memory of one repetition of a run.
func runBytes(r *Run) int64 {
	if r.Body == nil {
		return basics[r.Basic].Size
	}
	return sigBytes(r.Body)
}

func sigBytes(runs []Run) int64 {
	var n int64
	for i := range runs {
		n += runs[i].Count * runBytes(&runs[i])
	}
	return n
}

func sigElements(runs []Run) int64 {
	var n int64
	for i := range runs {
		n += runs[i].Count * runElements(&runs[i])
	}
	return n
}

func runElements(r *Run) int64 {
	if r.Body == nil {
		return 1
	}
	return sigElements(r.Body)
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
		one := runBytes(&runs[i])
		times := min(bytes/one, runs[i].Count)
		n += times * runElements(&runs[i])
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
// MPI_Status_set_elements takes them.
func (l *Layout) BytesOf(n int64) int64 {
	per := sigElements(l.Sig)
	if per == 0 {
		return 0
	}
	return n/per*l.Size + bytesOf(l.Sig, n%per)
}

func bytesOf(runs []Run, n int64) int64 {
	var bytes int64
	for i := range runs {
		per := runElements(&runs[i])
		times := min(n/per, runs[i].Count)
		bytes += times * runBytes(&runs[i])
		n -= times * per
		if times < runs[i].Count {
			return bytes + bytesOf(runs[i].Body, n)
		}
	}
	return bytes
}

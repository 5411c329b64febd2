package datatype

// Step is a Loop in the form of struct vr_loop: its body is Children steps from index Child of the program.
type Step struct {
	Disp, Count, Stride, Bytes int64
	Child, Children            uint32
}

// Program is the type's loops as the C core runs them; Program()[0] is the whole type.
func (l *Layout) Program() []Step {
	switch len(l.Loops) {
	case 0:
		return []Step{{}}
	case 1:
		return flatten(l.Loops)
	}
	return flatten([]Loop{{Count: 1, Body: l.Loops}})
}

// flatten lays loops out level by level, so that bodies are contiguous.
func flatten(list []Loop) []Step {
	var steps []Step
	queue := append([]Loop(nil), list...)
	for i := 0; i < len(queue); i++ {
		l := queue[i]
		s := Step{Disp: l.Disp, Count: l.Count, Stride: l.Stride, Bytes: l.Bytes}
		if l.Body != nil {
			s.Child, s.Children = uint32(len(queue)), uint32(len(l.Body))
			queue = append(queue, l.Body...)
		}
		steps = append(steps, s)
	}
	return steps
}

package unwind

// Operations of DWARF expressions that call frame information uses.
const (
	opAddr      = 0x03
	opDeref     = 0x06
	opConst1u   = 0x08
	opConst1s   = 0x09
	opConst2u   = 0x0a
	opConst2s   = 0x0b
	opConst4u   = 0x0c
	opConst4s   = 0x0d
	opConst8u   = 0x0e
	opConst8s   = 0x0f
	opConstu    = 0x10
	opConsts    = 0x11
	opDup       = 0x12
	opDrop      = 0x13
	opOver      = 0x14
	opSwap      = 0x16
	opAnd       = 0x1a
	opMinus     = 0x1c
	opMul       = 0x1e
	opNeg       = 0x1f
	opNot       = 0x20
	opOr        = 0x21
	opPlus      = 0x22
	opPlusConst = 0x23
	opShl       = 0x24
	opShr       = 0x25
	opShra      = 0x26
	opXor       = 0x27
	opBra       = 0x28
	opEq        = 0x29
	opNe        = 0x2e
	opSkip      = 0x2f
	opLit0      = 0x30
	opBreg0     = 0x70
	opBregx     = 0x92
	opNop       = 0x96
)

const (
	maxSteps = 10000
	maxStack = 64
)

// calculator evaluates an expression.
type calculator struct {
	r     *reader
	whole []byte
	regs  *Registers
	mem   Memory
	stack []uint64
}

// evaluate runs an expression; `first`, if set, is on the stack at the beginning.
func evaluate(expr []byte, regs *Registers, mem Memory, first *uint64) (uint64, bool) {
	c := calculator{r: newReader(expr, 0), whole: expr, regs: regs, mem: mem}
	if first != nil {
		c.push(*first)
	}
	for steps := 0; len(c.r.b) > 0; steps++ {
		if steps == maxSteps || len(c.stack) > maxStack || !c.do(c.r.u8()) || !c.r.ok {
			return 0, false
		}
	}
	if len(c.stack) == 0 {
		return 0, false
	}
	return c.stack[len(c.stack)-1], c.r.ok
}

func (c *calculator) push(v uint64) bool {
	c.stack = append(c.stack, v)
	return true
}

func (c *calculator) pop() uint64 {
	n := len(c.stack)
	if n == 0 {
		c.r.ok = false
		return 0
	}
	v := c.stack[n-1]
	c.stack = c.stack[:n-1]
	return v
}

func (c *calculator) register(n uint64, offset int64) bool {
	return n < uint64(len(c.regs)) && c.push(c.regs[n]+uint64(offset))
}

func (c *calculator) do(op uint8) bool {
	r := c.r
	switch {
	case op >= opLit0 && op < opLit0+32:
		return c.push(uint64(op - opLit0))
	case op >= opBreg0 && op < opBreg0+32:
		return c.register(uint64(op-opBreg0), r.sleb())
	}
	switch op {
	case opNop:
		return true
	case opBregx:
		n := r.uleb()
		return c.register(n, r.sleb())
	case opAddr, opConst8u, opConst8s:
		return c.push(r.u64())
	case opConst1u:
		return c.push(uint64(r.u8()))
	case opConst1s:
		return c.push(uint64(int8(r.u8())))
	case opConst2u:
		return c.push(uint64(r.u16()))
	case opConst2s:
		return c.push(uint64(int16(r.u16())))
	case opConst4u:
		return c.push(uint64(r.u32()))
	case opConst4s:
		return c.push(uint64(int32(r.u32())))
	case opConstu:
		return c.push(r.uleb())
	case opConsts:
		return c.push(uint64(r.sleb()))
	case opSkip, opBra:
		return c.jump(op)
	}
	return c.compute(op)
}

func (c *calculator) jump(op uint8) bool {
	by := int64(int16(c.r.u16()))
	if op == opBra && c.pop() == 0 {
		return true
	}
	to := int64(len(c.whole)-len(c.r.b)) + by
	if to < 0 || to > int64(len(c.whole)) {
		return false
	}
	c.r.b = c.whole[to:]
	return true
}

func (c *calculator) compute(op uint8) bool {
	a := c.pop()
	switch op {
	case opDup:
		c.push(a)
		return c.push(a)
	case opDrop:
		return true
	case opDeref:
		v, ok := word(c.mem, a)
		return ok && c.push(v)
	case opNeg:
		return c.push(-a)
	case opNot:
		return c.push(^a)
	case opPlusConst:
		return c.push(a + c.r.uleb())
	}
	b := c.pop()
	switch op {
	case opOver:
		c.push(b)
		c.push(a)
		return c.push(b)
	case opSwap:
		c.push(a)
		return c.push(b)
	case opAnd:
		return c.push(b & a)
	case opOr:
		return c.push(b | a)
	case opXor:
		return c.push(b ^ a)
	case opMinus:
		return c.push(b - a)
	case opPlus:
		return c.push(b + a)
	case opMul:
		return c.push(b * a)
	case opShl:
		return c.push(b << min(a, 64))
	case opShr:
		return c.push(b >> min(a, 64))
	case opShra:
		return c.push(uint64(int64(b) >> min(a, 64)))
	}
	return op >= opEq && op <= opNe && c.push(compare(op, int64(b), int64(a)))
}

func compare(op uint8, b, a int64) uint64 {
	yes := []bool{b == a, b >= a, b > a, b <= a, b < a, b != a}[op-opEq]
	if yes {
		return 1
	}
	return 0
}

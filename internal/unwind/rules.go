package unwind

// rule says how a caller's register is found.
type rule struct {
	kind   ruleKind
	offset int64  // from the frame's address; or the number of a register
	expr   []byte // DWARF expression
}

type ruleKind uint8

const (
	ruleSame ruleKind = iota
	ruleUndefined
	ruleOffset    // saved at CFA + offset
	ruleValue     // is CFA + offset
	ruleRegister  // is in another register
	ruleExpr      // saved where the expression says
	ruleExprValue // is what the expression says
)

// row is the rules at one place of a function. The CFA, the frame's address, is a register plus an offset, or an expression.
type row struct {
	base    uint64
	offset  int64
	cfa     []byte
	rules   [len(Registers{})]rule
	result  uint64
	defined bool
}

// Instructions of call frame information; the upper two bits tell three of them.
const (
	cfaAdvance     = 0x40
	cfaOffset      = 0x80
	cfaRestore     = 0xc0
	cfaLow         = 0x3f
	cfaNop         = 0x00
	cfaSetLoc      = 0x01
	cfaAdvance1    = 0x02
	cfaAdvance2    = 0x03
	cfaAdvance4    = 0x04
	cfaOffsetExt   = 0x05
	cfaRestoreExt  = 0x06
	cfaUndefined   = 0x07
	cfaSame        = 0x08
	cfaRegister    = 0x09
	cfaRemember    = 0x0a
	cfaRecall      = 0x0b
	cfaDef         = 0x0c
	cfaDefRegister = 0x0d
	cfaDefOffset   = 0x0e
	cfaDefExpr     = 0x0f
	cfaExpr        = 0x10
	cfaOffsetSF    = 0x11
	cfaDefSF       = 0x12
	cfaDefOffsetSF = 0x13
	cfaValue       = 0x14
	cfaValueSF     = 0x15
	cfaValueExpr   = 0x16
	cfaArgsSize    = 0x2e
	cfaNegOffset   = 0x2f
)

// maxRemembered bounds the rows that a program may put aside.
const maxRemembered = 64

// machine runs a program of instructions.
type machine struct {
	e       *entry
	row     row
	initial row
	stack   []row
	at      uint64 // code address that the row is for
}

// row returns the rules that hold at pc.
func (e *entry) row(pc uint64) (*row, bool) {
	m := machine{e: e, at: e.start}
	m.row.result = e.result
	if e.result >= uint64(len(m.row.rules)) || !m.run(newReader(e.initial, 0), ^uint64(0)) {
		return nil, false
	}
	m.initial = m.row
	if !m.run(newReader(e.program, e.programAt), pc) {
		return nil, false
	}
	return &m.row, m.row.defined
}

// run carries instructions out up to those for code behind pc.
func (m *machine) run(r *reader, pc uint64) bool {
	for len(r.b) > 0 && r.ok {
		op := r.u8()
		advance, isAdvance := m.advance(op, r)
		if isAdvance {
			if m.at += advance; m.at > pc {
				return r.ok
			}
			continue
		}
		if !m.do(op, r) {
			return false
		}
	}
	return r.ok
}

func (m *machine) advance(op uint8, r *reader) (by uint64, is bool) {
	switch {
	case op&^cfaLow == cfaAdvance:
		return uint64(op&cfaLow) * m.e.code, true
	case op == cfaAdvance1:
		return uint64(r.u8()) * m.e.code, true
	case op == cfaAdvance2:
		return uint64(r.u16()) * m.e.code, true
	case op == cfaAdvance4:
		return uint64(r.u32()) * m.e.code, true
	case op == cfaSetLoc:
		return r.pointer(m.e.pointers, 0) - m.at, true
	}
	return 0, false
}

func (m *machine) set(register uint64, v rule) {
	if register < uint64(len(m.row.rules)) { // vector registers are not followed
		m.row.rules[register] = v
	}
}

func (m *machine) restore(register uint64) {
	if register < uint64(len(m.row.rules)) {
		m.row.rules[register] = m.initial.rules[register]
	}
}

func (m *machine) define(base uint64, offset int64) {
	m.row.base, m.row.offset, m.row.cfa, m.row.defined = base, offset, nil, base < uint64(len(m.row.rules))
}

func (m *machine) do(op uint8, r *reader) bool {
	data := m.e.data
	switch op &^ cfaLow {
	case cfaOffset:
		m.set(uint64(op&cfaLow), rule{kind: ruleOffset, offset: int64(r.uleb()) * data})
		return true
	case cfaRestore:
		m.restore(uint64(op & cfaLow))
		return true
	}
	switch op {
	case cfaNop:
	case cfaArgsSize:
		r.uleb()
	case cfaDef:
		m.define(r.uleb(), int64(r.uleb()))
	case cfaDefSF:
		m.define(r.uleb(), r.sleb()*data)
	case cfaDefRegister:
		m.define(r.uleb(), m.row.offset)
	case cfaDefOffset:
		m.define(m.row.base, int64(r.uleb()))
	case cfaDefOffsetSF:
		m.define(m.row.base, r.sleb()*data)
	case cfaDefExpr:
		m.row.cfa, m.row.defined = r.block(), true
	default:
		return m.doRule(op, r)
	}
	return r.ok
}

func (m *machine) doRule(op uint8, r *reader) bool {
	data := m.e.data
	switch op {
	case cfaRemember:
		if len(m.stack) == maxRemembered {
			return false
		}
		m.stack = append(m.stack, m.row)
		return true
	case cfaRecall:
		if len(m.stack) == 0 {
			return false
		}
		m.row, m.stack = m.stack[len(m.stack)-1], m.stack[:len(m.stack)-1]
		return true
	}
	register := r.uleb()
	switch op {
	case cfaOffsetExt:
		m.set(register, rule{kind: ruleOffset, offset: int64(r.uleb()) * data})
	case cfaOffsetSF:
		m.set(register, rule{kind: ruleOffset, offset: r.sleb() * data})
	case cfaNegOffset:
		m.set(register, rule{kind: ruleOffset, offset: -int64(r.uleb()) * data})
	case cfaValue:
		m.set(register, rule{kind: ruleValue, offset: int64(r.uleb()) * data})
	case cfaValueSF:
		m.set(register, rule{kind: ruleValue, offset: r.sleb() * data})
	case cfaRegister:
		m.set(register, rule{kind: ruleRegister, offset: int64(r.uleb())})
	case cfaExpr:
		m.set(register, rule{kind: ruleExpr, expr: r.block()})
	case cfaValueExpr:
		m.set(register, rule{kind: ruleExprValue, expr: r.block()})
	case cfaUndefined:
		m.set(register, rule{kind: ruleUndefined})
	case cfaSame:
		m.set(register, rule{})
	case cfaRestoreExt:
		m.restore(register)
	default:
		return false
	}
	return r.ok
}

// apply finds the caller's registers; false at the end of the stack.
func (w *row) apply(r Registers, mem Memory) (Registers, bool) {
	cfa := uint64(0)
	if w.cfa != nil {
		v, ok := evaluate(w.cfa, &r, mem, nil)
		if !ok {
			return r, false
		}
		cfa = v
	} else {
		cfa = r[w.base] + uint64(w.offset)
	}
	next := r
	next[RSP] = cfa
	for i, rule := range w.rules {
		v, defined, ok := rule.value(i, cfa, &r, mem)
		if !ok || !defined && uint64(i) == w.result {
			return r, false
		}
		if rule.kind != ruleSame {
			next[i] = v
		}
	}
	if w.rules[w.result].kind == ruleSame {
		return r, false
	}
	next[RIP] = next[w.result]
	return next, true
}

func (u *rule) value(i int, cfa uint64, r *Registers, mem Memory) (v uint64, defined, ok bool) {
	defined, ok = true, true
	switch u.kind {
	case ruleUndefined:
		return 0, false, true
	case ruleOffset:
		v, ok = word(mem, cfa+uint64(u.offset))
	case ruleValue:
		v = cfa + uint64(u.offset)
	case ruleRegister:
		if ok = uint64(u.offset) < uint64(len(r)); ok {
			v = r[u.offset]
		}
	case ruleExpr:
		if v, ok = evaluate(u.expr, r, mem, &cfa); ok {
			v, ok = word(mem, v)
		}
	case ruleExprValue:
		v, ok = evaluate(u.expr, r, mem, &cfa)
	default:
		v = r[i]
	}
	return v, defined, ok
}

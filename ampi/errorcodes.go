package ampi

import (
	"fmt"

	"ampirun/ampi/mpi"
)

// ErrorCodes are the error classes and codes that a program added (MPI 5.0 section 9.5).
type ErrorCodes struct {
	Last  int         // the highest number given out: MPI_LASTUSEDCODE
	Added map[int]int // class of each code; a class is a code of itself
	Texts map[int]string
}

func newErrorCodes() ErrorCodes {
	return ErrorCodes{Last: mpi.ErrLastcode, Added: map[int]int{}, Texts: map[int]string{}}
}

// class is the error class of a code; false when nobody knows the code.
func (e *ErrorCodes) class(code int) (int, bool) {
	if class, ok := e.Added[code]; ok {
		return class, true
	}
	_, ok := classTexts[code]
	return code, ok
}

// text is what MPI_Error_string says of a code.
func (e *ErrorCodes) text(code int) (string, bool) {
	if _, ok := e.Added[code]; ok {
		return e.Texts[code], true
	}
	c, ok := classTexts[code]
	if code == mpi.Success {
		return c.text, ok
	}
	return c.name + ": " + c.text, ok
}

// add gives out a number; class 0 means that it is a class of its own.
func (e *ErrorCodes) add(class int) int {
	e.Last++
	if class == 0 {
		class = e.Last
	}
	e.Added[e.Last] = class
	return e.Last
}

// codesOf counts the codes of a class that are not the class itself.
func (e *ErrorCodes) codesOf(class int) (n int) {
	for code, of := range e.Added {
		if of == class && code != class {
			n++
		}
	}
	return n
}

func (e *ErrorCodes) hasText(code int) bool {
	_, ok := e.Texts[code]
	return ok
}

// ---- the calls ----

func errorClass(c *call) error {
	class, ok := c.state.Errors.class(int(c.num(0)))
	if !ok {
		return mpi.Errorf(mpi.ErrArg, "errorcode is not an error code: %d", c.num(0))
	}
	c.putInt(1, "errorclass", class)
	return c.err
}

// errorString adds what the last error of this code was, for a program that asks about a code that a call has returned. The strings
// of codes that the program added are its own.
func errorString(c *call) error {
	text, ok := c.state.Errors.text(int(c.num(0)))
	if !ok {
		return mpi.Errorf(mpi.ErrArg, "errorcode is not an error code: %d", c.num(0))
	}
	if told := c.told(int(c.num(0))); told != "" && c.num(0) <= mpi.ErrLastcode {
		text += " (" + told + ")"
	}
	c.putInt(2, "resultlen", c.putText(1, "string", text, min(len(text)+1, mpi.MaxErrorString)))
	return c.err
}

// errorText serves C: (code, char *out, int room).
func errorText(c *call) error {
	text, ok := c.state.Errors.text(int(c.num(0)))
	if !ok {
		text = fmt.Sprintf("error code %d", c.num(0))
	}
	c.putText(1, "text", text, int(c.num(2)))
	return c.err
}

func addErrorClass(c *call) error {
	code := c.state.Errors.add(0)
	c.setLastCode(code)
	c.putInt(0, "errorclass", code)
	return c.err
}

func addErrorCode(c *call) error {
	class := int(c.num(0))
	if of, ok := c.state.Errors.class(class); !ok || of != class || class == mpi.Success {
		return mpi.Errorf(mpi.ErrArg, "errorclass is not an error class: %d", class)
	}
	code := c.state.Errors.add(class)
	c.setLastCode(code)
	c.putInt(1, "errorcode", code)
	return c.err
}

// added reads the code of one of the calls that change what the program added.
func (c *call) added(name string) int {
	code := int(c.num(0))
	if _, ok := c.state.Errors.Added[code]; !ok {
		c.fault(mpi.ErrArg, "%s was not added by the program, or was removed: %d", name, code)
	}
	return code
}

func addErrorString(c *call) error {
	code, text := c.added("errorcode"), c.text(1, "string")
	if c.err == nil {
		c.state.Errors.Texts[code] = text[:min(len(text), mpi.MaxErrorString-1)]
	}
	return c.err
}

func removeErrorClass(c *call) error {
	e, class := &c.state.Errors, c.added("errorclass")
	switch {
	case c.err != nil:
	case e.Added[class] != class:
		c.fault(mpi.ErrArg, "errorclass is an error code, not a class: %d", class)
	case e.codesOf(class) > 0:
		c.fault(mpi.ErrArg, "errorclass %d still has %d error codes", class, e.codesOf(class))
	case e.hasText(class):
		c.fault(mpi.ErrArg, "errorclass %d still has its error string", class)
	default:
		delete(e.Added, class)
	}
	return c.err
}

func removeErrorCode(c *call) error {
	e, code := &c.state.Errors, c.added("errorcode")
	if c.err == nil && e.Added[code] == code {
		c.fault(mpi.ErrArg, "errorcode is an error class: %d", code)
	}
	if c.err == nil && e.hasText(code) {
		c.fault(mpi.ErrArg, "errorcode %d still has its error string", code)
	}
	if c.err == nil {
		delete(e.Added, code)
	}
	return c.err
}

func removeErrorString(c *call) error {
	code := c.added("errorcode")
	if !c.state.Errors.hasText(code) {
		c.fault(mpi.ErrArg, "errorcode %d has no string", code)
	}
	if c.err == nil {
		delete(c.state.Errors.Texts, code)
	}
	return c.err
}

package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xrash/smetrics"
)

// line is a command line taken apart.
type line struct {
	flags   []string          // as urfave/cli reads them: --name=value
	typed   map[string]string // how an option was written, by name
	own     []string          // all options, as they were typed
	late    []string          // those of them that follow the program's name
	program []string          // the program and its arguments
}

// translate turns Charm's forms of options (+p 2, +p2, ++label), mpirun's (-np 4) and GNU's (--label, --x=y) into one.
// The program's name is the first argument that is no option. What follows it is the program's, but for options that takeLate takes.
func translate(args []string) (line, error) {
	l := line{typed: map[string]string{}}
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			l.program = args[i+1:]
			break
		}
		name, isOption := stripSign(args[i])
		if !isOption {
			if err := l.takeLate(args[i:]); err != nil {
				return line{}, err
			}
			break
		}
		taken, err := l.take(args[i], name, args[i+1:])
		if err != nil {
			return line{}, err
		}
		i += taken
	}
	return l, nil
}

// takeLate takes the program and its arguments. Charm's options may stand among these, where AMPI's manual writes them: a word that begins with
// a plus sign and that the table has with one. All others are the program's, and so is whatever follows "--".
func (l *line) takeLate(program []string) error {
	l.program = program[:1:1]
	for rest := program[1:]; len(rest) > 0; rest = rest[1:] {
		name, isOurs := charmOption(rest[0])
		if rest[0] == "--" {
			l.program = append(l.program, rest...)
			break
		}
		if rest[0] == ":" {
			return errors.New(`":": several programs in one job are not served (write -- before the program's name if that is an argument of the program)`)
		}
		if !isOurs {
			l.program = append(l.program, rest[0])
			continue
		}
		taken, err := l.take(rest[0], name, rest[1:])
		if err != nil {
			return fmt.Errorf("%w (write -- before the program's name if that is the program's)", err)
		}
		l.late = append(l.late, rest[:1+taken]...)
		rest = rest[taken:]
	}
	return nil
}

// charmOption tells whether an argument is an option in Charm's form: +vp, +vp=4, +vp4 or ++vp.
func charmOption(arg string) (name string, is bool) {
	name, isOption := stripSign(arg)
	if !isOption || arg[0] != '+' {
		return "", false
	}
	bare, _, assigned := strings.Cut(name, "=")
	o := findOption(bare)
	if o == nil && !assigned {
		o, _ = splitNumber(bare)
	}
	return name, o != nil && slices.ContainsFunc(append([]string{o.form}, o.aliases...), func(form string) bool { return form[0] == '+' })
}

// lateNote says that options were taken that follow the program's name; "" if none were.
func (l line) lateNote() string {
	if len(l.late) == 0 {
		return ""
	}
	return fmt.Sprintf("%s after the program's name: taken as ampirun's (write -- before the name to leave all that follows to the program)",
		strings.Join(l.late, " "))
}

// held is the command line of the same job that waits for gdb.
func (l line) held() []string {
	args := []string{"--gdb-hold"}
	for _, flag := range l.flags {
		if !strings.HasPrefix(flag, "--gdb=") {
			args = append(args, flag)
		}
	}
	return append(append(args, "--"), l.program...)
}

// stripSign removes one or two signs from an option. A lone sign is no option.
func stripSign(arg string) (name string, isOption bool) {
	if arg == "" || !strings.ContainsRune("+-", rune(arg[0])) {
		return "", false
	}
	name = arg[1:]
	if strings.HasPrefix(name, arg[:1]) {
		name = name[1:]
	}
	return name, name != ""
}

// take adds one option and returns how many of the arguments that follow belong to it.
func (l *line) take(arg, name string, following []string) (taken int, err error) {
	name, value, given := strings.Cut(name, "=")
	o := findOption(name)
	if o == nil && !given {
		o, value = splitNumber(name)
		given = o != nil
	}
	switch {
	case o == nil:
		return 0, unknownOption(arg, name)
	case o.value == "":
		if !given {
			value = "true"
		}
		if _, err := strconv.ParseBool(value); err != nil {
			return 0, fmt.Errorf("%s: a switch is true or false", arg)
		}
	case !given && len(following) == 0:
		return 0, fmt.Errorf("%s needs a value: %s %s", arg, o.form, o.value)
	case !given:
		value, taken = following[0], 1
	}
	l.flags = append(l.flags, "--"+o.name()+"="+value)
	l.own = append(append(l.own, arg), following[:taken]...)
	l.typed[o.name()] = spelling(arg, name)
	return taken, nil
}

// spelling is an argument up to the end of the option's name.
func spelling(arg, name string) string {
	signs := len(arg) - len(strings.TrimLeft(arg, "+-"))
	if o, _ := splitNumber(name); o != nil && findOption(name) == nil {
		name = strings.TrimRight(name, "0123456789")
	}
	return arg[:signs] + name
}

// splitNumber finds the option of a name that ends in its value, such as vp256.
func splitNumber(name string) (o *option, value string) {
	bare := strings.TrimRight(name, "0123456789")
	if o = findOption(bare); o == nil || !o.joined || bare == name {
		return nil, ""
	}
	return o, name[len(bare):]
}

// unknownOption names the option that is nearest to what was typed.
func unknownOption(arg, name string) error {
	arg, _, _ = strings.Cut(arg, "=")
	bare := strings.TrimLeft(name, "+-")
	best, distance := "", 1+len(bare)/2
	eachOption(func(o *option) {
		for _, form := range append([]string{o.form}, o.aliases...) {
			if d := smetrics.WagnerFischer(bare, strings.TrimLeft(form, "+-"), 1, 1, 1); !o.hidden && d < distance {
				best, distance = form, d
			}
		}
	})
	if best != "" {
		return fmt.Errorf("unknown option %s: did you mean %s? (ampirun --help lists all)", arg, best)
	}
	return fmt.Errorf("unknown option %s (ampirun --help lists all)", arg)
}

package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xrash/smetrics"
)

// line is a command line taken apart.
type line struct {
	flags   []string          // as urfave/cli reads them: --name=value
	typed   map[string]string // how an option was written, by name
	program []string          // the program and its arguments
}

// translate turns Charm's forms of options (+p 2, +p2, ++label), mpirun's (-np 4) and GNU's (--label, --x=y) into one.
// The program's name is the first argument that is no option; nothing after it is looked at.
func translate(args []string) (line, error) {
	l := line{typed: map[string]string{}}
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			l.program = args[i+1:]
			break
		}
		name, isOption := stripSign(args[i])
		if !isOption {
			l.program = args[i:]
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

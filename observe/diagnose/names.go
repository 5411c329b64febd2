package diagnose

import (
	"strconv"
	"strings"
)

// variableName is how a programmer would call a variable: names of C++ in namespaces and of statics in files lose their encoding,
// others stay as they are, and so do encodings of templates and of statics in functions.
func variableName(symbol string) string {
	name, _, _ := strings.Cut(symbol, "@") // its version
	rest, encoded := strings.CutPrefix(name, "_Z")
	if !encoded {
		return name
	}
	var parts []string
	nested := strings.HasPrefix(rest, "N")
	if rest = strings.TrimPrefix(rest, "N"); strings.HasPrefix(rest, "St") {
		parts, rest = append(parts, "std"), rest[2:]
	}
	for rest != "" && rest != "E" {
		part, after, ok := cutPart(strings.TrimPrefix(rest, "L"))
		if !ok {
			return name
		}
		parts, rest = append(parts, part), after
	}
	if len(parts) == 0 || nested != (rest == "E") {
		return name
	}
	return strings.Join(parts, "::")
}

// cutPart takes a length and that many letters off the front.
func cutPart(s string) (part, rest string, ok bool) {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	n, err := strconv.Atoi(s[:digits])
	if err != nil || n == 0 || n > len(s)-digits {
		return "", "", false
	}
	part, rest = s[digits:digits+n], s[digits+n:]
	if strings.HasPrefix(part, "_GLOBAL__N_") {
		part = "(anonymous)"
	}
	return part, rest, true
}

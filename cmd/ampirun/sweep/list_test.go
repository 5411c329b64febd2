package sweep

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseList(t *testing.T) {
	for text, want := range map[string][]int{
		"4":                            {4},
		"2, 4,8":                       {2, 4, 8},
		"2,4,8,...,256":                {2, 4, 8, 16, 32, 64, 128, 256},
		"8,16,24,...,64":               {8, 16, 24, 32, 40, 48, 56, 64},
		"1,2,3,...,5,10,20,...,80":     {1, 2, 3, 4, 5, 10, 20, 40, 80},
		"8,12,18,...,27":               {8, 12, 18, 27},
		"2,4,...,32,64":                nil, // 6 or 8
		"3,6,...,96":                   nil,
		"2,6,...,18":                   nil,
		"2,4,...,6":                    {2, 4, 6},
		"5,7,...,11":                   {5, 7, 9, 11},
		"2,4,8,...,16,...,128":         {2, 4, 8, 16, 32, 64, 128},
		"1,2,...,3":                    {1, 2, 3},
		"1,3,9,...,81":                 {1, 3, 9, 27, 81},
		"4,8,16,...,16":                nil, // does not rise
		"1,2,4,8,...,8192,16384,20000": {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 20000},
	} {
		got, err := ParseList(text, 1<<20)
		if want == nil && err == nil || want != nil && !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestParseListRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "is not a number",
		"2,x":                  `"x" is not a number`,
		"0,2":                  `"0" is not a number from 1 to 100`,
		"2,200":                `"200" is not a number`,
		"4,2":                  "does not rise",
		"2,4,...":              `nothing ends the "..."`,
		"...,8":                "at least two numbers",
		"2,...,8":              "at least two numbers",
		"2,4,8,...,100":        "do not meet 100",
		"2,4,7,...,100":        "neither the same difference nor the same factor",
		"2,4,...,8":            "4 may be followed by 6 or by 8",
		"8,12,18,...,100":      "do not meet 100",
		"1,2,3,...,...,9":      "",
		"5,6,...,7,...,......": "is not a number",
	} {
		got, err := ParseList(text, 100)
		if want == "" {
			continue // either is fine, as long as it ends
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if _, err := ParseList("1,2,3,...,1000000", 1<<20); err == nil {
		t.Error("a million points are taken")
	}
}

// FuzzParseList: what is taken rises, and begins and ends as was written.
func FuzzParseList(f *testing.F) {
	for _, seed := range []string{"2,4,8,...,256", "1,2,...,9", "...", "3,...,", "1,1073741824", "8,12,18,...,27"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseList(text, MaxValue)
		if (err == nil) == (len(list) == 0) && err == nil {
			t.Fatalf("%q gives nothing", text)
		}
		if err != nil {
			return
		}
		for i := 1; i < len(list); i++ {
			if list[i] <= list[i-1] {
				t.Fatalf("%q gives %v", text, list)
			}
		}
		words := strings.Split(text, ",")
		last := strings.TrimLeft(strings.TrimPrefix(strings.TrimSpace(words[len(words)-1]), "+"), "0")
		if fmt.Sprint(list[len(list)-1]) != last {
			t.Fatalf("%q ends with %d", text, list[len(list)-1])
		}
	})
}

package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"ampirun/internal/subcommand"
)

// Exit codes of ampirun sweep, besides 0.
const (
	codeFailed = 1 // runs failed, or the system did
	codeUsage  = 2
	codeEnded  = 130 // by Ctrl-C or another signal
)

// limits of options.
const (
	maxRanks   = 1 << 20
	maxPEs     = 4096
	maxRepeats = 1000
)

// Split takes what follows the options of ampirun sweep apart: ampirun's options for all points, and a program with its arguments.
type Split func(args []string) (Job, error)

// Command does what the arguments after "ampirun sweep" ask for. An error is one line for the user.
func Command(args []string, stdout, stderr io.Writer, split Split) (code int, err error) {
	app := &cli.App{
		Name: "ampirun sweep", Usage: "run a program with many numbers of ranks, and ways to balance them",
		UsageText: "ampirun sweep --vp 2,4,8,...,256 [options] -- [ampirun's options] program [arguments]",
		HideHelp:  true, HideVersion: true, HideHelpCommand: true, DisableSliceFlagSeparator: true,
		Writer: stdout, ErrWriter: io.Discard, ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return err },
		Flags:        commandFlags,
		Action: func(c *cli.Context) error {
			if c.Bool("help") {
				return cli.ShowAppHelp(c)
			}
			s, err := newSweep(c, split)
			if err != nil {
				return err
			}
			s.Report = stderr
			code, err = s.command(stdout)
			return err
		},
	}
	if err = app.Run(append([]string{app.Name}, args...)); err != nil {
		if code == 0 {
			code = codeUsage
		}
		err = fmt.Errorf("sweep: %w", err)
	}
	return code, err
}

var commandFlags = []cli.Flag{
	&cli.StringFlag{Name: "vp", Usage: "numbers of ranks; ... stands for those between, by the last step: 2,4,8,...,256"},
	&cli.StringFlag{Name: "lb", Value: None, Usage: "ways to balance: strategies, or none"},
	&cli.IntFlag{Name: "p", Usage: "worker processes (default: one for each core, but no more than the fewest ranks)"},
	&cli.IntFlag{Name: "repeat", Value: 5, Usage: "runs of each point; all points take turns"},
	&cli.StringFlag{Name: "o", Usage: "`DIR` for results and chart, or the chart's file, which ends in .svg (default: PROGRAM.sweep)"},
	&cli.DurationFlag{Name: "timeout", Usage: "end a run that takes longer, as in 10m; it has failed then"},
	&cli.StringFlag{Name: "metric", Usage: "take the seconds from the output, where this `REGEXP` has a group; the last match counts"},
	&cli.BoolFlag{Name: "fresh", Usage: "forget results that are there; without it, a sweep goes on where it ended"},
	subcommand.HelpFlag,
}

func newSweep(c *cli.Context, split Split) (s *Sweep, err error) {
	s = &Sweep{PEs: c.Int("p"), Repeats: c.Int("repeat"), Limit: c.Duration("timeout"), Out: c.String("o"), Forget: c.Bool("fresh")}
	if c.String("vp") == "" {
		return nil, errors.New("--vp is missing: the numbers of ranks, as in --vp 2,4,8,...,256")
	}
	ranks, err := ParseList(c.String("vp"), maxRanks)
	if err != nil {
		return nil, fmt.Errorf("--vp: %w", err)
	}
	strategies, err := ParseStrategies(c.String("lb"))
	if err != nil {
		return nil, fmt.Errorf("--lb: %w", err)
	}
	s.Points = points(ranks, strategies)
	if !c.IsSet("p") {
		s.PEs = min(runtime.GOMAXPROCS(0), ranks[0])
	}
	switch {
	case len(s.Points) > MaxPoints:
		return nil, fmt.Errorf("--vp, --lb: %d points are more than %d", len(s.Points), MaxPoints)
	case s.PEs < 1 || s.PEs > maxPEs:
		return nil, fmt.Errorf("--p %d: want 1 to %d", s.PEs, maxPEs)
	case s.PEs > ranks[0]:
		return nil, fmt.Errorf("--p %d: more workers than the %d ranks that --vp begins with; lower --p or leave out small numbers of ranks", s.PEs, ranks[0])
	case s.Repeats < 1 || s.Repeats > maxRepeats:
		return nil, fmt.Errorf("--repeat %d: want 1 to %d", s.Repeats, maxRepeats)
	case s.Limit < 0 || c.IsSet("timeout") && s.Limit < time.Millisecond:
		return nil, fmt.Errorf("--timeout %v: too short", s.Limit)
	}
	if s.Metric, err = metric(c.String("metric")); err != nil {
		return nil, err
	}
	if s.Job, err = split(c.Args().Slice()); err != nil {
		return nil, err
	}
	if s.Out == "" {
		s.Out = filepath.Base(s.Name) + ".sweep"
	}
	return s, nil
}

func metric(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	m, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("--metric: %w", err)
	}
	if m.NumSubexp() < 1 {
		return nil, fmt.Errorf("--metric %s: there is no group, as in 'seconds ([0-9.]+)'", text)
	}
	return m, nil
}

// command runs the sweep until it is done or a signal comes.
func (s *Sweep) command(stdout io.Writer) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	o, err := s.Run(ctx)
	switch {
	case ctx.Err() != nil && err != nil:
		return codeEnded, errors.New("interrupted; the same command goes on from here")
	case err != nil:
		return codeUsage, err
	}
	if err := o.Print(stdout); err != nil {
		return codeFailed, err
	}
	chart, err := o.Draw()
	if err != nil {
		return codeFailed, err
	}
	if chart != "" {
		fmt.Fprintln(stdout, "chart:", chart)
	}
	if len(o.Failed) > 0 {
		return codeFailed, fmt.Errorf("%d of %d points failed", len(o.Failed), len(o.Points))
	}
	return 0, nil
}

package main

import (
	"ampirun/loadbalance"
	"ampirun/shim"
)

// The options of Charm++'s wrapper that programs for AMPI are built with.

// balancingModules hold several strategies in Charm++; others link what every program has here.
var balancingModules = map[string]bool{"CommonLBs": true, "EveryLB": true, "ampi": true, "tcharm": true}

// takeCharm takes -balancer NAME, -module NAME and -ampi-compat from the beginning of args, and returns how many arguments that were.
func (r *request) takeCharm(args []string) (taken int, err error) {
	switch {
	case args[0] == "-ampi-compat":
		r.compat = true
		return 1, nil
	case args[0] != "-balancer" && args[0] != "-module":
		return 0, nil
	case len(args) == 1:
		return 0, refuse("%s needs a name, as in %s GreedyRefineLB", args[0], args[0])
	case args[0] == "-balancer":
		return 2, r.setBalancer(args[1])
	}
	return 2, checkModule(args[1])
}

func (r *request) setBalancer(name string) error {
	s, err := loadbalance.Find(name)
	if err != nil {
		return refuse("-balancer %s: %v", name, err)
	}
	r.balancer = s.Info().Name
	return nil
}

// checkModule refuses a module of Charm++ that a program could call and not find. All strategies are always there.
func checkModule(name string) error {
	if _, err := loadbalance.Find(name); err != nil && !balancingModules[name] {
		return refuse("-module %s: ampirun has no such module of Charm++: leave it out if the program does not call it (strategies of load balancing need none)", name)
	}
	return nil
}

// charmFlags record the strategy in the program, as the name of a symbol that ampirun looks for, and give Fortran programs the main program
// that calls MPI_Main. They come after the user's own main.
func charmFlags(req *request, k *kit) (flags []string) {
	if req.balancer != "" {
		name := shim.BalancerPrefix + req.balancer
		flags = append(flags, "-Wl,--defsym="+name+"=0", "-Wl,--export-dynamic-symbol="+name)
	}
	if k.modDir != "" {
		flags = append(flags, "-l"+mainLibrary)
	}
	return flags
}

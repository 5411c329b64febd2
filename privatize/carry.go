package privatize

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Carried is a plugin that a rank brings along from another process, which opened it.
type Carried struct {
	Path     string
	Identity []byte // as many bytes of Plugin.Identity as were kept, zeroes behind it
	Place    Place
	Scope    string // what it sees: Extension.Scope
}

// Carry readies this process for plugins of the rank at base, whose images are attached, in the order in which they were opened. It maps
// the files' parts of those that are not `mapped` here, and replaces the other process's values by this one's, as Attach does for the program.
func (p *Program) Carry(base uintptr, list []Carried, mapped func(i int) bool) error {
	plugins := make([]*Plugin, len(list))
	var fresh []*Plugin
	for i, c := range list {
		g, err := p.carried(&c)
		if err != nil {
			return err
		}
		if plugins[i] = g; g.needs == nil {
			fresh = append(fresh, g)
		}
	}
	for _, g := range fresh {
		g.needs = p.needsAmong(g, plugins)
	}
	for i, g := range plugins {
		u, err := p.carriedUnit(g, list[i].Scope)
		if err != nil {
			return err
		}
		if !mapped(i) {
			if err := u.mapFiles(base, true); err != nil {
				return err
			}
		}
		u.rebindExternals(base)
		u.askResolvers(p, base)
		u.rebindResolved(base)
	}
	return nil
}

// carried finds the plugin in this process, or opens its file, which must be the one that the rank has.
func (p *Program) carried(c *Carried) (*Plugin, error) {
	if g := p.PluginAt(c.Place.Offset); g != nil {
		return g, nil
	}
	g, err := p.openCarried(c.Path)
	if err != nil {
		return nil, err
	}
	identity := make([]byte, len(c.Identity))
	if copy(identity, g.Identity()); !bytes.Equal(identity, c.Identity) {
		return nil, fmt.Errorf("%s: the file has changed since the rank has opened it", c.Path)
	}
	return g, g.place(func(Footprint) (Place, error) { return c.Place, nil })
}

func (p *Program) openCarried(path string) (*Plugin, error) {
	file := p.opts.file(path)
	st, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	for _, g := range p.plugins {
		if g.is(st) {
			return g, nil
		}
	}
	g, err := newPlugin(path, file, p.images[:1])
	if err == nil {
		p.plugins = append(p.plugins, g)
	}
	return g, err
}

// needsAmong finds the direct dependencies of a plugin among what the rank has.
func (p *Program) needsAmong(g *Plugin, plugins []*Plugin) []*image {
	needs := []*image{}
	for _, name := range g.im.dyn.needed {
		if im := p.byName(name); im != nil {
			needs = append(needs, im)
			continue
		}
		for _, h := range plugins {
			if h.im.name == name || h.im.path == name {
				needs = append(needs, h.im)
			}
		}
	}
	return needs
}

// scopeKey names a scope by the places of its images, which are the same in all processes.
func scopeKey(scope []*image, undefined uintptr) string {
	key := fmt.Sprint(undefined)
	for _, im := range scope {
		key += fmt.Sprintf(" %x", im.bias+im.low())
	}
	return key
}

// carriedUnit is the plugin relocated for the scope with this key.
func (p *Program) carriedUnit(g *Plugin, key string) (*Program, error) {
	if u := g.units[key]; u != nil {
		return u, nil
	}
	fields := strings.Fields(key)
	undefined, err := strconv.ParseUint(fields[0], 10, 64)
	if err != nil {
		panic("BUG: scope " + key)
	}
	known := p.known()
	var scope []*image
	for _, f := range fields[1:] {
		i := slices.IndexFunc(known, func(im *image) bool { return fmt.Sprintf("%x", im.bias+im.low()) == f })
		if i < 0 {
			return nil, fmt.Errorf("%s: what it was linked with, at %s, is not here", g.Path(), f)
		}
		scope = append(scope, known[i])
	}
	return g.unit(p, scope, uintptr(undefined))
}

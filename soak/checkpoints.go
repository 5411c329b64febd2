package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const spoiledDirectories = 8 // in a case

// spoilCheckpoints changes files in a directory of checkpoints in which a job was killed, and has it go on: with the right result, or not at all,
// with a word that says why. With checksums that are right again the result may be anything, and ampirun has to stay in order.
func spoilCheckpoints(c *trial) {
	r := c.someRounds()
	r.pause = max(r.pause, 1e6)
	result := r.result(c)
	saves := c.dir + "/saves"
	args := []string{"+p", fmt.Sprint(c.between(1, 3)), "+vp", fmt.Sprint(r.ranks), "+ckpt", saves, "+ckpt-every", "0.1", "+ckpt-keep", "3"}
	if c.between(0, 4) == 0 {
		args = append(args, "+ckpt-embed")
	}
	p := c.start(nil, append(args, r.command(c)...)...)
	c.waitFor(p, func() bool { return c.hasCheckpoint() })
	c.pause(500e6)
	p.kill()
	for range spoiledDirectories {
		spoiled := c.dir + "/spoiled"
		if err := os.CopyFS(spoiled, os.DirFS(saves)); err != nil {
			c.fail("%v", err)
		}
		what, anyResult := c.spoilDirectory(spoiled)
		c.restartSpoiled(spoiled, what, result, anyResult)
		c.count("spoiled checkpoints", 1)
		os.RemoveAll(spoiled)
		if c.isEnded() {
			return
		}
	}
}

// restartSpoiled goes on from what was spoiled.
func (c *trial) restartSpoiled(dir, what, result string, anyResult bool) {
	p := c.start(nil, "+restart", dir, "+p", fmt.Sprint(c.between(1, 3)))
	if anyResult {
		p.endSoon()
	}
	p.end()
	switch {
	case p.code() == 0 && !anyResult && lastLine(p.out.String()) != result:
		p.fail("after %s it ends well without the result %q", what, result)
	case p.code() != 0 && p.err.String() == "":
		p.fail("after %s it fails without a word", what)
	case p.code() == 0:
		c.count("went on", 1)
	default:
		c.count("refused", 1)
	}
}

// spoilDirectory changes some files, and says how; anyResult: the checksums are right.
func (c *trial) spoilDirectory(dir string) (what string, anyResult bool) {
	files, _ := filepath.Glob(dir + "/*/*")
	for range c.between(1, 3) {
		path := files[c.random.IntN(len(files))]
		manifests, _ := filepath.Glob(dir + "/*/manifest")
		if len(manifests) > 0 && c.between(0, 1) == 0 {
			path = manifests[len(manifests)-1]
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) == 0 {
			continue
		}
		name := strings.TrimPrefix(path, dir+"/")
		how, signed := c.spoilFile(path, data, files)
		what, anyResult = what+how+" of "+name+", ", anyResult || signed
	}
	return what, anyResult
}

func (c *trial) spoilFile(path string, data []byte, files []string) (how string, signed bool) {
	kind := c.between(0, 5)
	if filepath.Base(path) == "manifest" && c.between(0, 1) == 0 {
		kind = 6
	}
	switch kind {
	case 0:
		data[c.random.IntN(len(data))] ^= 1 << c.random.IntN(8)
		how = "a bit"
	case 1:
		at := c.random.IntN(len(data))
		clear(data[at:min(len(data), at+4096)])
		how = "a page"
	case 2:
		data = data[:c.random.IntN(len(data))]
		how = "the end"
	case 3:
		os.Remove(path)
		return "the loss", false
	case 4:
		other, err := os.ReadFile(files[c.random.IntN(len(files))])
		if err == nil {
			data = other
		}
		how = "the exchange"
	case 5:
		data = append(data, byte(c.random.IntN(256)))
		how = "a further byte"
	case 6:
		data = c.forge(data)
		how, signed = "the forgery", true
	}
	os.Remove(path) // others share it
	if err := os.WriteFile(path, data, 0o600); err != nil {
		c.fail("%v", err)
	}
	return how, signed
}

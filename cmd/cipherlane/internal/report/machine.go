package report

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"strconv"
	"strings"

	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
)

// facts are the keys of /proc/cpuinfo that a report has: others may identify the machine, such as
// the serial number that some ARM boards have there.
var facts = map[string]bool{
	"vendor_id": true, "cpu family": true, "model": true, "model name": true, "stepping": true, "microcode": true, "flags": true, // amd64
	"CPU implementer": true, "CPU architecture": true, "CPU variant": true, "CPU part": true, "CPU revision": true, "Features": true, // arm
	"isa": true, "hart isa": true, "mmu": true, "uarch": true, "mvendorid": true, "marchid": true, "mimpid": true, // riscv64
	"system type": true, "machine": true, "cpu model": true, "isa extensions": true, "ASEs implemented": true, // mips
	"CPU Family": true, "Model Name": true, "ISA": true, "CPU Revision": true, // loong64
	"cpu": true, "revision": true, // ppc64
}

// cores are the CPUs of Linux that say the same of themselves.
type cores struct {
	Count int               `json:"count"`
	Facts map[string]string `json:"facts"`
}

// thisMachine describes the machine whose files are in a file system, for people by a name.
func thisMachine(root fs.FS, name string) machine {
	m := machine{Machine: inventory.ThisMachine(), CPUs: readCores(root)}
	m.Board = line(root, "proc/device-tree/model")
	m.Name = cmp.Or(name, m.Board, m.CPU)
	if len(m.CPUs) > 0 {
		if f := m.CPUs[0].Facts; f["cpu family"] != "" {
			m.Family = fmt.Sprintf("family %s, model %s, stepping %s", f["cpu family"], f["model"], f["stepping"])
		}
	}
	highest := 0
	for i := range m.Cores {
		kHz, _ := strconv.Atoi(line(root, fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq", i)))
		highest = max(highest, kHz)
	}
	if highest > 0 {
		m.Clock = strconv.FormatFloat(float64(highest)/1e6, 'g', 3, 64) + " GHz"
	}
	return m
}

// line returns the text of a file of one line, or "" if there is none.
func line(root fs.FS, name string) string {
	text, _ := fs.ReadFile(root, name)
	return strings.Trim(string(text), "\x00\n ")
}

// readCores returns what Linux says of its CPUs. Lines before the first CPU are for all of them.
func readCores(root fs.FS) (list []cores) {
	text, _ := fs.ReadFile(root, "proc/cpuinfo")
	common := map[string]string{}
	now := common
	for row := range strings.Lines(string(text) + "processor:") {
		key, value, _ := strings.Cut(row, ":")
		if key = strings.TrimSpace(key); facts[key] {
			now[key] = strings.Join(strings.Fields(value), " ")
		}
		if key != "processor" {
			continue
		}
		if len(now) > len(common) {
			list = add(list, now)
		}
		now = maps.Clone(common)
	}
	return list
}

// add counts a CPU.
func add(list []cores, facts map[string]string) []cores {
	for i := range list {
		if maps.Equal(list[i].Facts, facts) {
			list[i].Count++
			return list
		}
	}
	return append(list, cores{1, facts})
}

// Std compares Go's standard library with the one that "cipherlane go --std" makes of it. It
// builds package measure with each, runs both in turns on one CPU, and prints tables in Markdown:
// of CPU time per byte of TLS, medians, and of the time per call of crypto/cipher, the best.
//
//	go run ./peers/std [-rounds 5] [-mb 512]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	rounds := flag.Int("rounds", 5, "`times` that each program runs")
	mb := flag.Int("mb", 512, "`MiB` per TLS connection")
	flag.Parse()
	if err := compare(*rounds, *mb); err != nil {
		fmt.Fprintln(os.Stderr, "std:", err)
		os.Exit(1)
	}
}

func compare(rounds, mb int) error {
	dir, err := os.MkdirTemp("", "std")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command, theirs, ours := filepath.Join(dir, "cipherlane"), filepath.Join(dir, "theirs"), filepath.Join(dir, "ours")
	for _, args := range [][]string{
		{"go", "build", "-o", command, "./cmd/cipherlane"},
		{"go", "build", "-o", theirs, "./peers/std/measure"},
		{command, "go", "--std", "build", "-o", ours, "./peers/std/measure"},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	var names []string
	figures := map[string]*[2][]float64{}
	for range rounds {
		for i, program := range []string{theirs, ours} {
			cmd := exec.Command(program, strconv.Itoa(mb))
			if taskset, err := exec.LookPath("taskset"); err == nil {
				cmd = exec.Command(taskset, "-c", "1", program, strconv.Itoa(mb))
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("%s: %w\n%s", cmd, err, &stderr)
			}
			for line := range strings.Lines(string(out)) {
				name, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
				figure, err := strconv.ParseFloat(text, 64)
				if err != nil {
					return fmt.Errorf("%s: unexpected line %q", cmd, line)
				}
				if figures[name] == nil {
					names = append(names, name)
					figures[name] = new([2][]float64)
				}
				figures[name][i] = append(figures[name][i], figure)
			}
		}
	}
	fmt.Println("| | Go, ns | with --std, ns | |\n|---|--:|--:|--:|")
	for _, name := range names {
		var result [2]float64
		for i, list := range figures[name] {
			slices.Sort(list)
			result[i] = list[0]
			if strings.HasPrefix(name, "TLS") {
				result[i] = list[len(list)/2]
			}
		}
		fmt.Printf("| %s | %.4g | %.4g | %.2f |\n", name, result[0], result[1], result[1]/result[0])
	}
	return nil
}

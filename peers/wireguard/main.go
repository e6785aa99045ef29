//go:build linux

// Command wireguard sends TCP through wireguard-go, unmodified and with cipherlane's
// ChaCha20-Poly1305, and prints how much CPU time each byte takes:
//
//	go run ./peers/wireguard
//	go run ./peers/wireguard -bytes 1000000000 -rounds 9
//	go run ./peers/wireguard -tailscale
//
// It needs root: it creates network namespaces with tun devices and connects two
// processes of wireguard-go, built from a copy of the module, with a veth pair. The
// two programs run alternately. CPU time is the total of both processes, including
// their system calls.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

var (
	size   = flag.Int64("bytes", 256<<20, "bytes to send")
	rounds = flag.Int("rounds", 5, "how often; the median counts")

	tailscale = flag.Bool("tailscale", false, "compare Tailscale's wireguard-go, built by \"cipherlane go\"")
)

func main() {
	flag.Parse()
	if err := compare(); err != nil {
		fmt.Fprintln(os.Stderr, "wireguard:", err)
		os.Exit(1)
	}
}

func compare() error {
	dir, err := os.MkdirTemp("", "wg")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	names := []string{"unmodified", "cipherlane"}
	path := wireguardPath
	if *tailscale {
		path = tailscalePath
	}
	var tunnels []*tunnel
	for i, name := range names {
		t, err := copyTree(dir, name, path, i == 1)
		if err != nil {
			return err
		}
		program, sockets := filepath.Join(dir, "wireguard-"+name), filepath.Join(dir, "s"+name)
		if err := t.buildProgram(program, sockets); err != nil {
			return err
		}
		tunnel, err := newTunnel(program, sockets)
		if err != nil {
			return err
		}
		defer tunnel.close()
		if _, err := tunnel.send(1 << 20); err != nil { // the handshake
			return fmt.Errorf("%s: %w", name, err)
		}
		tunnels = append(tunnels, tunnel)
	}
	results := make([][]transfer, len(tunnels))
	for range *rounds {
		for i, t := range tunnels {
			x, err := t.send(*size)
			if err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
			results[i] = append(results[i], x)
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "wireguard-go\tMB/s\tsender, ns/byte\treceiver, ns/byte\tboth\t")
	var both []float64
	for i, name := range names {
		rate := median(results[i], func(x transfer) float64 { return float64(x.bytes) / x.wall.Seconds() / 1e6 })
		sender := median(results[i], func(x transfer) float64 { return perByte(x, x.cpu[0]) })
		receiver := median(results[i], func(x transfer) float64 { return perByte(x, x.cpu[1]) })
		both = append(both, median(results[i], func(x transfer) float64 { return perByte(x, x.cpu[0]+x.cpu[1]) }))
		fmt.Fprintf(w, "%s\t%.0f\t%.3f\t%.3f\t%.3f\t\n", name, rate, sender, receiver, both[i])
	}
	w.Flush()
	fmt.Printf("CPU per byte with cipherlane: %.2f of the unmodified program\n", both[1]/both[0])
	return nil
}

func perByte(x transfer, cpu time.Duration) float64 {
	return float64(cpu.Nanoseconds()) / float64(x.bytes)
}

func median(list []transfer, f func(transfer) float64) float64 {
	var values []float64
	for _, x := range list {
		values = append(values, f(x))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

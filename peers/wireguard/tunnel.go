//go:build linux

package main

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.zx2c4.com/wireguard/device"
)

// errCannot is returned if this machine does not allow tunnels.
var errCannot = errors.New("needs root, /dev/net/tun, network namespaces and the command ip")

// A namespace is a network namespace without a name: Linux removes it, and the
// devices in it, when the thread and the processes that are in it have ended,
// however this program ends.
type namespace struct {
	calls chan func()
	tid   int
}

func newNamespace() (*namespace, error) {
	n := &namespace{calls: make(chan func())}
	ready := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		n.tid = unix.Gettid()
		err := unix.Unshare(unix.CLONE_NEWNET)
		ready <- err
		if err != nil {
			return
		}
		for f := range n.calls {
			f()
		}
	}()
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("%w: %w", errCannot, err)
	}
	return n, n.ip("link", "set", "lo", "up")
}

// do runs f in the namespace, so that the sockets and processes it creates are there.
func (n *namespace) do(f func() error) error {
	result := make(chan error)
	n.calls <- func() { result <- f() }
	return <-result
}

func (n *namespace) ip(args ...string) error {
	return n.do(func() error {
		_, err := run("", nil, "ip", args...)
		return err
	})
}

// A tunnel is two namespaces with a cable between them and wireguard-go in each.
type tunnel struct {
	ends [2]*end
}

type end struct {
	*namespace
	device  string
	process *exec.Cmd
	stderr  trace
	key     *ecdh.PrivateKey
}

// A trace keeps what a process prints.
type trace struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (t *trace) Write(p []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.text.Write(p)
}

func (t *trace) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.text.String()
}

const (
	cable       = "192.0.2." // the address of end i: i+1
	innerPrefix = "198.51.100."
	port        = 51820
)

// newTunnel starts the program twice. The program must have been built with the given
// directory for its control sockets.
func newTunnel(program, sockets string) (t *tunnel, err error) {
	if f, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", errCannot, err)
	} else {
		f.Close()
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return nil, fmt.Errorf("%w: %w", errCannot, err)
	}
	t = new(tunnel)
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	for i := range t.ends {
		n, err := newNamespace()
		if err != nil {
			return t, err
		}
		key, err := ecdh.X25519().GenerateKey(rand.Reader)
		if err != nil {
			return t, err
		}
		t.ends[i] = &end{namespace: n, device: "wg" + strconv.Itoa(i), key: key}
	}
	if err := t.ends[0].ip("link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", strconv.Itoa(t.ends[1].tid)); err != nil {
		return t, fmt.Errorf("%w: %w", errCannot, err)
	}
	for i, e := range t.ends {
		for _, args := range [][]string{
			{"addr", "add", cable + strconv.Itoa(i+1) + "/24", "dev", "cable"},
			{"link", "set", "cable", "up"},
		} {
			if err := e.ip(args...); err != nil {
				return t, err
			}
		}
		if err := e.start(program); err != nil {
			return t, err
		}
		other := t.ends[1-i]
		if err := e.configure(filepath.Join(sockets, e.device+".sock"), fmt.Sprintf(
			"set=1\nprivate_key=%x\nlisten_port=%d\npublic_key=%x\nendpoint=%s%d:%d\nallowed_ip=%s%d/32\n\n",
			e.key.Bytes(), port, other.key.PublicKey().Bytes(), cable, 2-i, port, innerPrefix, 2-i)); err != nil {
			return t, err
		}
		for _, args := range [][]string{
			{"addr", "add", innerPrefix + strconv.Itoa(i+1) + "/24", "dev", e.device},
			{"link", "set", e.device, "mtu", strconv.Itoa(device.DefaultMTU), "up"},
		} {
			if err := e.ip(args...); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

func (e *end) start(program string) error {
	e.process = exec.Command(program, "-f", e.device)
	e.process.Env = append(os.Environ(), "LOG_LEVEL=error", "TRACE_AEAD=1", "WG_PROCESS_FOREGROUND=1")
	e.process.Stderr = &e.stderr
	e.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return e.do(e.process.Start)
}

// configure sends a configuration to the control socket, once it exists.
func (e *end) configure(socket, text string) error {
	var c net.Conn
	var err error
	for range 500 {
		if c, err = net.Dial("unix", socket); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("wireguard-go does not listen: %w: %s", err, e.stderr.String())
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		return err
	}
	answer := make([]byte, 64)
	n, err := c.Read(answer)
	if err != nil || string(answer[:n]) != "errno=0\n\n" {
		return fmt.Errorf("wireguard-go refuses its configuration: %w %q", err, answer[:n])
	}
	return nil
}

func (t *tunnel) close() {
	for _, e := range t.ends {
		if e == nil {
			continue
		}
		if e.process != nil && e.process.Process != nil {
			e.process.Process.Signal(syscall.SIGTERM)
			killer := time.AfterFunc(5*time.Second, func() { e.process.Process.Kill() })
			e.process.Wait()
			killer.Stop()
		}
		close(e.calls)
	}
}

// A transfer is the cost of sending bytes from end 0 to end 1.
type transfer struct {
	bytes int64
	wall  time.Duration
	cpu   [2]time.Duration // of the two processes of wireguard-go
}

// send sends bytes over TCP through the tunnel and checks that they arrive.
func (t *tunnel) send(size int64) (x transfer, err error) {
	var listener net.Listener
	address := innerPrefix + "2:7"
	if err := t.ends[1].do(func() (err error) {
		listener, err = net.Listen("tcp4", address)
		return err
	}); err != nil {
		return x, err
	}
	defer listener.Close()
	listener.(*net.TCPListener).SetDeadline(time.Now().Add(20 * time.Second))

	block := make([]byte, 1<<20)
	rand.Read(block)
	type received struct {
		wrong bool
		n     int64
		err   error
	}
	done := make(chan received)
	go func() {
		var r received
		defer func() { done <- r }()
		c, err := listener.Accept()
		if err != nil {
			r.err = err
			return
		}
		defer c.Close()
		buf := make([]byte, len(block))
		for {
			n, err := io.ReadFull(c, buf)
			r.n += int64(n)
			r.wrong = r.wrong || sha256.Sum256(buf[:n]) != sha256.Sum256(block[:n])
			if err != nil {
				if err != io.EOF && err != io.ErrUnexpectedEOF {
					r.err = err
				}
				return
			}
		}
	}()

	var c net.Conn
	if err := t.ends[0].do(func() (err error) {
		c, err = net.DialTimeout("tcp4", address, 20*time.Second)
		return err
	}); err != nil {
		listener.Close()
		<-done
		return x, err
	}
	var before [2]time.Duration
	for i := range before {
		before[i] = t.ends[i].cpu()
	}
	start := time.Now()
	for left := size; left > 0 && err == nil; left -= int64(len(block)) {
		_, err = c.Write(block[:min(left, int64(len(block)))])
	}
	c.Close()
	r := <-done
	x.wall = time.Since(start)
	for i := range before {
		x.cpu[i] = t.ends[i].cpu() - before[i]
	}
	x.bytes = r.n
	switch {
	case err != nil:
	case r.err != nil:
		err = r.err
	case r.n != size || r.wrong:
		err = fmt.Errorf("%d bytes arrived, want %d; wrong ones: %v", r.n, size, r.wrong)
	}
	return x, err
}

// cpu returns the CPU time that the process has used so far.
func (e *end) cpu() time.Duration {
	const scheduled = 2 // CPUCLOCK_SCHED of a process: clock_getcpuclockid(3)
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^e.process.Process.Pid<<3|scheduled), &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// buildProgram builds the wireguard-go of a tree, with its control sockets in a
// directory.
func (t *tree) buildProgram(file, sockets string) error {
	args := append(t.build[1:len(t.build):len(t.build)], "build", "-o", file, "-ldflags", "-X "+t.path+"/ipc.socketDirectory="+sockets, ".")
	_, err := run(t.dir, t.env, t.build[0], args...)
	return err
}

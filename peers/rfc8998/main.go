// Command rfc8998 lets implementations of TLS 1.3 with SM2, SM3 and SM4 (RFC 8998) talk to each other,
// with certificates of "cipherlane sm2 cert", and prints a table:
//
//	go run ./peers/rfc8998                 all peers, each as a server and as a client
//	go run ./peers/rfc8998 -match Go       only exchanges with a peer of this name
//	go run ./peers/rfc8998 -v              also the output of the peers
//
// The peers are
//
//   - OpenSSL, the newest that Debian has, unpacked by ci/rig/get into its cache;
//   - GmSSL, built from the source in the package easy-gmssl of PyPI, or another one (-gmssl PROGRAM);
//   - BouncyCastle, from Maven Central, as a client: needs mvn and a JDK;
//   - Go, a program built by "cipherlane go --sm";
//   - gRPC, another such program, with itself.
//
// A peer that cannot be had is named, with the reason. Everything happens on the loopback interface; to
// be sure of that, since GmSSL listens on all interfaces, the peers run in a network namespace of their
// own (unshare). The exit status is 1 if an exchange ends in another way than it should.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	verbose = flag.Bool("v", false, "print the output of the peers")
	match   = flag.String("match", "", "only exchanges with a peer whose name contains this")
	gmsslAt = flag.String("gmssl", "", "use this program gmssl in place of the one that is built")
	large   = flag.Int("large", 100_000_000, "how many bytes are many")
	inside  = flag.String("inside", "", "for internal use: the directory with certificates")
)

// An exchange is what a server and a client should do.
type exchange struct {
	name    string
	suite   string
	groups  []string // of the client
	server  string   // the group of the server
	mutual  bool     // with a certificate of the client
	again   bool     // a second connection, which is resumed
	bytes   int
	otherCA bool // the client trusts another CA: it must fail
	echo    bool // the server sends what it receives, in place of zeros
	strict  bool // without what RFC 8446, appendix D.4, has for middleboxes
}

const (
	gcm = "TLS_SM4_GCM_SM3"
	ccm = "TLS_SM4_CCM_SM3"
	sm2 = "curveSM2"
)

func exchanges() []exchange {
	return []exchange{
		{name: "full", suite: gcm, groups: []string{sm2}, server: sm2, bytes: 1000},
		{name: "CCM", suite: ccm, groups: []string{sm2}, server: sm2, bytes: 1000},
		{name: "client certificate", suite: gcm, groups: []string{sm2}, server: sm2, mutual: true, bytes: 1000},
		{name: "HelloRetryRequest", suite: gcm, groups: []string{"X25519", sm2}, server: sm2, bytes: 1000},
		{name: "curveSM2MLKEM768", suite: gcm, groups: []string{hybrid}, server: hybrid, bytes: 1000},
		{name: "resumption", suite: gcm, groups: []string{sm2}, server: sm2, again: true, bytes: 1000},
		{name: strconv.Itoa(*large/1_000_000) + " MB", suite: gcm, groups: []string{sm2}, server: sm2, bytes: *large},
		{name: "wrong CA", suite: gcm, groups: []string{sm2}, server: sm2, bytes: 1000, otherCA: true},
	}
}

const hybrid = "curveSM2MLKEM768"

// groupIDs are the numbers of groups in TLS.
var groupIDs = map[string]string{sm2: "41", "X25519": "29", hybrid: "4590"}

// A peer is an implementation.
type peer struct {
	name, version string
	lacks         map[string]string // exchanges that it cannot have, with the reason

	// serve returns the command of a server, which listens on the port, or prints another. It is nil
	// if there is no server.
	serve func(e exchange, port int) *exec.Cmd
	// get returns the command of a client, and whether its output shows success.
	get func(e exchange, port int) (*exec.Cmd, func(output string) error)
	// echo: the server sends what it receives.
	echo bool
	// alone: it speaks a protocol above TLS that no other peer does.
	alone bool
	// strict: it does not expect ChangeCipherSpec, and does not return the ID of a session, as it should
	// by RFC 8446, appendix D.4, and section 4.1.3. usual: it cannot do without.
	strict, usual bool
}

func main() {
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "rfc8998: %s: want no arguments: -match NAME chooses peers\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "rfc8998:", err)
		os.Exit(1)
	}
}

func run() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	cache = filepath.Join(cache, "cipherlane-ci")
	dir := *inside
	if dir == "" {
		if dir, err = os.MkdirTemp("", "rfc8998"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := makeCertificates(dir); err != nil {
			return err
		}
	}
	peers, err := find(cache, dir)
	if err != nil {
		return err
	}
	if *inside == "" {
		return isolated(dir)
	}
	return table(peers, dir)
}

// isolated runs the rest in a network namespace.
func isolated(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	namespaces := "-n"
	if os.Getuid() != 0 {
		namespaces = "-rn"
	}
	args := append([]string{namespaces, "sh", "-c", `ip link set lo up && exec "$0" "$@"`, self, "-inside", dir}, os.Args[1:]...)
	c := exec.Command("unshare", args...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// makeCertificates makes a CA, another, and certificates and keys of a server and a client.
func makeCertificates(dir string) error {
	cipherlane := filepath.Join(dir, "cipherlane")
	if err := runIn("", "go", "build", "-o", cipherlane, "./cmd/cipherlane"); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "passphrase"), []byte("secret\n"), 0o600); err != nil {
		return err
	}
	for _, name := range []string{"1000", strconv.Itoa(*large)} {
		n, _ := strconv.Atoi(name)
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, n), 0o600); err != nil {
			return err
		}
	}
	for _, line := range []string{
		"cert --ca CA --new-key ca.key -o ca.pem",
		"cert --ca Other --new-key other.key -o other.pem",
		"cert localhost 127.0.0.1 --issuer ca.pem --issuer-key ca.key --new-key server.key -o server.pem",
		"cert --client alice --issuer ca.pem --issuer-key ca.key --new-key client.key -o client.pem",
		// GmSSL reads only keys that are encrypted.
		"keygen -e --passphrase-file passphrase --kdf pbkdf2-sm3-gmssl --cipher sm4 -o gmssl-server.key",
		"keygen -e --passphrase-file passphrase --kdf pbkdf2-sm3-gmssl --cipher sm4 -o gmssl-client.key",
		"cert localhost 127.0.0.1 --issuer ca.pem --issuer-key ca.key --key gmssl-server.key --passphrase-file passphrase -o gmssl-server.pem",
		"cert --client alice --issuer ca.pem --issuer-key ca.key --key gmssl-client.key --passphrase-file passphrase -o gmssl-client.pem",
	} {
		if err := runIn(dir, cipherlane, append([]string{"sm2"}, strings.Fields(line)...)...); err != nil {
			return err
		}
	}
	return nil
}

func runIn(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// table runs all exchanges and prints the table.
func table(peers []*peer, dir string) error {
	fmt.Printf("\n| server | client | exchange | result |\n|---|---|---|---|\n")
	wrong := 0
	for _, server := range peers {
		for _, client := range peers {
			if server.serve == nil || !strings.Contains(server.name+client.name, *match) || !together(server, client) {
				continue
			}
			for _, e := range exchanges() {
				result, err := "", error(nil)
				reason := server.lacks[e.name]
				if reason == "" {
					reason = client.lacks[e.name]
				}
				if server.strict && client.usual || server.usual && client.strict {
					reason = "GmSSL 3.1.1 does not know ChangeCipherSpec and the ID of a session in TLS 1.3"
				}
				switch {
				case reason != "":
					result = "not possible: " + reason
				default:
					if err = exchanged(server, client, e, dir); (err == nil) == !e.otherCA {
						result = "works"
						if e.otherCA {
							result = "refused"
						}
					} else if wrong++; err != nil {
						result = "**fails**: " + oneLine(err.Error())
					} else {
						result = "**accepted**"
					}
				}
				fmt.Printf("| %s %s | %s %s | %s | %s |\n", server.name, server.version, client.name, client.version, e.name, result)
			}
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d exchanges end in another way than they should", wrong)
	}
	return nil
}

// together reports whether two peers have something to exchange. Of those that talk to others, only Go also
// talks to itself.
func together(server, client *peer) bool {
	if server == client {
		return server.alone || server.name == "Go"
	}
	return !server.alone && !client.alone
}

// oneLine returns the last part of a text, for a table.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(s, "|", "/")), " ")
	if len(s) > 200 {
		s = "…" + s[len(s)-200:]
	}
	return s
}

// exchanged runs a server and a client, and returns nil if all is as it should be.
func exchanged(server, client *peer, e exchange, dir string) error {
	e.strict = server.strict || client.strict
	e.echo = server.echo
	port, err := freePort()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := server.serve(e, port)
	s.Dir = dir
	serverOut, err := start(ctx, s)
	if err != nil {
		return err
	}
	defer func() {
		s.Process.Kill()
		s.Wait()
		if *verbose {
			fmt.Fprintf(os.Stderr, "server %s\n%s\n", s, serverOut)
		}
	}()
	if port, err = ready(ctx, serverOut, port); err != nil {
		return fmt.Errorf("the server: %w: %s", err, serverOut)
	}
	c, check := client.get(e, port)
	c.Dir = dir
	request := strings.NewReader(fmt.Sprintf("GET /%d HTTP/1.0\r\n\r\n", e.bytes))
	c.Stdin = io.MultiReader(request, waiting{ctx}) // most clients leave when their input ends
	out, err := start(ctx, c)
	if err != nil {
		return err
	}
	defer func() {
		cancel()
		c.Process.Kill()
		if *verbose {
			fmt.Fprintf(os.Stderr, "client %s\n%s\n", c, out)
		}
	}()
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	var last error
	for {
		last = check(out.String())
		if last == nil && server.echo && !strings.Contains(out.String(), "GET /") {
			last = errors.New("no echo")
		}
		select {
		case err := <-done:
			if last = check(out.String()); last == nil {
				return nil
			}
			return fmt.Errorf("%w (%v): %s; server: %s", last, err, out, tail(serverOut))
		case <-ctx.Done():
			return fmt.Errorf("%w, after a long time: %s; server: %s", last, out, tail(serverOut))
		case <-time.After(200 * time.Millisecond):
			if last == nil {
				return nil
			}
		}
	}
}

func tail(b *buffer) string {
	s := b.String()
	return s[max(0, len(s)-300):]
}

// waiting blocks until the exchange ends.
type waiting struct{ context.Context }

func (w waiting) Read([]byte) (int, error) { <-w.Done(); return 0, io.EOF }

// A buffer has the output of a program: all its text, and of the zeros only how many there were.
type buffer struct {
	mutex sync.Mutex
	text  bytes.Buffer
	zeros int
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	n := bytes.Count(p, []byte{0})
	b.zeros += n
	if n == 0 {
		b.text.Write(p)
	} else if n < len(p) {
		b.text.Write(bytes.ReplaceAll(p, []byte{0}, nil))
	}
	return len(p), nil
}

// String returns the text, and the number of zeros in a last line.
func (b *buffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return fmt.Sprintf("%s\nzeros %d\n", b.text.String(), b.zeros)
}

func start(_ context.Context, c *exec.Cmd) (*buffer, error) {
	out := new(buffer)
	c.Stdout, c.Stderr = out, out
	c.WaitDelay = time.Second
	return out, c.Start()
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// ready waits until a server says that it listens, and returns its port.
func ready(ctx context.Context, out *buffer, port int) (int, error) {
	for {
		s := bufio.NewScanner(strings.NewReader(out.String()))
		for s.Scan() {
			switch line := s.Text(); {
			case strings.HasPrefix(line, "port "):
				return strconv.Atoi(line[5:])
			case line == "ACCEPT", strings.HasPrefix(line, "start listen"):
				return port, nil
			}
		}
		select {
		case <-ctx.Done():
			return 0, errors.New("does not start")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

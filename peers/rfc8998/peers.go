package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// find returns the peers that can be had here, and prints those that cannot.
func find(cache, dir string) (peers []*peer, err error) {
	for _, p := range []struct {
		name string
		get  func(cache, dir string) (*peer, error)
	}{{"OpenSSL", openssl}, {"GmSSL", gmssl}, {"BouncyCastle", bouncyCastle}, {"Go", goProgram}, {"gRPC", grpcProgram}} {
		found, err := p.get(cache, dir)
		switch {
		case err == nil:
			found.name = p.name
			peers = append(peers, found)
		case *inside == "": // once
			fmt.Printf("%s cannot be had: %s\n", p.name, oneLine(err.Error()))
		}
	}
	if len(peers) == 0 {
		return nil, errors.New("there is no peer")
	}
	return peers, nil
}

// received returns an error unless a program received as many zeros as it should.
func received(e exchange, out string) error {
	if !e.echo && !strings.Contains(out, fmt.Sprintf("\nzeros %d\n", e.bytes)) {
		return fmt.Errorf("not %d bytes", e.bytes)
	}
	return nil
}

// openssl is s_server and s_client of the newest OpenSSL of Debian.
func openssl(cache, dir string) (*peer, error) {
	root := filepath.Join(cache, "peers-newest-sid+experimental")
	program := filepath.Join(root, "usr/bin/openssl")
	if _, err := os.Stat(program); err != nil && *inside == "" {
		if out, err := exec.Command("ci/rig/get", "peers-newest").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("ci/rig/get peers-newest: %w: %s", err, out)
		}
	}
	loaders, _ := filepath.Glob(filepath.Join(root, "usr/lib/*/ld-linux-*.so.*"))
	if _, err := os.Stat(program); err != nil || len(loaders) == 0 {
		return nil, fmt.Errorf("no openssl in %s", root)
	}
	command := func(args ...string) *exec.Cmd {
		return exec.Command(loaders[0], append([]string{"--library-path", filepath.Dir(loaders[0]), program}, args...)...)
	}
	version, err := command("version").Output()
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(version))
	return &peer{
		version: fields[1],
		serve: func(e exchange, port int) *exec.Cmd {
			args := []string{"s_server", "-accept", fmt.Sprint("127.0.0.1:", port), "-cert", "server.pem", "-key", "server.key", "-tls1_3", "-ciphersuites", e.suite, "-groups", e.server, "-WWW"}
			if e.strict {
				args = append(args, "-no_middlebox", "-num_tickets", "0")
			}
			if e.mutual {
				// By default, its CertificateRequest does not have sm2sig_sm3.
				args = append(args, "-Verify", "1", "-verify_return_error", "-verifyCAfile", "ca.pem", "-client_sigalgs", "sm2sig_sm3")
			}
			return command(args...)
		},
		get: func(e exchange, port int) (*exec.Cmd, func(string) error) {
			args := []string{"s_client", "-connect", fmt.Sprint("127.0.0.1:", port), "-servername", "localhost", "-verify_hostname", "localhost", "-verify_return_error", "-verifyCAfile", ca(e),
				"-tls1_3", "-ciphersuites", e.suite, "-groups", strings.Join(e.groups, ":"), "-ign_eof"}
			if e.strict {
				args = append(args, "-no_middlebox")
			}
			if e.mutual {
				args = append(args, "-cert", "client.pem", "-key", "client.key")
			}
			c := command(args...)
			if e.again { // another client before, whose ticket this one uses
				quote := "'" + strings.Join(c.Args, "' '") + "'"
				request := fmt.Sprintf(`printf 'GET /%d HTTP/1.0\r\n\r\n'`, e.bytes)
				c = exec.Command("sh", "-c", fmt.Sprintf("(%s; sleep 10) | timeout 20 %s -sess_out ticket >/dev/null; (%s; sleep 10) | %s -sess_in ticket", request, quote, request, quote))
			}
			return c, func(out string) error {
				first := "New"
				if e.again {
					first = "Reused"
				}
				if !strings.Contains(out, first+", TLSv1.3, Cipher is "+e.suite) || !strings.Contains(out, "Verify return code: 0 (ok)") {
					return errors.New("no line " + first)
				}
				return received(e, out)
			}
		},
	}, nil
}

// ca returns the file of the CA that a client trusts.
func ca(e exchange) string {
	if e.otherCA {
		return "other.pem"
	}
	return "ca.pem"
}

// gmsslVersion is the version in easy-gmssl 2.0.1.
const gmsslVersion = "3.1.1"

// gmssl is tls13_server and tls13_client of GmSSL.
func gmssl(cache, dir string) (*peer, error) {
	program, version := *gmsslAt, "(of -gmssl)"
	if program == "" {
		build := filepath.Join(cache, "gmssl-"+gmsslVersion)
		program, version = filepath.Join(build, "bin", "gmssl"), gmsslVersion
		if _, err := os.Stat(program); err != nil {
			script := `set -e
rm -rf "$1" "$1.new"; mkdir -p "$1.new"; cd "$1.new"
python3 -m pip -q download --no-deps --no-binary :all: --no-build-isolation easy-gmssl==2.0.1
tar xf easy_gmssl-*.tar.gz
cmake -S easy_gmssl-*/easy_gmssl/Core/GmSSL-* -B build -DCMAKE_BUILD_TYPE=Release
make -C build gmssl-bin
mv build "$1"; rm -rf "$1.new"`
			if *inside != "" {
				return nil, errors.New("was not built")
			}
			if err := runIn("", "sh", "-c", script, "sh", build); err != nil {
				return nil, err
			}
		}
	}
	command := func(args ...string) *exec.Cmd {
		c := exec.Command(program, args...)
		c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Dir(program))
		return c
	}
	const reason = "GmSSL's commands do not have it"
	return &peer{
		version: version,
		lacks: map[string]string{
			"CCM": reason, "HelloRetryRequest": reason, hybrid: reason, "resumption": reason,
			strconv.Itoa(*large/1_000_000) + " MB": reason,
		},
		serve: func(e exchange, port int) *exec.Cmd {
			args := []string{"tls13_server", "-port", strconv.Itoa(port), "-cert", "gmssl-server.pem", "-key", "gmssl-server.key", "-pass", "secret"}
			if e.mutual {
				args = append(args, "-cacert", "ca.pem")
			}
			c := command(args...)
			return exec.Command("env", append([]string{"LD_LIBRARY_PATH=" + filepath.Dir(program), "stdbuf", "-oL"}, c.Args...)...)
		},
		echo:   true,
		strict: true,
		get: func(e exchange, port int) (*exec.Cmd, func(string) error) {
			args := []string{"tls13_client", "-host", "127.0.0.1", "-port", strconv.Itoa(port), "-cacert", ca(e)}
			if e.mutual {
				args = append(args, "-cert", "gmssl-client.pem", "-key", "gmssl-client.key", "-pass", "secret")
			}
			return command(args...), func(out string) error {
				if !strings.Contains(out, "HTTP/1.0 ") && !strings.Contains(out, "Connection established") {
					return errors.New("no answer")
				}
				return nil
			}
		},
	}, nil
}

// bcVersion is the newest version of bctls-jdk18on on 2026-11-29.
const bcVersion = "1.84"

// bouncyCastle is Peer.java.
func bouncyCastle(cache, dir string) (*peer, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	var jars []string
	for _, name := range []string{"bcprov", "bcutil", "bcpkix", "bctls"} {
		found, _ := filepath.Glob(filepath.Join(home, ".m2/repository/org/bouncycastle", name+"-jdk18on", bcVersion, "*.jar"))
		jars = append(jars, found...)
	}
	if *inside == "" {
		if !slices.ContainsFunc(jars, func(jar string) bool { return strings.Contains(jar, "bctls") }) {
			if err := runIn("", "mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:2.8:get", "-Dartifact=org.bouncycastle:bctls-jdk18on:"+bcVersion); err != nil {
				return nil, err
			}
			return bouncyCastle(cache, dir)
		}
		if err := runIn("", "javac", "-cp", strings.Join(jars, ":"), "-d", dir, "peers/rfc8998/Peer.java"); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "Peer.class")); err != nil {
		return nil, err
	}
	command := func(groups []string, args ...string) *exec.Cmd {
		all := []string{"-cp", strings.Join(append(jars, dir), ":"), "-Djdk.tls.namedGroups=" + strings.ReplaceAll(strings.Join(groups, ","), "X25519", "x25519")}
		all = append(all, "-Djdk.tls.client.SignatureSchemes=sm2sig_sm3") // not by default
		return exec.Command("java", slices.Concat(all, []string{"Peer"}, args)...)
	}
	return &peer{
		version: bcVersion,
		usual:   true,
		lacks:   map[string]string{hybrid: "BouncyCastle does not have this group", "client certificate": "BouncyCastle finds no key of SM2", "resumption": "BouncyCastle does not resume TLS 1.3"},
		get: func(e exchange, port int) (*exec.Cmd, func(string) error) {
			return command(e.groups, e.suite, ca(e), strconv.Itoa(port), strconv.Itoa(e.bytes)), func(out string) error {
				return connected(out, "TLSv1.3 "+e.suite, e, 1)
			}
		},
	}, nil
}

// connected returns an error unless there is a number of lines that our programs print for a
// connection, with at least as many bytes as there should be.
func connected(out, want string, e exchange, times int) error {
	for line := range strings.Lines(out) {
		rest, ok := strings.CutPrefix(line, "connection "+want+" ")
		if number, _, _ := strings.Cut(rest, " "); ok {
			if n, err := strconv.Atoi(number); err == nil && (n >= e.bytes || e.echo) {
				times--
			}
		}
	}
	if times > 0 {
		return errors.New("no connection " + want)
	}
	return nil
}

// goProgram is the folder program, built with TLS of cipherlane.
func goProgram(cache, dir string) (*peer, error) {
	program := filepath.Join(dir, "program-go")
	if *inside == "" {
		if err := runIn("", filepath.Join(dir, "cipherlane"), "go", "--sm", "build", "-trimpath", "-o", program, "./peers/rfc8998/program"); err != nil {
			return nil, err
		}
	}
	return goPeer(program)
}

// grpcProgram is the folder grpc, a module of its own, built in the same way. It talks only to itself.
func grpcProgram(cache, dir string) (*peer, error) {
	program := filepath.Join(dir, "program-grpc")
	if *inside == "" {
		source, err := filepath.Abs(".")
		if err != nil {
			return nil, err
		}
		args := []string{"GOWORK=off", filepath.Join(dir, "cipherlane"), "go", "--sm", "--source", source, "build", "-trimpath", "-o", program, "."}
		if err := runIn("peers/rfc8998/grpc", "env", args...); err != nil {
			return nil, err
		}
	}
	p, err := goPeer(program)
	if err != nil {
		return nil, err
	}
	p.alone, p.lacks = true, map[string]string{"CCM": "gRPC selects the cipher suites", "resumption": "gRPC keeps its connection"}
	return p, nil
}

// goPeer is a program that was built before.
func goPeer(program string) (*peer, error) {
	if _, err := os.Stat(program); err != nil {
		return nil, err
	}
	command := func(args ...string) *exec.Cmd {
		return exec.Command("env", append([]string{"GODEBUG=tlssm=offer", program}, args...)...)
	}
	ids := func(groups ...string) string {
		var list []string
		for _, g := range groups {
			list = append(list, groupIDs[g])
		}
		return strings.Join(list, ",")
	}
	return &peer{
		version: "with cipherlane",
		usual:   true,
		serve: func(e exchange, port int) *exec.Cmd {
			trusted := "-"
			if e.mutual {
				trusted = "ca.pem"
			}
			return command("serve", "server.pem", "server.key", trusted, ids(e.server))
		},
		get: func(e exchange, port int) (*exec.Cmd, func(string) error) {
			cert, key := "-", "-"
			if e.mutual {
				cert, key = "client.pem", "client.key"
			}
			times := 1
			if e.again {
				times = 2
			}
			return command("get", cert, key, ca(e), ids(e.groups...), fmt.Sprint("127.0.0.1:", port), strconv.Itoa(e.bytes), strconv.Itoa(times)), func(out string) error {
				if err := connected(out, "TLS 1.3 "+e.suite, e, times); err != nil {
					return err
				}
				if e.again && !strings.Contains(out, "resumed true") {
					return errors.New("not resumed")
				}
				return nil
			}
		},
	}, nil
}

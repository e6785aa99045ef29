// Command program is the side of Go in the exchanges of peers/rfc8998. It uses crypto/tls only, and
// knows TLS 1.3 with SM2, SM3 and SM4 if it was built with "cipherlane go --sm build".
//
//	program serve CERT KEY CA GROUPS
//	program get CERT KEY CA GROUPS HOST:PORT BYTES TIMES
//
// CERT, KEY and CA may be "-". The server prints its port, and answers "GET /N" with N bytes. Both
// print a line for each connection.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("failed ", err)
	}
}

func run(args []string) error {
	if len(args) < 5 {
		return errors.New("usage: see the comment of the package")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS13, ServerName: "localhost", ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	if args[1] != "-" {
		pair, err := tls.LoadX509KeyPair(args[1], args[2])
		if err != nil {
			return err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if args[3] != "-" {
		text, err := os.ReadFile(args[3])
		if err != nil {
			return err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return fmt.Errorf("%s: no certificate", args[3])
		}
		config.RootCAs = pool
		config.ClientCAs, config.ClientAuth = pool, tls.RequireAndVerifyClientCert
	}
	for g := range strings.SplitSeq(args[4], ",") {
		id, err := strconv.ParseUint(g, 10, 16)
		if err != nil {
			return err
		}
		config.CurvePreferences = append(config.CurvePreferences, tls.CurveID(id))
	}
	if args[0] == "serve" {
		return serve(config)
	}
	n, err := strconv.Atoi(args[7])
	if err != nil {
		return err
	}
	for range n {
		if err := get(config, args[5], args[6]); err != nil {
			return err
		}
	}
	return nil
}

func serve(config *tls.Config) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("port", l.Addr().(*net.TCPAddr).Port)
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		if err := answer(tls.Server(c, config)); err != nil {
			fmt.Println("failed", err)
		}
	}
}

func answer(c *tls.Conn) error {
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return err
	}
	n := int64(0)
	if path := strings.Fields(line); len(path) > 1 {
		n, _ = strconv.ParseInt(strings.TrimPrefix(path[1], "/"), 10, 64)
	}
	fmt.Fprint(c, "HTTP/1.0 200 OK\r\n\r\n")
	written, err := io.Copy(c, io.LimitReader(zeros{}, n))
	report(c, written)
	return err
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func get(config *tls.Config, address, size string) error {
	c, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Minute}, "tcp", address, config)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Minute))
	if _, err := fmt.Fprintf(c, "GET /%s HTTP/1.0\r\n\r\n", size); err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, c)
	if err != nil && n == 0 {
		return err
	}
	report(c, n)
	return nil
}

// report prints what was negotiated.
func report(c *tls.Conn, bytes int64) {
	s := c.ConnectionState()
	peer := "-"
	if len(s.PeerCertificates) > 0 {
		peer = s.PeerCertificates[0].Subject.String()
	}
	fmt.Printf("connection %s %s %d %s group %d resumed %v\n", tls.VersionName(s.Version), tls.CipherSuiteName(s.CipherSuite), bytes, peer, s.CurveID, s.DidResume)
}

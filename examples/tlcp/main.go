// Command tlcp serves and fetches files by HTTPS with SM2 certificates, over TLCP (GB/T
// 38636, GM/T 0024) with the suite ECC_SM4_CBC_SM3. The protocol is package gmtls of
// github.com/tjfoc/gmsm.
//
//	tlcp serve -certs DIR -listen HOST:PORT FOLDER
//	tlcp get -certs DIR https://HOST:PORT/FILE > FILE
//
// DIR has the certificates of the CA, ca.pem, and of the server for signatures and for encryption,
// sign.pem and enc.pem, and their keys, sign.key and enc.key. "cipherlane sm2 cert" makes them:
// docs/tlcp.md has the commands.
//
// Nothing here calls cipherlane. Built with "cipherlane go build" instead of "go build",
// the program uses its SM2, SM3 and SM4 all the same. "tlcp version" says which.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/tjfoc/gmsm/gmtls"
	"github.com/tjfoc/gmsm/x509"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("tlcp: ")
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

var errUsage = errors.New("usage: tlcp serve -certs DIR -listen HOST:PORT FOLDER | tlcp get -certs DIR URL | tlcp version")

func run(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	certs := flags.String("certs", "", "the directory with the certificates and keys")
	listen := flags.String("listen", "127.0.0.1:8443", "where to serve")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch operand := flags.Arg(0); {
	case args[0] == "version":
		fmt.Println(provider())
		return nil
	case flags.NArg() != 1:
		return errUsage
	case args[0] == "serve":
		l, err := net.Listen("tcp", *listen)
		if err != nil {
			return err
		}
		log.Printf("%s on https://%s", operand, l.Addr())
		return serve(l, *certs, http.FileServer(http.Dir(operand)))
	case args[0] == "get":
		client, err := newClient(*certs)
		if err != nil {
			return err
		}
		return get(client, operand, os.Stdout)
	}
	return errUsage
}

// provider says whose SM2, SM3 and SM4 are in this program.
func provider() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/cipherlane/cipherlane" {
				return "cipherlane " + m.Version
			}
		}
	}
	return "gmsm"
}

// serve answers requests with a handler.
func serve(l net.Listener, certs string, handler http.Handler) error {
	config := &gmtls.Config{GMSupport: gmtls.NewGMSupport()}
	for _, name := range []string{"sign", "enc"} {
		c, err := gmtls.LoadX509KeyPair(filepath.Join(certs, name+".pem"), filepath.Join(certs, name+".key"))
		if err != nil {
			return err
		}
		config.Certificates = append(config.Certificates, c)
	}
	wide := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(wideWriter{w}, r) })
	server := &http.Server{Handler: wide, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(gmtls.NewListener(l, config))
}

// A wideWriter copies files in pieces of 256 kB instead of 32 kB, because cipherlane makes
// the records of one piece side by side.
type wideWriter struct{ http.ResponseWriter }

func (w wideWriter) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w.ResponseWriter}, struct{ io.Reader }{r}, make([]byte, 256<<10))
}

// newClient returns a client that trusts the CA.
func newClient(certs string) (*http.Client, error) {
	text, err := os.ReadFile(filepath.Join(certs, "ca.pem"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate", filepath.Join(certs, "ca.pem"))
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		conn := gmtls.Client(c, &gmtls.Config{GMSupport: gmtls.NewGMSupport(), RootCAs: roots, ServerName: host})
		if deadline, ok := ctx.Deadline(); ok {
			c.SetDeadline(deadline)
		}
		if err := conn.Handshake(); err != nil {
			c.Close()
			return nil, err
		}
		c.SetDeadline(time.Time{})
		return conn, nil
	}
	return &http.Client{Transport: &http.Transport{DialTLSContext: dial}}, nil
}

func get(client *http.Client, url string, to io.Writer) error {
	r, err := client.Get(url)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, r.Status)
	}
	_, err = io.Copy(to, r.Body)
	return err
}

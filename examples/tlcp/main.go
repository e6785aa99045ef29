// Command tlcp serves and fetches files by HTTPS with SM2 certificates, over TLCP (GB/T
// 38636, GM/T 0024) with the suite ECC_SM4_CBC_SM3. The certificates are made by package
// smx509 of github.com/emmansun/gmsm, the protocol is package gmtls of
// github.com/tjfoc/gmsm.
//
//	tlcp certs DIR                          a CA and the two certificates of a server
//	tlcp serve -certs DIR -listen HOST:PORT FOLDER
//	tlcp get -certs DIR https://HOST:PORT/FILE > FILE
//
// Nothing here calls cipherlane. Built with "cipherlane go build" instead of "go build",
// the program uses its SM2, SM3 and SM4 all the same. "tlcp version" says which.
package main

import (
	"context"
	"crypto/rand"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/emmansun/gmsm/sm2"
	"github.com/emmansun/gmsm/smx509"
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

var errUsage = errors.New("usage: tlcp certs DIR | tlcp serve -certs DIR -listen HOST:PORT FOLDER | tlcp get -certs DIR URL | tlcp version")

func run(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	certs := flags.String("certs", "", "the directory that tlcp certs made")
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
	case args[0] == "certs":
		return makeCertificates(operand, "localhost", net.IPv4(127, 0, 0, 1))
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

// makeCertificates writes ca.pem, and for the server sign.pem, enc.pem and their keys. TLCP
// has one certificate for signatures and one for encryption. The key of the CA is not kept.
func makeCertificates(dir, name string, ip net.IP) error {
	ca := &smx509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "Example CA"},
		NotBefore:             time.Now().Add(-time.Minute),
		NotAfter:              time.Now().AddDate(1, 0, 0),
		KeyUsage:              smx509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	caKey, err := sm2.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := writeCertificate(dir, "ca", ca, ca, caKey, caKey); err != nil {
		return err
	}
	for i, leaf := range []struct {
		file  string
		usage smx509.KeyUsage
	}{
		{"sign", smx509.KeyUsageDigitalSignature},
		{"enc", smx509.KeyUsageKeyEncipherment | smx509.KeyUsageDataEncipherment | smx509.KeyUsageKeyAgreement},
	} {
		key, err := sm2.GenerateKey(rand.Reader)
		if err != nil {
			return err
		}
		template := &smx509.Certificate{
			SerialNumber: big.NewInt(int64(2 + i)),
			Subject:      pkix.Name{CommonName: name},
			NotBefore:    ca.NotBefore,
			NotAfter:     ca.NotAfter,
			KeyUsage:     leaf.usage,
			ExtKeyUsage:  []smx509.ExtKeyUsage{smx509.ExtKeyUsageServerAuth},
			DNSNames:     []string{name},
			IPAddresses:  []net.IP{ip},
		}
		if err := writeCertificate(dir, leaf.file, template, ca, key, caKey); err != nil {
			return err
		}
		der, err := smx509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			return err
		}
		if err := writePEM(filepath.Join(dir, leaf.file+"-key.pem"), "PRIVATE KEY", der); err != nil {
			return err
		}
	}
	return nil
}

func writeCertificate(dir, file string, template, parent *smx509.Certificate, key, parentKey *sm2.PrivateKey) error {
	der, err := smx509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(dir, file+".pem"), "CERTIFICATE", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

// serve answers requests with a handler.
func serve(l net.Listener, certs string, handler http.Handler) error {
	config := &gmtls.Config{GMSupport: gmtls.NewGMSupport()}
	for _, name := range []string{"sign", "enc"} {
		c, err := gmtls.LoadX509KeyPair(filepath.Join(certs, name+".pem"), filepath.Join(certs, name+"-key.pem"))
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

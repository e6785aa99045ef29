// Command grpc is a service of gRPC and its client, for peers/rfc8998. It knows nothing of SM2, SM3 and SM4:
// they come by "cipherlane go --sm build". It has the arguments and the output of the command program, but
// for TIMES.
//
//	grpc serve CERT KEY CA GROUPS
//	grpc get CERT KEY CA GROUPS HOST:PORT BYTES
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const method = "/cipherlane.Zeros/Get"

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
	config := &tls.Config{ServerName: "localhost"}
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
	return get(config, args[5], args[6])
}

func serve(config *tls.Config) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("port", l.Addr().(*net.TCPAddr).Port)
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(config)))
	s.RegisterService(&grpc.ServiceDesc{ServiceName: "cipherlane.Zeros", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{{MethodName: "Get", Handler: answer}}}, nil)
	return s.Serve(l)
}

// answer returns as many zeros as it is asked for.
func answer(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	var n wrapperspb.UInt32Value
	if err := decode(&n); err != nil {
		return nil, err
	}
	p, ok := peer.FromContext(ctx)
	if !ok {
		return nil, errors.New("no peer")
	}
	return wrapperspb.Bytes(make([]byte, n.Value)), report(p, int(n.Value))
}

func get(config *tls.Config, address, size string) error {
	n, err := strconv.ParseUint(size, 10, 32)
	if err != nil {
		return err
	}
	c, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(config)), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)))
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var p peer.Peer
	var zeros wrapperspb.BytesValue
	if err := c.Invoke(ctx, method, wrapperspb.UInt32(uint32(n)), &zeros, grpc.Peer(&p)); err != nil {
		return err
	}
	return report(&p, len(zeros.Value))
}

// report prints what was negotiated.
func report(p *peer.Peer, bytes int) error {
	info, ok := p.AuthInfo.(credentials.TLSInfo)
	if !ok {
		return errors.New("no TLS")
	}
	s, name := info.State, "-"
	if len(s.PeerCertificates) > 0 {
		name = s.PeerCertificates[0].Subject.String()
	}
	fmt.Printf("connection %s %s %d %s group %d resumed %v\n", tls.VersionName(s.Version), tls.CipherSuiteName(s.CipherSuite), bytes, name, s.CurveID, s.DidResume)
	return nil
}

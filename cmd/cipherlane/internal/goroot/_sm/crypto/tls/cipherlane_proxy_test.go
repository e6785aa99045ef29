package tls_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// A reverse proxy and the server behind it demand certificates of SM2 from their clients, with HTTP/1.1
// and HTTP/2.
func TestSMReverseProxy(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		roots, cert := tls.NewSMIdentity(t)
		// A client whose only certificate is one of SM2 offers SM.
		config := func() *tls.Config {
			return &tls.Config{RootCAs: roots, ServerName: "localhost", Certificates: []tls.Certificate{cert}}
		}
		start := func(h http.Handler) *url.URL {
			s := httptest.NewUnstartedServer(h)
			s.EnableHTTP2 = http2
			s.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert}
			s.StartTLS()
			t.Cleanup(s.Close)
			u, err := url.Parse(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
		describe := func(s *tls.ConnectionState, proto string) string {
			return fmt.Sprint(tls.CipherSuiteName(s.CipherSuite), s.CurveID, s.PeerCertificates[0].Subject.CommonName, proto)
		}
		back := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Behind", describe(r.TLS, r.Proto))
			w.Header().Set("Front", r.Header.Get("Front"))
			body, err := io.ReadAll(r.Body) // whole: HTTP/1.1 does not go both ways at once
			if err != nil {
				t.Error(err)
			}
			w.Write(body)
		}))
		proxy := &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(back)
				r.Out.Header.Set("Front", describe(r.In.TLS, r.In.Proto))
			},
			Transport: &http.Transport{TLSClientConfig: config(), ForceAttemptHTTP2: http2},
		}
		front := start(proxy)

		transport := &http.Transport{TLSClientConfig: config(), ForceAttemptHTTP2: http2}
		client := &http.Client{Transport: transport}
		body := bytes.Repeat([]byte("cipherlane"), 100_000)
		response, err := client.Post(front.String(), "text/plain", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		want := "TLS_SM4_GCM_SM3CurveSM2localhostHTTP/1.1"
		if http2 {
			want = "TLS_SM4_GCM_SM3CurveSM2localhostHTTP/2.0"
		}
		if b, f := response.Header.Get("Behind"), response.Header.Get("Front"); b != want || f != want {
			t.Errorf("behind the proxy %s, in front %s, want %s", b, f, want)
		}
		transport.CloseIdleConnections()
		proxy.Transport.(*http.Transport).CloseIdleConnections()

		bare := config()
		bare.Certificates, bare.CurvePreferences = nil, []tls.CurveID{tls.CurveSM2}
		if r, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: bare}}).Get(front.String()); err == nil {
			r.Body.Close()
			t.Errorf("a client without a certificate: %s", r.Status)
		}
	}
}

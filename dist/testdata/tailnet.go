// Tailnet is a control server and a DERP server for dist/try, which builds it in the module
// tailscale.com: of a package there for tests. Every machine that asks is let in.
//
//	tailnet 10.0.0.1
package main

import (
	"context"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"

	"tailscale.com/derp/derpserver"
	"tailscale.com/net/stunserver"
	"tailscale.com/tailcfg"
	"tailscale.com/tstest/integration/testcontrol"
	"tailscale.com/types/key"
)

func main() {
	log.SetFlags(0)
	address := os.Args[1]
	relay := httptest.NewUnstartedServer(derpserver.Handler(derpserver.New(key.NewNode(), log.Printf)))
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "443"))
	if err != nil {
		log.Fatal(err)
	}
	relay.Listener = listener
	relay.StartTLS()
	go func() {
		log.Fatal(stunserver.New(context.Background()).ListenAndServe(net.JoinHostPort(address, "3478")))
	}()

	control := &testcontrol.Server{
		ExplicitBaseURL: "http://" + address,
		DERPMap: &tailcfg.DERPMap{Regions: map[tailcfg.DERPRegionID]*tailcfg.DERPRegion{1: {
			RegionID: 1, RegionCode: "try",
			Nodes: []*tailcfg.DERPNode{{Name: "1a", RegionID: 1, HostName: address, IPv4: address, IPv6: "none", InsecureForTests: true}},
		}}},
	}
	log.Fatal(http.ListenAndServe(net.JoinHostPort(address, "80"), control))
}

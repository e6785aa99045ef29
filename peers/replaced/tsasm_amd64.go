//go:build linux

package main

import tsasm "github.com/tailscale/wireguard-go/tsasm/amd64/chacha20poly1305"

func init() { tailscale = tsasm.New }

package substitute

// tailscale replaces the assembly of Tailscale's wireguard-go, which it calls on arm, and on
// amd64 CPUs without AVX2. Everywhere else, and with TS_WG_ASM=0, it calls
// golang.org/x/crypto. The versions are those that releases of Tailscale require.
// TestTailscale runs the tests of the original packages, and of those that call them.
var tailscale = substitution{
	path: "github.com/tailscale/wireguard-go",
	versions: []string{
		"v0.0.0-20260527010701-b48af7099cad", // 1.100
		"v0.0.0-20260715223240-2e01ba5b00f0", // 1.102
		"v0.0.0-20260928213032-417aef361226", // 1.104
	},
	packages: []substitute{
		{dir: "tsasm/amd64/chacha20poly1305", algorithms: []string{"ChaCha20-Poly1305"}, source: "tailscale/chacha20poly1305", renames: []string{"func New("},
			minVersion: "v0.0.0-20260928213032-417aef361226", tested: map[string]string{
				"26b8c046a60337e218dda236bea9add9aef3208b11f4b81e86953ea020b91cf2": "v0.0.0-20260928213032-417aef361226",
			}},
		{dir: "tsasm/arm/chacha20poly1305", algorithms: []string{"ChaCha20-Poly1305"}, source: "tailscale/chacha20poly1305", renames: []string{"func New("},
			minVersion: "v0.0.0-20260527010701-b48af7099cad", tested: map[string]string{
				"5ee46a461a68f31d2b1cb4403c2ae7380b54af949d97023afa3f333a3ac1c37c": "v0.0.0-20260527010701-b48af7099cad",
			}},
	},
}

package substitute

const cryptoPath = "golang.org/x/crypto"

// xcrypto replaces the ciphers of golang.org/x/crypto. The unexported constants are for the
// tests of the original packages, which pass (TestCryptoVersions).
var xcrypto = substitution{
	path: cryptoPath,
	versions: []string{
		"v0.0.0-20201012173705-84dcc777aaee",
		"v0.0.0-20210322153248-0c34fe9e7dc2",
		"v0.1.0",
		"v0.14.0",
		"v0.17.0",
		"v0.20.0",
		"v0.23.0",
		"v0.26.0",
		"v0.28.0",
		"v0.31.0",
		"v0.35.0",
		"v0.37.0",
		"v0.41.0",
		"v0.45.0",
		"v0.48.0",
		"v0.50.0",
		"v0.52.0",
		"v0.55.0",
		"v0.58.0",
	},
	packages: []substitute{
		{dir: "chacha20", algorithms: []string{"ChaCha20"}, source: "xcrypto/chacha20", tested: map[string]string{
			"3234035df7ea1ed1c844e323c4ceeda6e695eb82b016de76122c5f2a03b85e68": "v0.0.0-20201012173705-84dcc777aaee",
			"68793af7c1f71d8049f34d020ade13e5cba06c342a0c9747fe0c78905ffa9302": "v0.0.0-20210322153248-0c34fe9e7dc2",
			"f1a3649caf80a6c5e5f1369f53bf4f68eeb5bee0ee32e8fa3d5063d72df0f898": "v0.1.0",
			"f6c95ed2cb6cef9eb88705fb61c5de79b3f0bd0b107650aa4879f6839f222755": "v0.14.0",
			"29772f8ee30b2287f78996719335a3805e7ec0d2ba917c9b3a130da9b6c0e1f5": "v0.17.0",
			"ab03f4dddbaaff9fb276c47fa498ab44e73d958dc8c957383a5a11d0cf5b4c90": "v0.23.0",
			"5ad8f666c462db4a68e8023943c8f1423abdc0fff5af6a76ff1102beb809a5b0": "v0.31.0",
			"91895b8d8ec1f8546b4b0e74f4cbd5d78748e6c1dee03eaf86264caaa4957ec6": "v0.45.0",
			"9c81b8c0d1ea43ab1f77422ec79cc5ad57b4913175a0b0648f6a0c751e4b2586": "v0.58.0",
		}},
		{dir: "chacha20poly1305", algorithms: []string{"ChaCha20-Poly1305"}, source: "xcrypto/chacha20poly1305", tested: map[string]string{
			"2b673c7321d3b008b84e26f04e18aca88abb40db6827ce023295de77da3de1eb": "v0.0.0-20201012173705-84dcc777aaee",
			"cb789e604da75e33beb14180b69a734e4e811ae6519ed478a3b771662857e256": "v0.0.0-20210322153248-0c34fe9e7dc2",
			"2d70aae4ca73cbf02f7474bdbdab38446545fd6eaa369bb62b4598138034f3cf": "v0.1.0",
			"f8ef5181c6ee809213c59854c492acb70297ee15135470b8eaef648ad0a220c2": "v0.17.0",
			"0fcb1c685720107a9d63f1a3e221dce5d2987b1a4e0726b1382abc967315341c": "v0.26.0",
			"bd97f8b433ff2fd48ede14025bb7c6ac6cccf0fdc94135dcb7652cdda24b79dc": "v0.28.0",
			"2a76e8113d8a943852aee9ab69897e0be77bc574d0f98a5e217dec9b1f46036b": "v0.45.0",
			"65f780eaf65d27552b5090182703a2ad4f42da3bfcd1980b3409e9ced19ada72": "v0.48.0",
			"3956fd7887236fe341ec2ec8d10f328d25e33f18e2d0e281c52ef98b24cf321a": "v0.52.0",
		}},
	},
}

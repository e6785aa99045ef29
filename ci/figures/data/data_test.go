package data

import "testing"

// Results of speed --json have the names of other figures.
func TestResults(t *testing.T) {
	for _, c := range []struct {
		result result
		want   Row
	}{
		{result{"gcm(aes)", 128, "ce", "seal", 64, 5, true, 0}, Row{Operation: "AES-128-GCM seal", Bytes: 64, Driver: "ce", Selected: true, Value: 5, Unit: "ns"}},
		{result{"ctr(sm4)", 128, "x", "encrypt", 64, 5, false, 0}, Row{Operation: "SM4-CTR", Bytes: 64, Driver: "x", Value: 5, Unit: "ns"}},
		{result{"sm3", 0, "x", "hash-x32", 64, 5, false, 0}, Row{Operation: "SM3, 32 messages", Bytes: 64, Driver: "x", Value: 5, Unit: "ns"}},
		{result{"sm3", 0, "x", "kdf", 64, 5, false, 0}, Row{Operation: "SM3 KDF", Bytes: 64, Driver: "x", Value: 5, Unit: "ns"}},
		{result{"sm2", 0, "x", "sign-many", 512, 32, false, 0}, Row{Operation: "SM2 sign, 16 messages", Driver: "x", Value: 2, Unit: "ns"}},
		{result{"sm2", 0, "x", "generate", 32, 32, false, 0}, Row{Operation: "SM2 new key", Driver: "x", Value: 32, Unit: "ns"}},
		{result{"frodokem-976-shake", 0, "x", "generate", 15632, 7, false, 0}, Row{Operation: "FrodoKEM-976-SHAKE generate", Driver: "x", Value: 7, Unit: "ns"}},
		{result{"rfc7539(chacha20,poly1305)", 256, "x", "open", 64, 7, false, 0}, Row{Operation: "ChaCha20-Poly1305 open", Bytes: 64, Driver: "x", Value: 7, Unit: "ns"}},
		{result{"chacha20", 256, "x", "encrypt", 64, 7, false, 0}, Row{Operation: "ChaCha20", Bytes: 64, Driver: "x", Value: 7, Unit: "ns"}},
	} {
		got := c.result.row()
		if got.Operation != c.want.Operation || got.Bytes != c.want.Bytes || got.Driver != c.want.Driver || got.Selected != c.want.Selected || got.Value != c.want.Value || got.Unit != c.want.Unit {
			t.Errorf("%+v: %+v", c.result, got)
		}
	}
}

func TestRatio(t *testing.T) {
	for _, r := range []Row{
		{Value: 2, Unit: "ns", Peers: map[string]float64{"p": 6}}, {Value: 6, Unit: "MB/s", Peers: map[string]float64{"p": 2}},
		{Value: 2, Unit: "instructions", Peers: map[string]float64{"p": 6}}, {Value: 6, Unit: "1/s", Peers: map[string]float64{"p": 2}},
	} {
		if r.Ratio("p") != 3 || r.Ratio("q") != 0 {
			t.Errorf("%+v: %v, %v", r, r.Ratio("p"), r.Ratio("q"))
		}
	}
}

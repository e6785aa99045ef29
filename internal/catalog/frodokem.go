package catalog

import (
	"strings"

	"github.com/cipherlane/cipherlane/frodokem"
)

// frodoAnswers are the seeds of count 0 of the designers' known answers, and the
// SHA-256 of its public key.
var frodoAnswers = []struct {
	set          frodokem.Set
	seed, public string
}{
	{frodokem.FrodoKEM640AES,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a",
		"4419f4f14c3363551186b99382bf3e62ac2382b7b5d4ca70392dda5869c8bda1"},
	{frodokem.FrodoKEM640SHAKE,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a",
		"10e63efe340a73d46d78f768cfea235d0d7da1e9c636d6edc32d2a4ed4b13cdc"},
	{frodokem.FrodoKEM976AES,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a3e784ccb7ebcdcfd45542b7f6af778742e0f4479175084aa",
		"477d38490e9cf967dd038af6b934d075127c0d05159de04fc937b6165b3df21d"},
	{frodokem.FrodoKEM976SHAKE,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a3e784ccb7ebcdcfd45542b7f6af778742e0f4479175084aa",
		"75ed58dd9cb2501af13e56bbd8579b7317998d828ca293e39809f4004404e789"},
	{frodokem.FrodoKEM1344AES,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a3e784ccb7ebcdcfd45542b7f6af778742e0f4479175084aa488b3b74340678aa38e22e9628b0a161fdeb0bd252173b9c",
		"e283bfd59bcca4da5380bca9e43c0dfcc3b3b2b4d3f3a02c642e0d439203ee81"},
	{frodokem.FrodoKEM1344SHAKE,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a3e784ccb7ebcdcfd45542b7f6af778742e0f4479175084aa488b3b74340678aa38e22e9628b0a161fdeb0bd252173b9c",
		"974d5514fb13114bb667527e84090b6de0dfeea01435c60a3edc570d331a5bd6"},
	{frodokem.EFrodoKEM640AES,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e47",
		"3d9ec6835b6e15d815c2f845484279a7cc4bf3ccc77d0029d3b695473419f329"},
	{frodokem.EFrodoKEM640SHAKE,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e47",
		"49a303460f0977339cbd2c1b5aa0e7af44c5024917f5f7aced4725e9d4a2c614"},
	{frodokem.EFrodoKEM976AES,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a",
		"c6c92507c1f48c2089768de01422a59c2bb85ce56e09565c5f07a90f849c45c0"},
	{frodokem.EFrodoKEM976SHAKE,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a",
		"949ce76aae38decd41e232062362adb89246bacefe221f80325d454902631ce4"},
	{frodokem.EFrodoKEM1344AES,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a3e784ccb7ebcdcfd45542b7f6af77874",
		"f4c83fd6bdbdd149307f72d67bdd83aa49cda6dea69bf364e7ef2776c3b721ff"},
	{frodokem.EFrodoKEM1344SHAKE,
		"7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2db505d7cfad1b497499323c8686325e4792f267aafa3f87ca60d01cb54f29202a3e784ccb7ebcdcfd45542b7f6af77874",
		"454d552f3c25aaf0e5acc1a4fc431098b90ce3993e864268a2795ae7ff3ce5ca"},
}

var frodoAlgorithms = frodoSets()

func frodoSets() (list []Algorithm) {
	for _, a := range frodoAnswers {
		name := strings.ToLower(a.set.String())
		standard := "ISO/IEC 18033-2/Amd 2"
		if strings.Contains(name, "-640-") { // ISO has only the larger ones
			standard = "draft-longa-cfrg-frodokem-03"
		}
		list = append(list, Algorithm{
			Name:     name,
			Package:  "frodokem",
			Standard: standard,
			KEM:      func(name string) (KEM, error) { return newFrodo(name, a.set) },
			Answer: Answer{
				Source: "the designers' known answers (PQCrypto-LWEKE), count 0",
				Key:    unhex(a.seed),
				Output: unhex(a.public),
			},
		})
	}
	return list
}

// A frodo is a parameter set with a driver.
type frodo struct {
	set    frodokem.Set
	auto   bool // instead of a driver
	driver frodokem.Driver
}

func newFrodo(name string, s frodokem.Set) (KEM, error) {
	if name == "" {
		return frodo{set: s, auto: true}, nil
	}
	d, err := frodokem.On(name)
	if err != nil {
		return nil, err
	}
	return frodo{set: s, driver: d}, nil
}

func (f frodo) Name() string { return f.set.String() }

func (f frodo) GenerateKey() (PrivateKey, error) {
	if f.auto {
		return frodoKey(f.set.GenerateKey())
	}
	return frodoKey(f.driver.GenerateKey(f.set))
}

func (f frodo) PrivateKey(key []byte) (PrivateKey, error) {
	if f.auto {
		return frodoKey(f.set.NewDecapsulationKey(key))
	}
	return frodoKey(f.driver.NewDecapsulationKey(f.set, key))
}

func (f frodo) PublicKey(key []byte) (PublicKey, error) {
	var ek *frodokem.EncapsulationKey
	var err error
	if f.auto {
		ek, err = f.set.NewEncapsulationKey(key)
	} else {
		ek, err = f.driver.NewEncapsulationKey(f.set, key)
	}
	if err != nil {
		return nil, err
	}
	return ek, nil
}

func (f frodo) Sizes() KEMSizes {
	return KEMSizes{
		SharedKey: f.set.SharedKeySize(), Ciphertext: f.set.CiphertextSize(),
		Public: f.set.EncapsulationKeySize(), Private: f.set.DecapsulationKeySize(), Seed: f.set.SeedSize(),
	}
}

func (f frodo) EncapsulateMany(keys []PublicKey) (sharedKeys, ciphertexts [][]byte, err error) {
	list := make([]frodokem.Encapsulation, len(keys))
	for i, key := range keys {
		sharedKeys = append(sharedKeys, make([]byte, f.set.SharedKeySize()))
		ciphertexts = append(ciphertexts, make([]byte, f.set.CiphertextSize()))
		list[i] = frodokem.Encapsulation{Key: key.(*frodokem.EncapsulationKey), SharedKey: sharedKeys[i], Ciphertext: ciphertexts[i]}
	}
	return sharedKeys, ciphertexts, frodokem.EncapsulateMany(list)
}

func (f frodo) DecapsulateMany(keys []PrivateKey, ciphertexts [][]byte) (sharedKeys [][]byte, err error) {
	list := make([]frodokem.Decapsulation, len(keys))
	for i, key := range keys {
		sharedKeys = append(sharedKeys, make([]byte, f.set.SharedKeySize()))
		list[i] = frodokem.Decapsulation{Key: key.(frodoPrivate).DecapsulationKey, Ciphertext: ciphertexts[i], SharedKey: sharedKeys[i]}
	}
	return sharedKeys, frodokem.DecapsulateMany(list)
}

type frodoPrivate struct{ *frodokem.DecapsulationKey }

func (k frodoPrivate) PublicKey() PublicKey { return k.EncapsulationKey() }

func frodoKey(dk *frodokem.DecapsulationKey, err error) (PrivateKey, error) {
	if err != nil {
		return nil, err
	}
	return frodoPrivate{dk}, nil
}

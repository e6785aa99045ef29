// Acvp answers vector sets of the Automated Cryptographic Validation Protocol, with which NIST's
// servers test implementations: it reads a set as JSON, computes, and writes the response as JSON.
//
//	go run ./peers/acvp FILE                 answers it
//	go run ./peers/acvp -driver generic FILE with this driver of package aes; default: the selected ones
//	go run ./peers/acvp -list                the algorithms
//
// AES is this library's. HMAC with SHA-2 and SHA-3, PBKDF and HKDF are those of the standard
// library, which the command uses with recipients and keys. A set with anything that is not
// supported is refused as a whole, with exit status 2, so that no response is incomplete.
// The protocol itself, with sessions and certificates, is not here.
package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
)

// A set is a vector set. In files, it may be the last element of a list, after a header.
type set struct {
	ID        int     `json:"vsId,omitempty"`
	Algorithm string  `json:"algorithm"`
	Mode      string  `json:"mode,omitempty"`
	Revision  string  `json:"revision"`
	Groups    []group `json:"testGroups"`
}

// A group has tests with the same parameters. Lengths are in bits.
type group struct {
	ID        int    `json:"tgId"`
	Type      string `json:"testType"` // AFT: functional; MCT: a chain of results; CTR: of counters; VAL: of given results
	Direction string `json:"direction"`
	IVLen     int    `json:"ivLen"`
	IVGen     string `json:"ivGen"` // internal: the implementation makes IVs
	TagLen    int    `json:"tagLen"`
	MacLen    int    `json:"macLen"`
	HMAC      string `json:"hmacAlg"`
	KDF       struct {
		HMAC     string `json:"hmacAlg"`
		Pattern  string `json:"fixedInfoPattern"`
		Encoding string `json:"fixedInfoEncoding"`
		Length   int    `json:"l"`
	} `json:"kdfConfiguration"`
	MultiExpansion bool   `json:"multiExpansion"`
	Tests          []test `json:"tests"`
}

type test struct {
	ID         int    `json:"tcId"`
	Key        octets `json:"key"`
	IV         octets `json:"iv"`
	PT         octets `json:"pt"`
	CT         octets `json:"ct"`
	PayloadLen int    `json:"payloadLen"`
	AAD        octets `json:"aad"`
	Tag        octets `json:"tag"`
	Message    octets `json:"message"` // of CMAC
	Msg        octets `json:"msg"`     // of HMAC
	MAC        octets `json:"mac"`
	Password   string `json:"password"`
	Salt       octets `json:"salt"`
	Iterations int    `json:"iterationCount"`
	KeyLen     int    `json:"keyLen"`
	KDF        keying `json:"kdfParameter"`
	PartyU     party  `json:"fixedInfoPartyU"`
	PartyV     party  `json:"fixedInfoPartyV"`
	DerivedKey octets `json:"dkm"`
}

// keying is the input of a derivation.
type keying struct {
	Salt   octets `json:"salt"`
	Z      octets `json:"z"`
	Length int    `json:"l"`
}

type party struct {
	ID        octets `json:"partyId"`
	Ephemeral octets `json:"ephemeralData"`
}

// octets are bytes in hexadecimal.
type octets []byte

func (o *octets) UnmarshalText(text []byte) (err error) {
	*o, err = hex.DecodeString(string(text))
	return err
}

func (o octets) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, o), nil }

// An answer is what a response says of a test, by name.
type answer map[string]any

// failed is the answer to a test whose input was not authentic, or whose given result is wrong.
func failed() answer { return answer{"testPassed": false} }

// A function answers a test.
type function func(g *group, t *test) (answer, error)

// respond returns the response to a vector set.
func respond(s *set, functions map[string]function) (any, error) {
	name := s.Algorithm
	if s.Mode != "" {
		name += "-" + s.Mode
	}
	f := functions[name+" "+s.Revision]
	if f == nil {
		return nil, fmt.Errorf("%s, revision %s: not supported: want one of -list", name, s.Revision)
	}
	type result struct {
		ID    int      `json:"tgId"`
		Tests []answer `json:"tests"`
	}
	response := struct {
		ID        int      `json:"vsId,omitempty"`
		Algorithm string   `json:"algorithm"`
		Mode      string   `json:"mode,omitempty"`
		Revision  string   `json:"revision"`
		Groups    []result `json:"testGroups"`
	}{s.ID, s.Algorithm, s.Mode, s.Revision, nil}
	for i := range s.Groups {
		g := &s.Groups[i]
		r := result{ID: g.ID}
		for k := range g.Tests {
			a, err := f(g, &g.Tests[k])
			if err != nil {
				return nil, fmt.Errorf("%s: group %d, test %d: %w", name, g.ID, g.Tests[k].ID, err)
			}
			a["tcId"] = g.Tests[k].ID
			r.Tests = append(r.Tests, a)
		}
		response.Groups = append(response.Groups, r)
	}
	return response, nil
}

// parse reads a vector set.
func parse(text []byte) (*set, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("an empty list")
		}
		text = list[len(list)-1]
	}
	s := new(set)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	if s.Algorithm == "" || len(s.Groups) == 0 {
		return nil, fmt.Errorf("no vector set: it has no algorithm or no groups of tests")
	}
	return s, nil
}

func main() {
	driver := flag.String("driver", "", "use this `driver` of package aes")
	list := flag.Bool("list", false, "print the algorithms and their revisions")
	flag.Parse()
	if err := run(*driver, *list, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "acvp:", err)
		os.Exit(2)
	}
}

func run(driver string, list bool, files []string) error {
	functions, err := all(driver)
	if err != nil {
		return err
	}
	if list {
		var names []string
		for name := range functions {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Println(name)
		}
		return nil
	}
	if len(files) != 1 {
		return fmt.Errorf("want one file")
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	s, err := parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", files[0], err)
	}
	response, err := respond(s, functions)
	if err != nil {
		return err
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(response)
}

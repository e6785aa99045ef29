// Attest checks the provenance of a release with the types of in-toto, which refuse fields that
// SLSA's format does not have, and compares the digests with the files.
//
//	GOWORK=off go run -C ci/release/attest . DIRECTORY   that ci/release has made
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "attest: want the directory of a release")
		os.Exit(2)
	}
	n, err := check(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "attest:", err)
		os.Exit(1)
	}
	fmt.Printf("attest: %s for %d files\n", slsaType, n)
}

const slsaType = "https://slsa.dev/provenance/v1"

// check returns how many files of a directory its provenance is for.
func check(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "provenance.intoto.json"))
	if err != nil {
		return 0, err
	}
	statement := new(intoto.Statement)
	if err := protojson.Unmarshal(text, statement); err != nil {
		return 0, err
	}
	if err := statement.Validate(); err != nil {
		return 0, err
	}
	if statement.PredicateType != slsaType {
		return 0, fmt.Errorf("predicate %s, want %s", statement.PredicateType, slsaType)
	}
	predicate, err := protojson.Marshal(statement.Predicate)
	if err != nil {
		return 0, err
	}
	provenance := new(slsa.Provenance)
	if err := protojson.Unmarshal(predicate, provenance); err != nil {
		return 0, err
	}
	if err := provenance.Validate(); err != nil {
		return 0, err
	}
	sources := provenance.BuildDefinition.ResolvedDependencies
	if len(sources) == 0 {
		return 0, errors.New("no source")
	}
	if source := sources[0]; !strings.HasPrefix(source.Uri, "git+https://") || len(source.Digest["gitCommit"]) != 40 {
		return 0, fmt.Errorf("no commit: %v", source)
	}
	for _, s := range statement.Subject {
		if !filepath.IsLocal(s.Name) {
			return 0, fmt.Errorf("%q: is not in the release", s.Name)
		}
		text, err := os.ReadFile(filepath.Join(dir, s.Name))
		if err != nil {
			return 0, err
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != s.Digest["sha256"] {
			return 0, errors.New(s.Name + ": has another digest")
		}
	}
	return len(statement.Subject), nil
}

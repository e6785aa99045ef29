package files

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/checksum"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/cli"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/clitest"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/grammar"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/inventory"
	"github.com/cipherlane/cipherlane/cmd/cipherlane/internal/keys"
)

// failedRename makes the command fail, or kills it, when an output is to take the place of another
// file.
const failedRename = "CIPHERLANE_TEST_FAILED_RENAME"

// TestMain makes the command of these tests from some of its verbs.
func TestMain(m *testing.M) {
	clitest.Main(m, func() int {
		var verbs struct {
			Encrypt    EncryptCmd        `cmd:""`
			Decrypt    DecryptCmd        `cmd:""`
			Keygen     KeygenCmd         `cmd:""`
			Pubkey     PubkeyCmd         `cmd:""`
			Inspect    InspectCmd        `cmd:""`
			Recipients RecipientsCmd     `cmd:""`
			Cipher     CipherCmd         `cmd:""`
			SM2        keys.SM2Cmd       `cmd:"" name:"sm2"`
			KEM        keys.KEMCmd       `cmd:"" name:"kem"`
			Hash       checksum.Cmd      `cmd:""`
			List       inventory.ListCmd `cmd:""`
		}
		p := cli.NewProgram("cipherlane")
		if name, value, _ := strings.Cut(namedFiles, "="); os.Getenv(name) == value {
			cli.NewUnnamed = func(string, fs.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }
		}
		switch os.Getenv(failedRename) {
		case "error":
			cli.Rename = func(string, string) error { return errors.New("an error for tests") }
		case "kill":
			cli.Rename = func(string, string) error {
				if self, err := os.FindProcess(os.Getpid()); err == nil {
					self.Kill()
				}
				select {}
			}
		}
		if code, ok := RunAsPlugin(p, os.Args); ok {
			return code
		}
		return grammar.Run(p, grammar.New(p, &verbs, "", Variables().CloneWith(keys.Variables()).CloneWith(checksum.Variables())), os.Args[1:], nil, func(ctx *kong.Context) error {
			return inventory.CheckEnvironment(ctx.Selected().Name)
		})
	})
}

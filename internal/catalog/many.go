package catalog

import (
	"crypto/cipher"

	"github.com/cipherlane/cipherlane/chacha20poly1305"
)

// keyed calls new for the key of each message. Messages with the same key share the
// result, because some drivers have other kernels for them.
func keyed[C any](name string, messages []Message, new func(name string, key []byte) (C, error)) ([]C, error) {
	made, list := map[string]C{}, make([]C, len(messages))
	for i, m := range messages {
		c, ok := made[string(m.Key)]
		if !ok {
			var err error
			if c, err = new(name, m.Key); err != nil {
				return nil, err
			}
			made[string(m.Key)] = c
		}
		list[i] = c
	}
	return list, nil
}

// The messages of packages sm4 and aes.
type (
	cbcMessage[C any] = struct {
		Cipher   C
		IV       []byte
		Dst, Src []byte
	}
	cmacMessage[C any] = struct {
		Cipher C
		Data   []byte
		Sum    [16]byte
	}
	ccmMessage[A any] = struct {
		AEAD                             A
		Dst, Nonce, Text, AdditionalData []byte
		Out                              []byte
		Err                              error
	}
)

func cbcMany[C any, M ~cbcMessage[C]](new func(name string, key []byte) (C, error), encrypt func([]M)) func(string, []Message) error {
	return func(name string, messages []Message) error {
		ciphers, err := keyed(name, messages, new)
		list := make([]M, len(ciphers))
		for i, c := range ciphers {
			m := &messages[i]
			m.Out = make([]byte, len(m.Text))
			list[i] = M(cbcMessage[C]{Cipher: c, IV: m.IV, Dst: m.Out, Src: m.Text})
		}
		encrypt(list)
		return err
	}
}

func cmacMany[C any, M ~cmacMessage[C]](new func(name string, key []byte) (C, error), sum func([]M)) func(string, []Message) error {
	return func(name string, messages []Message) error {
		ciphers, err := keyed(name, messages, new)
		list := make([]M, len(ciphers))
		for i, c := range ciphers {
			list[i] = M(cmacMessage[C]{Cipher: c, Data: messages[i].Text})
		}
		sum(list)
		for i := range list {
			m := cmacMessage[C](list[i])
			messages[i].Out = m.Sum[:]
		}
		return err
	}
}

// ccmMany is for sealing and for opening.
func ccmMany[A any, M ~ccmMessage[A]](new func(name string, key []byte) (A, error), do func([]M)) func(string, []Message) error {
	return func(name string, messages []Message) error {
		aeads, err := keyed(name, messages, new)
		list := make([]M, len(aeads))
		for i, a := range aeads {
			m := &messages[i]
			list[i] = M(ccmMessage[A]{AEAD: a, Nonce: m.IV, Text: m.Text, AdditionalData: m.Data})
		}
		do(list)
		for i := range list {
			m := ccmMessage[A](list[i])
			messages[i].Out, messages[i].Err = m.Out, m.Err
		}
		return err
	}
}

// chachaMany is for sealing and for opening. Consecutive messages under the same key
// are opened or sealed together.
func chachaMany(new func(name string, key []byte) (cipher.AEAD, error), do func(*chacha20poly1305.AEAD, []chacha20poly1305.Packet) error) func(string, []Message) error {
	return func(name string, messages []Message) error {
		aeads, err := keyed(name, messages, new)
		for i := 0; i < len(aeads); {
			first := i
			var packets []chacha20poly1305.Packet
			for ; i < len(aeads) && aeads[i] == aeads[first]; i++ {
				m := &messages[i]
				packets = append(packets, chacha20poly1305.Packet{Nonce: m.IV, Text: m.Text, AdditionalData: m.Data})
			}
			do(aeads[first].(*chacha20poly1305.AEAD), packets) // packets contain the errors
			for j, p := range packets {
				messages[first+j].Out, messages[first+j].Err = p.Out, p.Err
			}
		}
		return err
	}
}

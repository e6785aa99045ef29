package chunked_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/cipherlane/cipherlane/chunked"
)

func ExampleNewWriter() {
	key := []byte("sixteen bytes ok") // from a key file, say
	context := []byte("example.org backup v1")

	var message bytes.Buffer
	w, err := chunked.NewWriter(&message, chunked.Cobblestone128(), key, context)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // if something fails before Close
	if _, err := io.Copy(w, strings.NewReader("attack at dawn")); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(message.Len(), "bytes")
	// Output: 86 bytes
}

func ExampleNewReader() {
	key := []byte("sixteen bytes ok")
	context := []byte("example.org backup v1")
	message := encrypt(key, context, "attack at dawn")

	r, err := chunked.NewReader(bytes.NewReader(message), chunked.Cobblestone128(), key, context)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		log.Fatal(err) // and do not use text
	}
	fmt.Printf("%s\n", text)

	_, err = chunked.NewReader(bytes.NewReader(message), chunked.Cobblestone128(), key, []byte("another context"))
	fmt.Println(errors.Is(err, chunked.ErrCommitment))
	// Output:
	// attack at dawn
	// true
}

// A message does not name its suite, but a reader can identify it.
func ExampleAccept() {
	key := []byte("sixteen bytes ok")
	message := encrypt(key, nil, "attack at dawn")

	suites := chunked.Suites()
	r, err := chunked.NewReader(bytes.NewReader(message), suites[0], key, nil, chunked.Accept(suites[1:]...))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Suite().Name)
	// Output: AEAD_AES_128_GCM
}

func ExampleNewReaderAt() {
	key := []byte("sixteen bytes ok")
	message := encrypt(key, nil, strings.Repeat("0123456789", 100000))

	r, err := chunked.NewReaderAt(bytes.NewReader(message), int64(len(message)), chunked.Cobblestone128(), key, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	size, err := r.Size()
	if err != nil {
		log.Fatal(err)
	}
	text := make([]byte, 10)
	if _, err := r.ReadAt(text, 765432); err != nil {
		log.Fatal(err)
	}
	fmt.Println(size, string(text))
	// Output: 1000000 2345678901
}

func encrypt(key, context []byte, text string) []byte {
	var message bytes.Buffer
	w, err := chunked.NewWriter(&message, chunked.Cobblestone128(), key, context)
	if err != nil {
		log.Fatal(err)
	}
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	return message.Bytes()
}

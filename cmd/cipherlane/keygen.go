package main

import "crypto/rand"

type keygenCmd struct {
	Output string `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output, readable only by you (mode 0600)."`
	Force  bool   `short:"f" help:"Replace an existing file. Data encrypted with the old key is lost."`
	Size   int    `default:"16" enum:"16,32" help:"Key size in bytes: 16 for SM4 and AES-128, 32 for AES-256. Default: ${default}."`
}

func (keygenCmd) Help() string {
	return `The key is random and written as one line of hex digits. Other verbs read it with
--key-file. They also accept files of raw bytes, as made by "head -c 16 /dev/urandom",
but a file of hex digits is always decoded. Keep a copy in a safe place: without the key
nobody can decrypt.

Example:

    cipherlane keygen -o backup.key
    cipherlane encrypt --key-file backup.key -o photos.tar.enc photos.tar`
}

func (c *keygenCmd) Run(p *program) error {
	key := make([]byte, c.Size)
	rand.Read(key) // never fails
	line := append(encodeHex(key), '\n')
	clear(key)
	return p.writeBoth(c.Force, part{c.Output, 0o600, line})
}

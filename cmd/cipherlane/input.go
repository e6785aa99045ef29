package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// An inputFile is a file to be read, or standard input.
type inputFile struct {
	*os.File
	name string // for messages
	info fs.FileInfo
	bar  *progress // told what was read
}

// open opens a file; "" and "-" stand for standard input.
func (p *program) open(path string) (*inputFile, error) {
	in := &inputFile{File: p.stdin, name: "standard input"}
	if path != "" && path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, named(path, err)
		}
		in.File, in.name = f, quote(path)
	}
	info, err := in.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.name, reason(err))
	}
	in.info = info
	return in, nil
}

// size is -1 for pipes and the like.
func (in *inputFile) size() int64 {
	if !in.info.Mode().IsRegular() {
		return -1
	}
	return in.info.Size()
}

// mode is what the mode of a file made from this one should be: nobody gets to
// read it who could not before.
func (in *inputFile) mode() fs.FileMode {
	if !in.info.Mode().IsRegular() {
		return 0o666
	}
	return in.info.Mode().Perm() & 0o666
}

// Read puts the name of the file into errors.
func (in *inputFile) Read(b []byte) (int, error) {
	n, err := in.File.Read(b)
	in.bar.add(n)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", in.name, reason(err))
	}
	return n, err
}

// WriteTo hides that of os.File, which would go around Read.
func (in *inputFile) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{in})
}

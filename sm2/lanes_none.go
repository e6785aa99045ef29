//go:build purego || !amd64

package sm2

import "github.com/cipherlane/cipherlane/sm2/internal/eight"

// There are no kernels for batches.

func sideBySide(uint8) bool { return false }

func mulLanesKernel(row uint8, z, x, y *eight.Lanes) { panic(noKernel) }

func squareLanesKernel(row uint8, z, x *eight.Lanes, n int) { panic(noKernel) }

func doubleLanesKernel(row uint8, r, p *eight.Point, w *eight.Work) { panic(noKernel) }

func addLanesKernel(row uint8, r, p, q *eight.Point, w *eight.Work) { panic(noKernel) }

func multiplyBaseLanesKernel(row uint8, w *eight.Work, t *eight.BaseTable) { panic(noKernel) }

func multiplyLanesKernel(row uint8, w *eight.Work) { panic(noKernel) }

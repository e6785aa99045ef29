package frodokem

// kernels has the operations for which drivers have kernels. _gen/switches writes the functions that
// call these: switch_<goarch>.go. Without a kernel they call …Portable, or panic. There is one …Kernel
// for each part of the work that the portable driver does otherwise.
type kernels interface {
	// prepareKernel derives from the round keys what the kernels generate A from.
	prepareKernel(k *kernelScratch, keys *[11][16]byte, n int)

	// rowsKernel generates 16 rows of A with AES.
	rowsKernel(rows []uint16, k *kernelScratch, first, n int)

	// pairsKernel stores S' in the layout of the other kernels.
	pairsKernel(k *kernelScratch, s []uint16)

	// mulSAKernel adds S'A to out. It takes A from a, and S' from k.
	mulSAKernel(out []uint16, a, k *kernelScratch)

	// addRowsKernel adds to out the products of 16 rows of A with S'.
	addRowsKernel(out, rows []uint16, k *kernelScratch, first int)

	// finishKernel replaces S' by S'A or, for a key, S^T by A S. At the same time it
	// squeezes blocks from the state to out. Only drivers for which hasFinish is true have it.
	finishKernel(key bool, left []uint16, k *kernelScratch, state *[25]uint64, out []byte, words, blocks int)

	// addKernel adds words to those of out, after finishKernel.
	addKernel(out, x []uint16)

	// mulASKernel adds A S to out; st is S^T.
	mulASKernel(out []uint16, k *kernelScratch, st []uint16)

	// dotsKernel adds to out the products of the rows of x with the eight rows of st.
	dotsKernel(out, x, st []uint16)

	// mulSBKernel adds S'B to v. It takes S' from k or left.
	mulSBKernel(v *[nbar * nbar]uint16, k *kernelScratch, left, b []uint16)

	// sampleKernel is sample for a distribution.
	sampleKernel(s, cdf []uint16)

	// pack writes the d lowest bits of every entry, most significant bit first (Frodo.Pack);
	// len(v) is a multiple of 64.
	pack(d int, out []byte, v []uint16)

	// unpack is the inverse of pack; in may be longer.
	unpack(d int, v []uint16, in []byte)

	// differenceKernel returns bits of which each 16 are the bitwise or of x[i] ^ y[i] for
	// some i.
	differenceKernel(x, y []uint16) uint64
}

// hasFinish reports whether a driver has a kernel for finishKernel.
//
//switches:default func hasFinish(uint8) bool { return false }

// storeFrom has the number of products with the same A from which on a driver generates
// rows of A with AES and stores them, rather than generating A anew for each product. If it
// is 0, there are no kernels that generate and multiply.
//
//switches:default var storeFrom [len(hashRow)]uint8

// kernelScratch is the working memory of the kernels for one operation.
//
//switches:default type kernelScratch struct{}
//switches:default func (*kernelScratch) wipe(*params) {}

// generic is the row of the portable driver in every table.
const generic uint8 = 0

const noKernel = "frodokem: driver without a kernel"

// mustExist panics if there is no such driver.
func mustExist(row uint8) {
	if int(row) >= len(hashRow) {
		panic(noKernel)
	}
}

func packPortable(row uint8, d int, out []byte, v []uint16) {
	mustExist(row)
	packGeneric(d, out, v)
}

func unpackPortable(row uint8, d int, v []uint16, in []byte) {
	mustExist(row)
	unpackGeneric(d, v, in)
}

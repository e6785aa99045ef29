package frodokem

// kernels has the operations for which drivers have kernels. _gen/switches writes the functions
// that call these: switch_<goarch>.go. Without a kernel they call …Portable, return false, or
// panic: the portable driver has no operations …Kernel.
type kernels interface {
	// prepareKernel derives states after two rounds from the round keys. Other kernels generate
	// A from them.
	prepareKernel(k *kernelScratch, keys *[11][16]byte, n int)

	// rowsKernel generates 16 rows of A with AES.
	rowsKernel(rows []uint16, k *kernelScratch, first, n int)

	// pairsKernel stores S' in the layout of the other kernels.
	pairsKernel(k *kernelScratch, s []uint16)

	// finishKernel is squeeze, and mulSA or mulAS, for one of several products with the same A.
	// It may overwrite S' or S^T. It returns false if the driver cannot squeeze while it
	// multiplies, or if that is slower.
	//
	//switches:optional
	finishKernel(b *batch, o *operation, products int) bool

	// mulSAKernel adds S'A to out. It returns false if the driver stores rows of A.
	//
	//switches:optional
	mulSAKernel(out []uint16, k *kernelScratch) bool

	// addRowsKernel adds to out the products of 16 rows of A with S'.
	addRowsKernel(out, rows []uint16, k *kernelScratch, first int)

	// mulASKernel adds A S to out, where st is S^T. It returns false if the driver stores rows.
	//
	//switches:optional
	mulASKernel(out []uint16, k *kernelScratch, st []uint16) bool

	// dots adds to out the products of the rows of x with the eight rows of st.
	dots(out, x, st []uint16)

	// mulSB adds S'B to v. It takes S' from k or s, as they are after multiplication by A.
	mulSB(v *[nbar * nbar]uint16, k *kernelScratch, s, b []uint16)

	// sample turns random words, little-endian, into noise of a distribution in place
	// (Frodo.Sample). Their number is a multiple of 64.
	sample(s, cdf []uint16)

	// pack writes the d lowest bits of every entry, most significant bit first (Frodo.Pack);
	// len(v) is a multiple of 64.
	pack(d int, out []byte, v []uint16)

	// unpack is the inverse of pack; in may be longer.
	unpack(d int, v []uint16, in []byte)

	// difference returns bits of which each 16 are the bitwise or of x[i] ^ y[i] for some i.
	// The length is a multiple of 64.
	difference(x, y []uint16) uint64
}

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

package sm3

import (
	"encoding/binary"

	"github.com/cipherlane/cipherlane/internal/drivers"
)

// kernels has the operations for which drivers may have kernels. _gen/switches writes the
// functions that call these: switch_<goarch>.go. Without a kernel they call …Portable. Some
// switches are in drivers_<goarch>.go, because they depend on a number of messages.
type kernels interface {
	// blocksKernel compresses the blocks of p, at least one and at most maxPass bytes.
	blocksKernel(v *[8]uint32, p []byte)

	// compress compresses n blocks of each lane. sideBySide must have returned width for
	// this driver.
	compress(width int, v *[8][maxLanes]uint32, w *[32][maxLanes]uint32, src *[maxLanes][]byte, n int)

	// iterate does n iterations of PBKDF2 in each lane. iterateLanes must have returned
	// width for this driver.
	iterate(width int, m *pbkdf2Memory, n int)

	// kdfDigests writes the digests of all lanes. kdfLanes must have returned width for
	// this driver.
	kdfDigests(width int, dst []byte, v *[8]uint32, base, delta *blockWords, t *kdfTable)

	// digests writes the digests of the first count lanes one after the other.
	digests(count int, dst []byte, v *[8][maxLanes]uint32)
}

// generic is the row of the portable driver in every table.
const generic uint8 = 0

const noKernel = "sm3: driver without a kernel"

// maxPass limits the length of one call of a kernel, because the runtime cannot preempt
// assembly.
const maxPass = 64 << 10

// blocks compresses the blocks of p, at least one. For at most maxPass bytes it is the
// same as blocksKernel, and one call more.
func blocks(row uint8, v *[8]uint32, p []byte) {
	for len(p) > maxPass {
		blocksKernel(row, v, p[:maxPass])
		p = p[maxPass:]
	}
	blocksKernel(row, v, p)
}

func blocksPortable(row uint8, v *[8]uint32, p []byte) {
	if row != generic {
		panic(noKernel)
	}
	blocksGeneric(v, p)
}

// lanes is the table of sideBySide, iterateLanes and kdfLanes, and maxLanes its largest number.
//
//switches:default var lanes = make([]struct{ messages, keys, digests widths }, len(infos))
//switches:default const maxLanes = 32

// widths lists the kernels of a driver for many inputs, the widest first: with from
// inputs or more, the kernel with this number of lanes is faster than any narrower one
// and than one input after the other.
type widths []struct{ from, lanes int }

// lanesFor returns the number of lanes of the kernel that a plan uses for count inputs, or 1
// if processing them one after the other is fastest. If the plan uses another driver for
// single inputs, at least half of the lanes must be in use, because that driver is faster.
func (w widths) lanesFor(plan drivers.Plan, count int) int {
	for _, k := range w {
		from := k.from
		if plan.Many() != plan.Bulk() {
			from = max(from, k.lanes/2)
		}
		if count >= from {
			return k.lanes
		}
	}
	return 1
}

// sideBySide returns the number of lanes for count messages.
func sideBySide(plan drivers.Plan, count int) int {
	return lanes[plan.Many()].messages.lanesFor(plan, count)
}

// iterateLanes returns the number of lanes for count keys of PBKDF2.
func iterateLanes(plan drivers.Plan, count int) int {
	return lanes[plan.Many()].keys.lanesFor(plan, count)
}

// kdfLanes returns the number of lanes of kdfDigests for count digests.
func kdfLanes(plan drivers.Plan, count int) int {
	return lanes[plan.Many()].digests.lanesFor(plan, count)
}

func digestsPortable(row uint8, count int, dst []byte, v *[8][maxLanes]uint32) {
	if int(row) >= len(lanes) {
		panic(noKernel)
	}
	for l := range count {
		putLane((*[Size]byte)(dst[Size*l:]), v, l)
	}
}

// putLane writes the chaining value of a lane as the bytes of a digest.
func putLane(sum *[Size]byte, v *[8][maxLanes]uint32, l int) {
	l %= maxLanes // eliminates bounds checks
	for i := range v {
		binary.BigEndian.PutUint32(sum[4*i:], v[i][l])
	}
}

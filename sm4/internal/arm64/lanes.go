//go:build arm64 && !purego

package arm64

// A Lane is one of the streams that a call processes side by side, in CBC mode. The kernels
// depend on the offsets of the fields.
type Lane struct {
	Keys     *Keys     // for the families AES and AESSHA3
	KeysSM4  *KeysSM4  // for the family SM4
	IV       *[16]byte // becomes the last ciphertext block
	Dst, Src *byte     // if Dst is nil, only IV is updated
}

// MaxLanes is the number of lanes in one call.
const MaxLanes = 16

// CBCEncryptManySM4 encrypts n blocks, at least one, of each of 1 to 16 lanes. Either all
// have a Dst or none has.
func CBCEncryptManySM4(lanes []Lane, n int) {
	for len(lanes) >= 8 {
		cbcEncrypt8SM4(&lanes[0], n)
		lanes = lanes[8:]
	}
	if len(lanes)&4 != 0 {
		cbcEncrypt4SM4(&lanes[0], n)
		lanes = lanes[4:]
	}
	if len(lanes)&2 != 0 {
		cbcEncrypt2SM4(&lanes[0], n)
		lanes = lanes[2:]
	}
	if len(lanes) > 0 {
		cbcEncrypt1SM4(&lanes[0], n)
	}
}

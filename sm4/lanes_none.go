//go:build !(amd64 || arm64) || purego

package sm4

// A laneKernel is empty: there is no kernel for lanes with different keys.
type laneKernel struct{}

func (*laneKernel) set(int, *keys, *[BlockSize]byte, []byte, []byte) {}
func (*laneKernel) chain(int) (chain [BlockSize]byte)                { return chain }
func (*laneKernel) Wipe()                                            {}

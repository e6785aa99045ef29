package sm3

// kdfSideBySide keeps the kernels that compute digests side by side out of programs. Only the encryption
// of SM2 would use them, but programs that find methods by name, and so have all methods of its
// keys, would be 0.13 MB larger.
const kdfSideBySide = false

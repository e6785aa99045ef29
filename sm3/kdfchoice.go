package sm3

// kdfSideBySide is false in the standard library that "cipherlane go --sm" makes, which has another
// file in place of this one.
const kdfSideBySide = true

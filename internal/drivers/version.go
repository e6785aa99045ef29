package drivers

// version is the version of this module in profiles, that of the newest section of
// CHANGELOG.md, or "devel" if that is not released. It is not from
// [runtime/debug.ReadBuildInfo]: the package fmt, which that links, would make every
// program larger by a quarter of a megabyte.
const version = "devel"

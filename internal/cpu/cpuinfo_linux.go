package cpu

import "github.com/cipherlane/cipherlane/internal/rawfile"

// procCPUInfo returns the text of /proc/cpuinfo, or "".
func procCPUInfo() string {
	fd, err := rawfile.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer rawfile.Close(fd)
	text, _ := rawfile.Read(fd, 1<<24)
	return text
}

//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// quiet is the kernel parameters that keep everything but panics off the console.
const quiet = "quiet loglevel=1"

// tool returns the command for a program. With -root, the program, its libraries and
// the loader come from that folder.
func (o *options) tool(name string, args ...string) *exec.Cmd {
	if o.root == "" {
		return exec.Command(name, args...)
	}
	return exec.Command(o.root+"/usr/lib64/ld-linux-x86-64.so.2",
		append([]string{"--library-path", o.root + "/usr/lib/x86_64-linux-gnu", o.root + "/usr/bin/" + name}, args...)...)
}

// newUML prepares User Mode Linux, a kernel that runs as a program. Its root is the
// host's, through hostfs.
func newUML(o *options, tmp string, job []byte) (*machine, error) {
	if err := os.WriteFile(tmp+"/job", job, 0o600); err != nil {
		return nil, err
	}
	m := &machine{cmd: exec.Command(o.uml, umlArguments(o, tmp)...)}
	m.cmd.Env = append(os.Environ(), "TMPDIR="+umlMemory(tmp))
	if err := m.pipe(); err != nil {
		return nil, err
	}
	m.cmd.Stderr = m.cmd.Stdout
	pin() // a guest that moves between CPUs is five times slower
	return m, nil
}

// umlMemory returns the folder for the file that holds the guest's memory. It is in
// memory if possible, and must not be mounted noexec.
func umlMemory(tmp string) string {
	const memory = "/dev/shm"
	var s unix.Statfs_t
	if unix.Statfs(memory, &s) == nil && s.Type == unix.TMPFS_MAGIC && s.Flags&unix.ST_NOEXEC == 0 && unix.Access(memory, unix.W_OK) == nil {
		return memory
	}
	return tmp
}

// hidden reports whether a path of the host is not visible in User Mode Linux,
// because the guest mounts something over it.
func hidden(path string) bool {
	for _, dir := range []string{"/dev", "/proc", "/sys"} {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}

// umlFiles creates a folder for rig that the guest can see, and moves files there that
// the guest could not see otherwise: go test's programs, if TMPDIR is below /dev/shm.
func umlFiles(o *options) (tmp string, err error) {
	for _, dir := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if hidden(dir) {
			continue
		}
		if tmp, err = os.MkdirTemp(dir, "rig"); err == nil {
			break
		}
	}
	if tmp == "" {
		return "", fmt.Errorf("no folder for files that the guest can see: %v", err)
	}
	for _, file := range []*string{&o.program, &o.init} {
		if hidden(*file) {
			b, err := os.ReadFile(*file)
			if err != nil {
				return tmp, err
			}
			*file = tmp + (*file)[strings.LastIndexByte(*file, '/'):]
			if err := os.WriteFile(*file, b, 0o755); err != nil {
				return tmp, err
			}
		}
	}
	return tmp, nil
}

func umlArguments(o *options, tmp string) []string {
	a := []string{
		"mem=" + o.mem, "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "init=" + o.init, "panic=-1",
		// a single console: others would be xterm windows
		"con=null", "ssl=null", "con0=null,fd:1",
		"uml_dir=" + tmp, "umid=u", "rigjob=" + tmp + "/job",
	}
	if o.rw {
		a = append(a, "rw")
	} else {
		a = append(a, "ro")
	}
	if !o.verbose {
		a = append(a, strings.Fields(quiet)...)
	}
	return append(a, strings.Fields(o.append)...)
}

// machines lists what differs between architectures under qemu: the command, the
// machine, and the console for the kernel's messages before the virtio console works.
var machines = map[string]struct{ qemu, machine, serial string }{
	"amd64":   {"qemu-system-x86_64", "q35", "ttyS0"},
	"arm64":   {"qemu-system-aarch64", "virt", "ttyAMA0"},
	"arm":     {"qemu-system-arm", "virt,highmem=off", "ttyAMA0"}, // with high memory, Linux finds no PCI
	"riscv64": {"qemu-system-riscv64", "virt", "ttyS0"},
}

// newQEMU prepares qemu with a kernel and an initramfs. The console is a virtio
// device; a serial line costs a millisecond per line.
func newQEMU(o *options, tmp string, text []byte, j job) (*machine, error) {
	if err := writeInitramfs(tmp+"/initrd", o, text, j); err != nil {
		return nil, err
	}
	qemu := o.qemu
	if qemu == "" {
		qemu = machines[o.arch].qemu
	}
	m := &machine{cmd: o.tool(qemu, qemuArguments(o, tmp)...)}
	if o.root != "" {
		m.cmd.Env = append(os.Environ(), "QEMU_MODULE_DIR="+o.root+"/usr/lib/x86_64-linux-gnu/qemu")
	}
	if err := m.pipe(); err != nil {
		return nil, err
	}
	m.cmd.Stderr = os.Stderr
	m.log = func() []byte {
		b, _ := os.ReadFile(tmp + "/serial")
		return b
	}
	return m, nil
}

func qemuArguments(o *options, tmp string) []string {
	machine := machines[o.arch]
	line := "console=" + machine.serial + " console=hvc0 panic=-1"
	if o.arch == "amd64" { // on a busy host the timer looks broken, which makes Linux panic
		line += " no_timer_check"
	}
	if !o.verbose {
		line += " " + quiet
	}
	if o.append != "" {
		line += " " + o.append
	}
	a := []string{
		"-machine", machine.machine, "-accel", o.accel, "-cpu", o.cpu, "-smp", strconv.Itoa(o.smp), "-m", o.mem,
		"-nodefaults", "-no-user-config", "-nographic", "-no-reboot", "-monitor", "none",
		"-kernel", o.kernel, "-initrd", tmp + "/initrd", "-append", line,
		"-serial", "file:" + tmp + "/serial",
		"-device", "virtio-serial-pci", "-chardev", "stdio,id=console,signal=off", "-device", "virtconsole,chardev=console",
	}
	if o.root != "" {
		a = append(a, "-L", o.root+"/usr/share/qemu", "-L", o.root+"/usr/share/seabios")
	}
	return append(a, o.qemuArgs...)
}

// pipe makes the standard output of the machine its console.
func (m *machine) pipe() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	m.cmd.Stdout, m.console = w, r
	m.started = func() { w.Close() }
	return nil
}

// newBochs prepares Bochs, which emulates what qemu does not: AVX-512, VAES,
// GFNI. It boots like a PC, here from a CD. Its display needs a terminal, although
// nothing is displayed.
func newBochs(o *options, tmp string, text []byte, j job) (*machine, error) {
	cd := tmp + "/cd"
	if err := os.MkdirAll(cd+"/isolinux", 0o755); err != nil {
		return nil, err
	}
	if err := writeInitramfs(cd+"/initrd", o, text, j); err != nil {
		return nil, err
	}
	line := "console=ttyS0 panic=-1 reboot=t"
	if !o.verbose {
		line += " " + quiet
	}
	if o.append != "" {
		line += " " + o.append
	}
	for name, from := range map[string]string{
		"isolinux/isolinux.bin": o.root + "/usr/lib/ISOLINUX/isolinux.bin",
		"isolinux/ldlinux.c32":  o.root + "/usr/lib/syslinux/modules/bios/ldlinux.c32",
		"kernel":                o.kernel,
	} {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(cd+"/"+name, b, 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	boot := "PROMPT 0\nTIMEOUT 1\nDEFAULT linux\nLABEL linux\n KERNEL /kernel\n INITRD /initrd\n APPEND " + line + "\n"
	if err := os.WriteFile(cd+"/isolinux/isolinux.cfg", []byte(boot), 0o644); err != nil {
		return nil, err
	}
	xorriso := o.tool("xorriso", "-as", "mkisofs", "-quiet", "-o", tmp+"/iso", "-b", "isolinux/isolinux.bin",
		"-c", "isolinux/boot.cat", "-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", cd)
	if out, err := xorriso.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("xorriso: %v\n%s", err, out)
	}
	if err := os.RemoveAll(cd); err != nil {
		return nil, err
	}
	if err := os.WriteFile(tmp+"/bochsrc", []byte(bochsConfiguration(o, tmp, o.root+"/usr/share/bochs")), 0o644); err != nil {
		return nil, err
	}

	// The serial line is a named pipe. Rig also opens it for writing, so that it is
	// not at its end before Bochs opens it; when Bochs has ended, rig closes it.
	fifo := tmp + "/serial"
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		return nil, err
	}
	r, err := os.OpenFile(fifo, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	w, err := os.OpenFile(fifo, os.O_WRONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	master, terminal, err := openTerminal()
	if err != nil {
		return nil, err
	}
	m := &machine{cmd: o.tool("bochs-bin", "-q", "-f", tmp+"/bochsrc"), console: r}
	m.cmd.Env = append(os.Environ(), "TERM=xterm")
	if o.root != "" {
		m.cmd.Env = append(m.cmd.Env, "LTDL_LIBRARY_PATH="+o.root+"/usr/lib/x86_64-linux-gnu/bochs/plugins",
			"BXSHARE="+o.root+"/usr/share/bochs", "TERMINFO="+o.root+"/usr/share/terminfo")
	}
	m.cmd.Stdin, m.cmd.Stdout, m.cmd.Stderr = terminal, terminal, terminal
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	var display bytes.Buffer
	shown := make(chan struct{})
	m.started = func() {
		terminal.Close()
		go func() {
			show(&display, master)
			close(shown)
		}()
	}
	m.ended = func() { w.Close() }
	m.log = func() []byte {
		<-shown
		b, _ := os.ReadFile(tmp + "/log")
		return append(b, display.Bytes()...)
	}
	return m, nil
}

// show collects the output of Bochs on its terminal. It includes the name of another
// terminal, on which Bochs draws the screen, and which must be read lest Bochs block.
func show(output *bytes.Buffer, terminal *os.File) {
	looking := false
	b := make([]byte, 4096)
	for {
		n, err := terminal.Read(b)
		output.Write(b[:n])
		if _, rest, found := bytes.Cut(output.Bytes(), []byte(`connected to screen "`)); found && !looking {
			if name, _, whole := bytes.Cut(rest, []byte(`"`)); whole {
				looking = true
				go drain(string(name))
			}
		}
		if err != nil { // no process has the terminal open any more
			return
		}
	}
}

// drain reads a terminal until it is closed.
func drain(name string) {
	f, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if t, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err == nil {
		t.Iflag, t.Lflag = 0, 0 // no line buffering, no echo
		unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, t)
	}
	io.Copy(io.Discard, f)
}

func bochsConfiguration(o *options, tmp, share string) string {
	return strings.Join([]string{
		"display_library: term",
		"cpu: model=" + o.bochs + ", count=1, ips=200000000, reset_on_triple_fault=0",
		"memory: guest=" + strings.TrimSuffix(o.mem, "M") + ", host=" + strings.TrimSuffix(o.mem, "M"),
		"romimage: file=" + share + "/BIOS-bochs-latest",
		"vgaromimage: file=" + share + "/VGABIOS-lgpl-latest",
		"ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14",
		"ata0-master: type=cdrom, path=" + tmp + "/iso, status=inserted",
		"boot: cdrom",
		"com1: enabled=1, mode=file, dev=" + tmp + "/serial",
		"log: " + tmp + "/log",
		"panic: action=fatal",
		"clock: sync=none", // as fast as possible
		"speaker: enabled=0",
		"",
	}, "\n")
}

// openTerminal opens both ends of a pseudo terminal.
func openTerminal() (master, terminal *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	return master, terminal, err
}

//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ordinary is the user and group ID for -user.
const ordinary = 1000

// guest is process 1: it prepares the system, runs the program, reports its exit
// status and powers the machine off. It does not return.
func guest() {
	unix.Mount("proc", "/proc", "proc", 0, "")
	unix.Mount("sysfs", "/sys", "sysfs", 0, "")
	unix.Mount("devtmpfs", "/dev", "devtmpfs", 0, "")
	// The program's output must pass through unchanged.
	if t, err := unix.IoctlGetTermios(1, unix.TCGETS); err == nil {
		t.Oflag &^= unix.OPOST
		unix.IoctlSetTermios(1, unix.TCSETS, t)
	}

	// In User Mode Linux the root is the host's, mounted read-only.
	file, tmp, hostfs := "/job", "/tmp", false
	line, _ := os.ReadFile("/proc/cmdline")
	for _, word := range strings.Fields(string(line)) {
		if v, ok := strings.CutPrefix(word, "rigjob="); ok {
			file, tmp, hostfs = v, "/dev/shm", true
		}
	}
	if hostfs { // otherwise the program itself may be in a folder of /tmp
		os.Mkdir(tmp, 0o777)
		unix.Mount("tmpfs", tmp, "tmpfs", 0, "mode=1777")
	}

	var j job
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil {
		fmt.Println("rig: no job:", err)
		off()
	}
	if time.Now().UnixNano() < j.Now {
		now := unix.NsecToTimeval(j.Now)
		unix.Settimeofday(&now)
	}

	load("/modules")

	fmt.Printf("%sbegin\n", j.Mark)
	code := work(&j, tmp, hostfs)
	if j.Proc {
		text, _ := os.ReadFile("/proc/crypto")
		os.Stdout.Write(table(text))
	}
	unix.Sync()
	fmt.Printf("%s%d\n", j.Mark, code)
	unix.IoctlSetInt(1, unix.TCSBRK, 1) // wait until all output is sent
	off()
}

// load loads modules. For a missing module the kernel would call modprobe, which
// takes long if it is the host's.
func load(dir string) {
	order, err := os.ReadFile(dir + "/order")
	if err != nil {
		return
	}
	os.WriteFile("/proc/sys/kernel/modprobe", []byte("\n"), 0o644)
	for _, name := range strings.Fields(string(order)) {
		b, err := os.ReadFile(dir + "/" + name)
		if err == nil {
			err = unix.InitModule(b, "")
		}
		if err != nil && err != unix.EEXIST && err != unix.ENODEV { // ENODEV: for another CPU
			fmt.Printf("rig: module %s: %v\n", name, err)
		}
	}
}

func off() {
	unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	unix.Reboot(unix.LINUX_REBOOT_CMD_RESTART)
	select {}
}

// work runs the program and returns its exit status.
func work(j *job, tmp string, hostfs bool) int {
	// Not cmd.Dir: the directory would be changed as the ordinary user, who may not
	// have access to it.
	if err := os.Chdir(j.Dir); err != nil {
		fmt.Println("rig:", err)
		return exitNoStart
	}
	program, home, name := j.Program, "/", "root"
	var credential *syscall.Credential
	if j.User {
		home, name = tmp, "user"
		credential = &syscall.Credential{Uid: ordinary, Gid: ordinary}
		if hostfs {
			b, err := os.ReadFile(program)
			program = tmp + "/" + program[strings.LastIndexByte(program, '/')+1:]
			if err == nil {
				err = os.WriteFile(program, b, 0o755)
			}
			if err != nil {
				fmt.Println("rig:", err)
				return exitNoStart
			}
		}
	}
	args, log := j.Args, tmp+"/rig-testlog"
	if j.Log {
		args = append([]string{"-test.testlogfile=" + log}, args...)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append([]string{"PATH=/bin:/sbin:/usr/bin:/usr/sbin", "HOME=" + home, "USER=" + name, "TMPDIR=" + tmp, "RIG=1"}, j.Env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil && j.Log:
		return copyLog(os.Stdout, log, j.Mark)
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		fmt.Println("rig:", err)
		return exitNoStart
	}
	if s := exit.Sys().(syscall.WaitStatus); s.Signaled() {
		fmt.Println("rig:", err)
		return 128 + int(s.Signal())
	}
	return exit.ExitCode()
}

// copyLog writes the test log to the console, and returns the exit status. A line that
// comes again is left out if the program was in the same folder.
func copyLog(w io.Writer, log, mark string) int {
	text, err := os.ReadFile(log)
	if err == nil && !bytes.HasSuffix(text, []byte("\n")) {
		err = errors.New("the test log is not complete")
	}
	if err != nil {
		fmt.Fprintln(w, "rig:", err)
		return exitDied
	}
	done := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "chdir ") {
			clear(done)
		}
		if !done[line] {
			done[line] = true
			fmt.Fprintf(w, "%s%s%s", mark, logged, line)
		}
	}
	return 0
}

// table turns every record of /proc/crypto into one line.
func table(text []byte) []byte {
	var b bytes.Buffer
	for _, record := range strings.Split(string(text), "\n\n") {
		v := map[string]string{}
		for _, line := range strings.Split(record, "\n") {
			key, value, _ := strings.Cut(line, ":")
			v[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
		if v["name"] != "" {
			fmt.Fprintf(&b, "proc %-34s %-46s %4s %-10s async=%s %s\n", v["name"], v["driver"], v["priority"], v["type"], v["async"], v["selftest"])
		}
	}
	return b.Bytes()
}

// For LD_PRELOAD: ptrace of a host with AMX, as User Mode Linux sees it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum { NT_X86_XSTATE = 0x202, amx = 11008 };

long ptrace(enum __ptrace_request request, ...)
{
	static long (*host)(int, ...);
	static char all[65536];
	va_list list;
	va_start(list, request);
	int pid = va_arg(list, int);
	void *addr = va_arg(list, void *);
	void *data = va_arg(list, void *);
	va_end(list);
	if (!host)
		host = dlsym(RTLD_NEXT, "ptrace");
	if ((long)addr != NT_X86_XSTATE || (request != PTRACE_GETREGSET && request != PTRACE_SETREGSET))
		return host(request, pid, addr, data);

	struct iovec *asked = data, has = {all, sizeof all};
	if (asked->iov_len > amx)
		asked->iov_len = amx;
	if (request == PTRACE_GETREGSET) {
		memset(all, 0, sizeof all);
		long status = host(request, pid, addr, &has);
		memcpy(asked->iov_base, all, asked->iov_len);
		return status;
	}
	if (asked->iov_len != amx) { // Linux sets all registers or none
		errno = EFAULT;
		return -1;
	}
	memcpy(all, asked->iov_base, amx);
	return host(request, pid, addr, &has);
}

// A plugin of qemu-user that counts the instructions of each thread. When a thread makes
// the system call 4000, which Linux does not have, the plugin prints "mark TAG COUNT", with
// the first argument of the call as TAG.
//
// With the argument blocks=FILE it also counts how often each block of instructions is
// executed after the mark with TAG 1 and before the next one, and writes lines "ADDRESS
// INSTRUCTIONS TIMES" to FILE.
//
// Debian has no package with qemu-plugin.h, so the declarations that are needed are here.
// They are the same in all versions of the interface. QEMU 7.2 has versions 0 and 1, and
// QEMU 10 has version 2 and later: API is the one to declare.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int flags, void *);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, unsigned, int64_t, uint64_t, uint64_t,
	uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = API;

struct block {
	uint64_t address, instructions, times;
	struct block *next;
};

static uint64_t count[4096]; // of each thread
static struct block *blocks;
static const char *file;
static bool profiling;

static void execute(unsigned thread, void *instructions) { count[thread & 4095] += (uintptr_t)instructions; }

static void execute_block(unsigned thread, void *data) {
	struct block *b = data;
	count[thread & 4095] += b->instructions;
	if (profiling)
		b->times++;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
	uintptr_t n = qemu_plugin_tb_n_insns(tb);
	if (!file) {
		qemu_plugin_register_vcpu_tb_exec_cb(tb, execute, 0, (void *)n);
		return;
	}
	struct block *b = calloc(1, sizeof *b);
	if (!b)
		abort();
	b->address = qemu_plugin_tb_vaddr(tb);
	b->instructions = n;
	b->next = blocks;
	blocks = b;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, execute_block, 0, b);
}

static void write_blocks(void) {
	FILE *f = fopen(file, "w");
	if (!f) {
		perror(file);
		exit(1);
	}
	for (struct block *b = blocks; b; b = b->next)
		if (b->times)
			fprintf(f, "%llx %llu %llu\n", (unsigned long long)b->address, (unsigned long long)b->instructions,
				(unsigned long long)b->times);
	fclose(f);
}

static void system_call(qemu_plugin_id_t id, unsigned thread, int64_t number, uint64_t tag, uint64_t a2, uint64_t a3,
	uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
	if (number != 4000)
		return;
	fprintf(stderr, "mark %llu %llu\n", (unsigned long long)tag, (unsigned long long)count[thread & 4095]);
	if (!file)
		return;
	if (profiling)
		write_blocks();
	profiling = tag == 1 && !profiling;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "blocks=", 7))
			file = strdup(argv[i] + 7);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_vcpu_syscall_cb(id, system_call);
	return 0;
}

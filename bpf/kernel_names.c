/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/kernel_names.h"

#include "bpf/load.h"
#include "core/base/alloc.h"

#include "bpf/kernel_names.skel.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct kernel_names {
	struct kernel_names_bpf *programs;
};

struct kernel_names *kernel_names_open(struct error *err)
{
	struct kernel_names *n = xcalloc(1, sizeof(*n));

	load_quietly();
	n->programs = kernel_names_bpf__open_and_load();
	if (n->programs)
		return n;
	load_refused("kernel's names", errno, err);
	kernel_names_close(n);
	return NULL;
}

void kernel_names_close(struct kernel_names *n)
{
	if (!n)
		return;
	kernel_names_bpf__destroy(n->programs);
	free(n);
}

/* What has no name is its number, in lib/vsprintf.c's symbol_string(). */
bool kernel_names_ask(struct kernel_names *n, uint64_t address,
		      const char **name)
{
	int program = bpf_program__fd(n->programs->progs.on_request);
	char *written = n->programs->bss->name;
	LIBBPF_OPTS(bpf_test_run_opts, run);

	n->programs->bss->address = address;
	written[0] = '\0';
	if (bpf_prog_test_run_opts(program, &run) || !written[0])
		return false;
	written[sizeof(n->programs->bss->name) - 1] = '\0';
	*name = strncmp(written, "0x", 2) == 0 ? NULL : written;
	return true;
}

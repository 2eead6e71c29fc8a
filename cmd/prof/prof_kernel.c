/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/prof/prof_kernel.h"

#include "bpf/kernel_names.h"
#include "cmd/log.h"
#include "core/base/alloc.h"
#include "core/elf/kernel_symbols.h"

#include <stdbool.h>
#include <stdlib.h>

struct prof_kernel {
	struct kernel_names *names;
	struct kernel_symbols *symbols; /* in place of names */
	bool asked_names, asked_symbols;
};

struct prof_kernel *prof_kernel_new(void)
{
	return xcalloc(1, sizeof(struct prof_kernel));
}

void prof_kernel_free(struct prof_kernel *k)
{
	if (!k)
		return;
	kernel_names_close(k->names);
	kernel_symbols_close(k->symbols);
	free(k);
}

static bool ask_names(struct prof_kernel *k, uint64_t address,
		      const char **name)
{
	struct error unused;

	if (!k->asked_names)
		k->names = kernel_names_open(&unused);
	k->asked_names = true;
	if (k->names && kernel_names_ask(k->names, address, name))
		return true;
	kernel_names_close(k->names);
	k->names = NULL;
	return false;
}

const char *prof_kernel_function(struct prof_kernel *k, uint64_t address)
{
	const char *name;
	struct error why;

	if (ask_names(k, address, &name))
		return name;
	if (!k->asked_symbols) {
		k->symbols = kernel_symbols_open(&why);
		if (!k->symbols)
			log_info("frames of the kernel have no names: %s",
				 why.text);
	}
	k->asked_symbols = true;
	return k->symbols ? kernel_symbols_function(k->symbols, address) : NULL;
}

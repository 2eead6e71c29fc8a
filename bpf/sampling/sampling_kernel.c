/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling_kernel.h"

#include "bpf/kernel_names.h"
#include "core/base/alloc.h"
#include "core/elf/kernel_symbols.h"

#include <stdbool.h>
#include <stdlib.h>

struct sampling_kernel {
	const struct sampling_options *o;
	struct kernel_names *names;
	struct kernel_symbols *symbols; /* in place of names */
	bool asked_names, asked_symbols;
};

struct sampling_kernel *sampling_kernel_new(const struct sampling_options *o)
{
	struct sampling_kernel *k = xcalloc(1, sizeof(*k));

	k->o = o;
	return k;
}

void sampling_kernel_free(struct sampling_kernel *k)
{
	if (!k)
		return;
	kernel_names_close(k->names);
	kernel_symbols_close(k->symbols);
	free(k);
}

static bool ask_names(struct sampling_kernel *k, uint64_t address,
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

const char *sampling_kernel_function(struct sampling_kernel *k,
				     uint64_t address)
{
	const char *name;
	struct error why;

	if (ask_names(k, address, &name))
		return name;
	if (!k->asked_symbols) {
		k->symbols = kernel_symbols_open(&why);
		if (!k->symbols)
			sampling_tell(k->o, SAMPLING_INFO,
				      "frames of the kernel have no names: %s",
				      why.text);
	}
	k->asked_symbols = true;
	return k->symbols ? kernel_symbols_function(k->symbols, address) : NULL;
}

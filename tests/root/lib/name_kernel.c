/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	name_kernel <ADDRESSES
 *
 * Prints the kernel's name of each kernel address, in hex, one per line; "-"
 * for an address without a name.
 */
#include "bpf/kernel_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	struct error err;
	struct kernel_names *n = kernel_names_open(&err);
	char line[64];
	uint64_t address;
	const char *name;

	if (!n) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		address = strtoull(line, NULL, 16);
		if (!kernel_names_find(n, address, &name)) {
			fprintf(stderr, "no answer\n");
			return 1;
		}
		printf("%" PRIx64 " %s\n", address, name ? name : "-");
	}
	kernel_names_close(n);
	return 0;
}

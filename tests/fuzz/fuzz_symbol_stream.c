/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes an agent's records, read in two parts, and lookups of names. */
#include "jvmti/client/client_symbols.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct client_symbols *s, uint64_t pc, uint64_t time_ns)
{
	struct java_symbols *j = client_symbols_of(s);
	struct unwound_frame at = { .kind = UNWOUND_COMPILED, .pc = pc };
	struct code_blob blob = { .kind = BLOB_NMETHOD,
				  .begin = pc & ~UINT64_C(0xfff),
				  .end = pc + 0x100,
				  .tier = 3 };
	struct java_frame frames[16];

	j->frames(j, &at, time_ns, frames, 16);
	at.blob = &blob;
	j->frames(j, &at, time_ns, frames, 1);
	j->generated(j, &at, time_ns);
}

/* The first byte selects where the input is cut in two. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct client_symbols *s = client_symbols_new();
	size_t cut, taken;

	if (size > 0) {
		cut = size * data[0] / 256;
		cut = cut ? cut : 1;
		if (client_symbols_take(s, data + 1, cut - 1, &taken))
			client_symbols_take(s, data + 1 + taken,
					    size - 1 - taken, &taken);
	}
	for (uint64_t pc = 0; pc < 0x40; pc++) {
		ask(s, pc, pc);
		ask(s, 0x1000 + pc, 100);
		ask(s, UINT64_MAX - pc, 0);
	}
	client_symbols_free(s);
	return 0;
}

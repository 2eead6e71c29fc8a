/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_probes.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads a call, and uses each of its strings. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor r = cursor_over(data, size);
	struct probe_call *call = malloc(sizeof(*call));
	struct arena a = { 0 };
	uint64_t id, kind;
	size_t len = 0;

	if (!call)
		abort();
	if (probe_record_call(&r, &a, &id, &kind, call)) {
		if (call->argument_count > PROBE_ARGUMENTS ||
		    call->frame_count > PROBE_FRAMES || !cursor_ok(&r))
			abort();
		len = strlen(call->thread);
		for (size_t i = 0; i < call->argument_count; i++)
			if (call->arguments[i].text)
				len += strlen(call->arguments[i].text);
		for (size_t i = 0; i < call->frame_count; i++)
			len += strlen(call->frames[i].class_name) +
			       strlen(call->frames[i].method);
		/* An array of n dimensions, "[[[I", becomes 2 n longer. */
		if (len > 4 * size)
			abort();
	}
	arena_release(&a);
	free(call);
	return 0;
}

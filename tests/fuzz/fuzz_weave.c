/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's own files, which use no C library. */
#include "jvmti/agent/agent_class_file.c"
#include "jvmti/agent/agent_weave.c"
#include "jvmti/agent/agent_weave_code.c"

#include "tests/fuzz/weave_check.h"

enum { METHODS = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Weaves all methods in each mode.  A consistent class file stays consistent;
 * and an inconsistent one does no harm.
 */
static void fuzz_mode(struct weaver *w, struct check *c, const uint8_t *data,
		      size_t size, uint8_t mode)
{
	static struct checked_method found[METHODS];
	static struct weave_method methods[METHODS];
	size_t count, again, len = 0, cap = size * 16 + 65536;
	bool is_right = check_class(c, data, size, found, METHODS, &count);
	uint8_t *out = malloc(cap);

	if (!out)
		abort();
	for (size_t i = 0; i < count; i++)
		methods[i] = (struct weave_method){
			.name = found[i].name,
			.descriptor = found[i].descriptor,
			.id = (uint16_t)i,
			.mode = mode,
		};
	if (weave_class(w, data, size, methods, count, out, cap, &len) ==
	    PROBE_ARMED) {
		if (len > cap || len <= size)
			abort();
		if (is_right &&
		    (!check_class(c, out, len, found, METHODS, &again) ||
		     again != count))
			abort();
	}
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct weaver *w;
	static struct check *c;

	if (!w) {
		w = calloc(1, sizeof(*w));
		c = calloc(1, sizeof(*c));
	}
	if (!w || !c)
		abort();
	for (uint8_t mode = 0; mode < 8; mode++)
		fuzz_mode(w, c, data, size, mode);
	return 0;
}

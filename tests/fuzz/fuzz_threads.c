/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes replies to Thread.print: names, stack traces, deadlocks. */
#include "core/threads/thread_dumps.h"
#include "core/threads/thread_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *reply = (const char *)data;
	struct thread_names *names = thread_names_new();
	struct text out = { 0 };

	thread_names_read(names, reply, size);
	/* Only a few threads: with all, the time would be quadratic. */
	for (pid_t tid = 0; tid < 8; tid++) {
		const struct thread_name *name = thread_names_find(names, tid);

		thread_text_stack(reply, size, tid, name ? name->java_id : 0,
				  &out);
	}
	thread_text_deadlocks(reply, size, &out);
	text_release(&out);
	thread_names_free(names);
	return 0;
}

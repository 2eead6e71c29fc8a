/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	compare_symbols PID
 *
 * Looks up addresses in all compiled code of a JVM, in the metadata in the
 * JVM's memory and in the agent's names, and compares the results.  Code that
 * is compiled or removed meanwhile is ignored: it must be in the lists before
 * and after.  Prints counts and the first differences.
 */
#include "core/base/clock.h"
#include "core/base/safe_text.h"
#include "core/hotspot/code_cache.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/vm_symbols.h"
#include "core/jvm/jvm.h"
#include "jvmti/client/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 256, SHOWN = 10 };

static struct jvm jvm;
static struct error err;
static struct process_view *view;
static struct java_symbols *metadata, *agent;
static struct agent_client *client;

static struct counts {
	size_t blobs, places, frames, inlined, lines, stubs;
	size_t different, different_stubs, without_agent, intrinsics;
} counts;

static void add_frame(struct text *t, const struct java_frame *f)
{
	text_printf(t, " %s.%s%s:%u/%d", f->class_name, f->method, f->signature,
		    f->line, f->kind);
}

static void describe(struct text *t, const struct java_frame *frames,
		     size_t count)
{
	text_clear(t);
	text_puts(t, "");
	for (size_t i = 0; i < count; i++)
		add_frame(t, &frames[i]);
}

static void show(const char *what, const struct unwound_frame *at,
		 const char *ours, const char *theirs)
{
	struct text t = { 0 };

	text_puts(&t, "");
	safe_text(&t, ours, strlen(ours));
	text_puts(&t, " | ");
	safe_text(&t, theirs, strlen(theirs));
	printf("%s %u+%" PRIx64 ": %s\n", what, at->blob->compile_id,
	       at->pc - at->blob->begin, t.bytes);
	text_release(&t);
}

/*
 * All linkers of method handles share one jmethodID, so the JVM may report
 * another linker to the agent than the compiled one.
 */
static bool is_intrinsic(const struct java_frame *frames, size_t count)
{
	return count == 1 && frames[0].kind == JAVA_NATIVE &&
	       strcmp(frames[0].class_name, "java.lang.invoke.MethodHandle") ==
		       0;
}

static void compare_place(const struct unwound_frame *at)
{
	static struct text ours, theirs;
	struct java_frame frames[FRAMES];
	uint64_t now = (uint64_t)clock_monotonic_ns();
	size_t count = agent->frames(agent, at, now, frames, FRAMES);

	if (count == 0) {
		counts.without_agent++;
		return;
	}
	describe(&theirs, frames, count);
	count = metadata->frames(metadata, at, now, frames, FRAMES);
	describe(&ours, frames, count);
	if (is_intrinsic(frames, count)) {
		counts.intrinsics++;
		return;
	}
	counts.places++;
	counts.frames += count;
	counts.inlined += count > 1;
	counts.lines += count && frames[0].line;
	if (strcmp(ours.bytes, theirs.bytes) != 0 && counts.different++ < SHOWN)
		show("different", at, ours.bytes, theirs.bytes);
}

static void compare_generated(const struct unwound_frame *at)
{
	uint64_t now = (uint64_t)clock_monotonic_ns();
	const char *ours = metadata->generated(metadata, at, now);
	const char *theirs = agent->generated(agent, at, now);

	/*
	 * There is no name between two routines, and the agent has none for
	 * blobs.
	 */
	if (!theirs)
		return;
	counts.stubs++;
	/* Only the agent can distinguish the two. */
	if (strcmp(theirs, "itable stub") == 0 ||
	    strcmp(theirs, "vtable stub") == 0)
		theirs = "vtable/itable stub";
	if ((!ours || strcmp(ours, theirs) != 0) &&
	    counts.different_stubs++ < SHOWN)
		show("generated", at, ours ? ours : "", theirs);
}

static void compare_blob(const struct code_blob *blob)
{
	struct unwound_frame at = { .blob = blob };
	bool is_method = blob->kind == BLOB_NMETHOD ||
			 blob->kind == BLOB_NATIVE;

	at.kind = is_method ? UNWOUND_COMPILED : UNWOUND_GENERATED;
	counts.blobs++;
	/* An odd step, to test addresses of any alignment. */
	for (at.pc = blob->begin; at.pc < blob->end; at.pc += 3) {
		if (is_method)
			compare_place(&at);
		else
			compare_generated(&at);
	}
}

static bool is_same(const struct code_blob *a, const struct code_blob *b)
{
	return a->address == b->address && a->begin == b->begin &&
	       a->method == b->method && a->compile_id == b->compile_id;
}

/* Compares the code that is in both lists, which are sorted. */
static void compare_all(const struct code_list *before,
			const struct code_list *after)
{
	size_t k = 0;

	for (size_t i = 0; i < before->count; i++) {
		const struct code_blob *b = &before->blobs[i];

		while (k < after->count && after->blobs[k].begin < b->begin)
			k++;
		if (k < after->count && is_same(b, &after->blobs[k]))
			compare_blob(b);
	}
}

static int open_all(pid_t pid, struct vm_symbols **symbols)
{
	const struct agent_options options = {
		.lines = true,
		.timeout_ns = 60 * CLOCK_NS_PER_S,
	};

	if (jvm_open_java(&jvm, pid, &err))
		return -1;
	view = process_view_open(&jvm, NULL, &err);
	if (!view)
		return -1;
	*symbols = vm_symbols_open_for(view, &err);
	if (!*symbols)
		return -1;
	metadata = vm_symbols_of(*symbols);
	client = agent_client_open(&jvm, &options, &err);
	if (!client)
		return -1;
	agent = agent_client_symbols(client);
	return 0;
}

static int run(void)
{
	const struct vm_structs *structs = view->structs;
	struct code_list before = { 0 }, after = { 0 };
	int ret = -1;

	if (code_list_read(&before, structs, view->memory, &err) == 0 &&
	    agent_client_read(client, &err) == 0 &&
	    code_list_read(&after, structs, view->memory, &err) == 0) {
		compare_all(&before, &after);
		ret = 0;
	}
	code_list_release(&before);
	code_list_release(&after);
	return ret;
}

int main(int argc, char **argv)
{
	struct vm_symbols *symbols = NULL;
	int ret = argc == 2
			  ? open_all((pid_t)strtol(argv[1], NULL, 10), &symbols)
			  : -1;

	if (ret == 0)
		ret = run();
	if (ret)
		fprintf(stderr, "%s\n", err.text);
	else
		printf("blobs=%zu places=%zu frames=%zu inlined=%zu lines=%zu "
		       "stubs=%zu different=%zu different_stubs=%zu "
		       "without_agent=%zu intrinsics=%zu\n",
		       counts.blobs, counts.places, counts.frames,
		       counts.inlined, counts.lines, counts.stubs,
		       counts.different, counts.different_stubs,
		       counts.without_agent, counts.intrinsics);
	agent_client_close(client);
	vm_symbols_close(symbols);
	process_view_close(view);
	jvm_close(&jvm);
	return ret ? 1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	show_symbols PID frames CLASS.METHOD
 *	show_symbols PID lines CLASS.METHOD
 *	show_symbols PID counts
 *
 * Prints the methods that sjkc reads from a JVM's memory.  frames: for each
 * place in the compiled code of a method that differs from the previous one,
 * the tier and the methods, innermost first: "4 A.leaf:3 A.outer:7".  lines:
 * the line numbers of the method as javap prints them, without repeated lines.
 * counts: the numbers of compiled methods, and of those that could not be read.
 */
#include "core/base/safe_text.h"
#include "core/hotspot/code_cache.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/vm_symbols.h"
#include "core/jvm/jvm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 256 };

static struct java_symbols *symbols;

static void add_name(struct text *t, const struct java_frame *f)
{
	safe_text(t, f->class_name, strlen(f->class_name));
	text_putc(t, '.');
	safe_text(t, f->method, strlen(f->method));
}

static void show_frames(const struct code_blob *blob)
{
	struct text now = { 0 }, before = { 0 };
	struct unwound_frame at = { .kind = UNWOUND_COMPILED, .blob = blob };
	struct java_frame frames[FRAMES];

	text_puts(&before, "");
	for (at.pc = blob->begin; at.pc < blob->end; at.pc++) {
		size_t count = symbols->frames(symbols, &at, 0, frames, FRAMES);

		text_clear(&now);
		text_printf(&now, "%u", blob->tier);
		for (size_t i = 0; i < count; i++) {
			text_putc(&now, ' ');
			add_name(&now, &frames[i]);
			text_printf(&now, ":%u", frames[i].line);
		}
		if (strcmp(now.bytes, before.bytes) != 0)
			puts(now.bytes);
		text_clear(&before);
		text_puts(&before, now.bytes);
	}
	text_release(&now);
	text_release(&before);
}

static void show_lines(const struct code_blob *blob)
{
	struct unwound_frame at = { .kind = UNWOUND_INTERPRETED,
				    .method = blob->method };
	uint32_t before = 0;

	for (at.bci = 0; at.bci < UINT16_MAX; at.bci++) {
		struct java_frame f;

		if (symbols->frames(symbols, &at, 0, &f, 1) != 1)
			break;
		if (f.line != before)
			printf("line %u: %d\n", f.line, at.bci);
		before = f.line;
	}
}

static void show_all(const struct code_list *list, struct vm_symbols *s,
		     bool lines, const char *wanted)
{
	struct text name = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		const struct code_blob *b = &list->blobs[i];
		struct java_frame f;

		if (b->kind != BLOB_NMETHOD ||
		    !vm_symbols_method(s, b->method, &f))
			continue;
		text_clear(&name);
		add_name(&name, &f);
		if (strcmp(name.bytes, wanted) != 0)
			continue;
		if (!lines) {
			show_frames(b);
		} else {
			show_lines(b);
			break;
		}
	}
	text_release(&name);
}

static void show_counts(const struct code_list *list, struct vm_symbols *s)
{
	struct vm_symbols_counts counts;
	struct java_frame f;

	for (size_t i = 0; i < list->count; i++) {
		const struct code_blob *b = &list->blobs[i];
		struct unwound_frame at = { .kind = UNWOUND_COMPILED,
					    .pc = b->begin,
					    .blob = b };

		if (b->kind == BLOB_NMETHOD || b->kind == BLOB_NATIVE)
			symbols->frames(symbols, &at, 0, &f, 1);
	}
	vm_symbols_count(s, &counts);
	printf("compiled=%" PRIu64 " without_scopes=%" PRIu64
	       " unknown=%" PRIu64 " limits=%s\n",
	       counts.compiled, counts.without_scopes, counts.unknown,
	       vm_symbols_limits(s) ? vm_symbols_limits(s) : "none");
}

int main(int argc, char **argv)
{
	struct code_list list = { 0 };
	struct process_view *view = NULL;
	struct vm_symbols *s = NULL;
	struct jvm jvm = { .pidfd = -1 };
	struct error err = { 0 };

	if (argc > 2 &&
	    jvm_open_java(&jvm, (pid_t)strtol(argv[1], NULL, 10), &err) == 0)
		view = process_view_open(&jvm, NULL, &err);
	if (view)
		s = vm_symbols_open_for(view, &err);
	if (!s || code_list_read(&list, view->structs, view->memory, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	symbols = vm_symbols_of(s);
	if (argc > 3)
		show_all(&list, s, strcmp(argv[2], "lines") == 0, argv[3]);
	else
		show_counts(&list, s);
	code_list_release(&list);
	vm_symbols_close(s);
	process_view_close(view);
	jvm_close(&jvm);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc perfmap: writes the names of compiled code for perf(1). */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/target.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"
#include "core/hotspot/code_cache.h"
#include "core/hotspot/process_view.h"
#include "core/hotspot/vm_symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PREPARED = 1024 }; /* methods whose names are read at once */

static struct {
	const char *pid;
	const char *output;
	bool signature;
} opt;

/* The sources of the names of one JVM. */
struct map_source {
	struct process_view *view;
	struct vm_symbols *symbols;
	struct code_list code;
};

struct counts {
	size_t methods, others, unknown;
};

static int map_open(struct map_source *v, const struct jvm *jvm,
		    struct error *err)
{
	v->view = process_view_open(jvm, NULL, err);
	if (!v->view)
		return -1;
	v->symbols = vm_symbols_open_for(v->view, err);
	if (!v->symbols)
		return -1;
	return code_list_read(&v->code, v->view->structs, v->view->memory, err);
}

static bool blob_is_method(const struct code_blob *b)
{
	return b->kind == BLOB_NMETHOD || b->kind == BLOB_NATIVE;
}

/*
 * Reads the names of many methods at once: one read costs more than one name.
 */
static void map_prepare_names(struct map_source *v)
{
	const struct code_blob *blobs[PREPARED];
	size_t count = 0;

	for (size_t i = 0; i < v->code.count; i++) {
		const struct code_blob *b = &v->code.blobs[i];

		if (blob_is_method(b) && b->method)
			blobs[count++] = b;
		if (count == PREPARED) {
			vm_symbols_prepare(v->symbols, blobs, count);
			count = 0;
		}
	}
	vm_symbols_prepare(v->symbols, blobs, count);
}

/*
 * Writes "start size name" as perf reads it: hexadecimal, and the name up to
 * the end of the line.
 */
static void map_write_line(struct output *out, uint64_t begin, uint64_t end,
			   const struct text *name)
{
	output_printf(out, "%" PRIx64 " %" PRIx64 " %s\n", begin, end - begin,
		      name->bytes);
}

static void map_write_method(struct output *out, struct map_source *v,
			     const struct code_blob *b, struct text *name,
			     struct counts *counts)
{
	struct java_frame f;

	text_clear(name);
	if (vm_symbols_method(v->symbols, b->method, &f)) {
		safe_text_puts(name, f.class_name);
		text_putc(name, '.');
		safe_text_puts(name, f.method);
		if (opt.signature)
			safe_text_puts(name, f.signature);
		counts->methods++;
	} else {
		/* A method that is being unloaded has lost its name. */
		safe_text_puts(name, b->name);
		counts->unknown++;
	}
	map_write_line(out, b->begin, b->end, name);
}

/* Writes the part of the blob from an address up to end. */
static void map_write_rest(struct output *out, const struct code_blob *b,
			   uint64_t at, uint64_t end, struct text *name)
{
	if (at >= end)
		return;
	text_clear(name);
	safe_text_puts(name, b->name);
	map_write_line(out, at, end, name);
}

/*
 * Writes the routines in the blob by their names, and the gaps between them by
 * the blob's name.
 */
static void map_write_generated(struct output *out,
				const struct stub_name *stubs, size_t count,
				const struct code_blob *b, struct text *name)
{
	uint64_t at = b->begin;

	for (size_t i = 0; i < count; i++) {
		if (stubs[i].begin < at || stubs[i].end > b->end)
			continue;
		map_write_rest(out, b, at, stubs[i].begin, name);
		text_clear(name);
		safe_text_puts(name, stubs[i].name);
		map_write_line(out, stubs[i].begin, stubs[i].end, name);
		at = stubs[i].end;
	}
	map_write_rest(out, b, at, b->end, name);
}

static void map_write_all(struct output *out, struct map_source *v,
			  struct counts *counts)
{
	struct text name = { 0 };
	size_t stub_count;
	const struct stub_name *stubs = vm_symbols_stubs(v->symbols,
							 &stub_count);

	map_prepare_names(v);
	for (size_t i = 0; i < v->code.count && !out->sys; i++) {
		const struct code_blob *b = &v->code.blobs[i];

		if (blob_is_method(b)) {
			map_write_method(out, v, b, &name, counts);
			continue;
		}
		map_write_generated(out, stubs,
				    blob_has_routines(b) ? stub_count : 0, b,
				    &name);
		counts->others++;
	}
	text_release(&name);
}

static int map_write(struct map_source *v, const char *path,
		     struct counts *counts, struct error *err)
{
	struct output out;
	int ret;

	/* Any user can create files in the directory that perf reads. */
	ret = opt.output ? output_open(&out, path, err)
			 : output_open_unfollowed(&out, path, err);
	if (ret == 0) {
		map_write_all(&out, v, counts);
		ret = output_commit(&out, err);
	}
	output_close(&out);
	return ret;
}

static int map_jvm(const struct jvm *jvm, struct error *err)
{
	struct map_source v = { 0 };
	struct counts counts = { 0 };
	char path[64];
	int ret = -1;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)jvm->pid);
	if (map_open(&v, jvm, err) == 0)
		ret = map_write(&v, opt.output ? opt.output : path, &counts,
				err);
	code_list_release(&v.code);
	vm_symbols_close(v.symbols);
	process_view_close(v.view);
	if (ret)
		return -1;
	if (counts.methods + counts.unknown == 0)
		log_info("no method has been compiled yet");
	if (counts.unknown)
		log_always("%zu of %zu compiled methods were gone before "
			   "their names were read",
			   counts.unknown, counts.unknown + counts.methods);
	if (!opt.output || strcmp(opt.output, "-") != 0)
		log_info("%s has %zu compiled methods and %zu other pieces of "
			 "code",
			 opt.output ? opt.output : path, counts.methods,
			 counts.others);
	return 0;
}

static int run(int argc, char **argv, struct error *err)
{
	struct jvm jvm = { .pidfd = -1 };
	int status = target_open(&jvm, opt.pid, argc, argv, err);

	if (status == 0)
		status = map_jvm(&jvm, err);
	jvm_close(&jvm);
	return status;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "set the file (default: /tmp/perf-<pid>.map)"),
	OPT_FLAG('s', "signature", &opt.signature,
		 "add parameter and return types: a.B.c(I)V"),
	OPT_END
};
/* clang-format on */

const struct command perfmap_command = {
	.name = "perfmap",
	.synopsis = "perfmap [<options>] [<pid>]",
	.summary = "write a symbol map of compiled methods for perf(1)",
	.group = "profile",
	.examples = "  perf record -g -p 4711 -- sleep 10; sjkc perfmap 4711\n"
		    "  sjkc perfmap 4711 -s -o -   # with types, to stdout\n",
	.options = options,
	.has_messages = true,
	.run = run,
};

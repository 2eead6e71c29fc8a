/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	weave_classes MODE OUT [METHOD...] <FILES
 *
 * Weaves all methods, or those with one of the names, of the class files that
 * standard input names, one per line, and writes each to the same path below
 * OUT.  MODE is the number of bits of enum probe_mode.  Prints the number of
 * classes and methods, and the refused methods by reason.
 */
#include "core/base/alloc.h"
#include "core/base/text.h"

/* The agent has its own implementations. */
#include "jvmti/agent/agent_class_file.c"
#include "jvmti/agent/agent_weave.c"
#include "jvmti/agent/agent_weave_code.c"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GROWTH 16

static unsigned long classes, kept, woven, reasons[PROBE_REFUSALS];
static uint16_t next_id;

static struct text read_file(const char *path)
{
	struct text bytes = { 0 };
	char part[65536];
	size_t got;
	FILE *f = fopen(path, "rb");

	while (f && (got = fread(part, 1, sizeof(part), f)) > 0)
		text_add(&bytes, part, got);
	if (f)
		fclose(f);
	return bytes;
}

static void write_file(const char *out, const char *path, const void *bytes,
		       size_t len)
{
	char name[8192];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", out, path);
	for (char *at = name + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		if (mkdir(name, 0777) < 0 && errno != EEXIST)
			break;
	}
	f = fopen(name, "wb");
	if (!f || fwrite(bytes, 1, len, f) != len)
		perror(name);
	if (f)
		fclose(f);
}

static bool is_wanted(struct class_text name, char **names, int count)
{
	for (int i = 0; i < count; i++)
		if (class_text_is(name, names[i]))
			return true;
	return !count;
}

/* Lists the methods of a class file by reading it as the weaver does. */
static size_t list_methods(struct weaver *w, const struct text *file,
			   struct weave_method *methods, uint8_t mode,
			   char **names, int name_count)
{
	struct class_reader r = { (const uint8_t *)file->bytes, file->len, 0,
				  false };
	size_t found = 0;

	class_read(&r, 8);
	if (!class_pool_read(&w->pool, &r))
		return 0;
	class_read(&r, 6);
	class_read(&r, class_u2(&r) * (size_t)2);
	for (int of_methods = 0; of_methods < 2; of_methods++) {
		unsigned members = class_u2(&r);

		while (members-- && !r.is_bad) {
			unsigned access = class_u2(&r), name = class_u2(&r);
			unsigned type = class_u2(&r), rest = class_u2(&r);
			struct weave_method m = {
				class_pool_text(&w->pool, name),
				class_pool_text(&w->pool, type), 0, mode, 0
			};

			while (rest-- && !r.is_bad) {
				class_read(&r, 2);
				class_read(&r, class_u4(&r));
			}
			if (!of_methods || !m.name.bytes ||
			    access & (CLASS_NATIVE | CLASS_ABSTRACT) ||
			    class_text_is(m.name, "<clinit>") ||
			    !is_wanted(m.name, names, name_count))
				continue;
			m.id = next_id++ % PROBE_MAX;
			methods[found++] = m;
		}
	}
	return found;
}

static void weave_file(struct weaver *w, const char *path, char **argv,
		       int argc)
{
	static struct weave_method methods[65536];
	struct text file = read_file(path);
	uint8_t mode = (uint8_t)strtoul(argv[1], NULL, 10);
	size_t count, len, cap = file.len * GROWTH + 65536;
	uint8_t *out = xmalloc(cap);
	enum probe_refusal result = PROBE_IS_MISSING;

	count = list_methods(w, &file, methods, mode, argv + 3, argc - 3);
	classes++;
	if (count)
		result = weave_class(w, (const uint8_t *)file.bytes, file.len,
				     methods, count, out, cap, &len);
	for (size_t i = 0; i < count; i++) {
		reasons[methods[i].refusal]++;
		woven += methods[i].refusal == PROBE_ARMED;
	}
	if (result == PROBE_ARMED)
		write_file(argv[2], path, out, len);
	else
		kept++;
	free(out);
	text_release(&file);
}

int main(int argc, char **argv)
{
	struct weaver *w = xcalloc(1, sizeof(*w));
	char line[4096];

	if (argc < 3)
		return 2;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		weave_file(w, line, argv, argc);
	}
	printf("%lu classes, %lu unchanged, %lu methods woven\n", classes, kept,
	       woven);
	for (int i = 1; i < PROBE_REFUSALS; i++)
		if (reasons[i])
			printf("refusal %d: %lu\n", i, reasons[i]);
	free(w);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a Java method that `sjkc probe --publish` has published as a USDT
 * probe, in the library that the JVM has mapped for it.
 */
#include "bpf/sampling/sampling_target.h"

#include "core/base/alloc.h"
#include "core/base/nearest.h"
#include "core/elf/elf_usdt.h"
#include "core/elf/target_files.h"
#include "core/process/mappings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The parts of the path of such a library, and of the names of its probes. */
#define DIRECTORY "/.sjkc-"
#define FILE_NAME "/java"
#define SUFFIX    "__entry"

enum { NAMES_MAX = 16384 };

struct search {
	const char *name;
	const struct elf_file *file;
	struct published_probe *out;
	bool is_found;
	char **names; /* of all probes */
	size_t count, cap;
};

/* Returns the offset in the file of a mapped address; 0 = it has none. */
static uint64_t search_offset(const struct elf_file *f, uint64_t address)
{
	const Elf64_Phdr *s = elf_file_loaded(f, address);

	return s ? address - s->p_vaddr + s->p_offset : 0;
}

static bool search_take(void *self, const struct elf_usdt *probe)
{
	struct search *s = self;
	size_t len = strlen(probe->name), suffix = strlen(SUFFIX);

	if (strncmp(probe->provider, "java", 4) != 0 || len <= suffix ||
	    strcmp(probe->name + len - suffix, SUFFIX) != 0)
		return true;
	len -= suffix;
	if (strlen(s->name) == len && memcmp(s->name, probe->name, len) == 0) {
		s->out->offset = search_offset(s->file, probe->address);
		s->out->semaphore = search_offset(s->file, probe->semaphore);
		s->is_found = s->out->offset && s->out->semaphore;
	} else if (s->count < NAMES_MAX) {
		array_add(s->names, s->count, s->cap,
			  xstrndup(probe->name, len));
	}
	return !s->is_found;
}

static bool mapping_is_published(const struct mapping *m)
{
	const char *directory = strstr(m->path, DIRECTORY);

	return m->is_executable && m->inode && directory &&
	       strstr(directory, FILE_NAME);
}

static void search_mapping(struct search *s, const struct jvm *jvm,
			   const struct mapping *m)
{
	struct target_files files = { .jvm = jvm };
	struct elf_file f;
	int fd;

	fd = target_files_open(&files, m, error_unused());
	if (fd < 0)
		return;
	if (elf_file_init(&f, (struct elf_source){ .fd = fd },
			  error_unused()) == 0) {
		s->file = &f;
		elf_usdt_each(&f, search_take, s);
		elf_file_release(&f);
	}
	close(fd);
	if (s->is_found)
		snprintf(s->out->path, sizeof(s->out->path),
			 "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
			 (int)procfs_owner(jvm->pid), m->start, m->end);
}

static int search_fail(const struct search *s, const struct jvm *jvm,
		       struct error *err)
{
	struct nearest nearest = nearest_to(s->name, strlen(s->name));
	struct text hint = { 0 };

	for (size_t i = 0; i < s->count; i++)
		nearest_offer(&nearest, s->names[i]);
	text_puts(&hint, "");
	nearest_suggest(&nearest, &hint);
	fail(err, ERROR_NO_TARGET,
	     "%d: no published probe '%s'%s; publish one with `sjkc probe "
	     "--publish %d CLASS.METHOD` and keep it running",
	     (int)jvm->pid, s->name, hint.bytes, (int)jvm->pid);
	text_release(&hint);
	return -1;
}

int published_probe_find(const struct jvm *jvm, const char *name,
			 struct published_probe *out, struct error *err)
{
	struct search s = { .name = name, .out = out };
	struct mappings mappings = { 0 };
	int ret = mappings_read(&mappings, jvm, err);

	for (size_t i = 0; ret == 0 && i < mappings.count && !s.is_found; i++) {
		if (mapping_is_published(&mappings.all[i]))
			search_mapping(&s, jvm, &mappings.all[i]);
	}
	if (ret == 0 && !s.is_found)
		ret = search_fail(&s, jvm, err);
	mappings_release(&mappings);
	while (s.count)
		free(s.names[--s.count]);
	free(s.names);
	return ret;
}

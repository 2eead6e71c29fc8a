/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/vm_counters.h"

#include "core/elf/process_images.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <errno.h>

static bool counters_read(void *self, uint64_t address, void *bytes, size_t len)
{
	return memory_read(remote_memory_of(self), address, bytes, len);
}

static void counters_close(void *self) { remote_memory_close(self); }

/* Sets the place of the counters; the tables are those of this JVM. */
static int counters_locate(struct perfdata_memory *where,
			   const struct vm_structs *tables,
			   struct memory *memory, struct error *err)
{
	uint64_t start, end;

	if (!vm_structs_static(tables, "PerfMemory", "_start", &start) ||
	    !vm_structs_static(tables, "PerfMemory", "_end", &end))
		return fail(err, ERROR_UNAVAILABLE,
			    "its tables do not list PerfMemory");
	where->address = memory_u64(memory, start);
	end = memory_u64(memory, end);
	if (!where->address || end <= where->address)
		return fail(err, ERROR_UNAVAILABLE, "PerfMemory is empty");
	where->len = end - where->address;
	return 0;
}

/* Opens libjvm and its tables for as long as that takes. */
static int counters_find(struct perfdata_memory *where, const struct jvm *jvm,
			 struct memory *memory, struct error *err)
{
	struct process_images *images = process_images_open(jvm, memory, NULL,
							    err);
	struct vm_structs *tables = NULL;
	struct elf_image *libjvm;
	uint64_t bias;
	int status = -1;

	if (!images)
		return -1;
	libjvm = process_images_library(images, "libjvm.so", &bias);
	if (!libjvm)
		fail(err, ERROR_UNAVAILABLE, "its libjvm.so is not readable");
	else
		tables = vm_structs_read(libjvm, bias, memory, NULL, false,
					 err);
	if (tables)
		status = counters_locate(where, tables, memory, err);
	vm_structs_free(tables);
	process_images_close(images);
	return status;
}

static struct perfdata *counters_open_memory(const struct jvm *jvm,
					     struct error *err)
{
	struct remote_memory *memory = remote_memory_open(jvm, NULL, err);
	struct perfdata_memory where = {
		.read = counters_read,
		.close = counters_close,
		.self = memory,
	};

	if (!memory)
		return NULL;
	if (counters_find(&where, jvm, remote_memory_of(memory), err)) {
		remote_memory_close(memory);
		return NULL;
	}
	return perfdata_open_memory(jvm, &where, err);
}

struct perfdata *vm_counters_open(const struct jvm *jvm, struct error *err)
{
	struct error no_file, why;
	struct perfdata *p = perfdata_open(jvm, &no_file);

	if (p)
		return p;
	/* A file system that does not respond may hold libjvm, too. */
	if (jvm->kind == JVM_HOTSPOT && no_file.sys != ETIMEDOUT &&
	    no_file.kind != ERROR_NO_TARGET) {
		p = counters_open_memory(jvm, &why);
		if (!p && no_file.kind == ERROR_UNAVAILABLE)
			perfdata_explain(jvm, &why, &no_file);
	}
	if (!p)
		*err = no_file;
	return p;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/elf/process_images.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/hash.h"

#include <stdlib.h>
#include <string.h>

#define MAX_VDSO (64 << 10)
/* Ten times the tables of a libjvm with debug symbols. */
#define PROCESS_BYTES ((uint64_t)64 << 20)
/* One page, which has the ELF header, the segments and mostly the build ID. */
#define HEAD_BYTES 4096
/* Time until the next read.  It doubles while reads find nothing new. */
#define AGAIN_NS      (CLOCK_NS_PER_S / 50)
#define AGAIN_MOST_NS CLOCK_NS_PER_S
/*
 * A library may be replaced by another at the same address (dlclose, dlopen).
 * So mappings are read this often even when each address is in a mapping, and
 * less often if reading takes more than one part in COST_PART of the time.
 */
#define REPLACED_NS (15 * CLOCK_NS_PER_S)
#define COST_PART   500

/*
 * Returns true when the same files are mapped executable at the same addresses.
 */
static bool images_have_same_code(const struct mappings *a,
				  const struct mappings *b)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		while (i < a->count && !a->all[i].is_executable)
			i++;
		while (k < b->count && !b->all[k].is_executable)
			k++;
		if (i == a->count || k == b->count)
			return i == a->count && k == b->count;
		if (a->all[i].start != b->all[k].start ||
		    a->all[i].end != b->all[k].end ||
		    a->all[i].offset != b->all[k].offset ||
		    a->all[i].dev != b->all[k].dev ||
		    a->all[i].inode != b->all[k].inode)
			return false;
	}
}

/* Replaces the mappings; keeps the old ones when the process has ended. */
static int images_read_mappings(struct process_images *p, struct error *err)
{
	int64_t begun = clock_monotonic_ns();
	struct mappings now = { 0 };

	if (mappings_read(&now, p->jvm, err) < 0 ||
	    (!now.count && p->mappings.count)) {
		mappings_release(&now);
		return -1;
	}
	if (!p->generation || !images_have_same_code(&p->mappings, &now))
		p->generation++;
	mappings_release(&p->mappings);
	p->mappings = now;
	p->read_ns = clock_monotonic_ns();
	p->cost_ns = p->read_ns - begun;
	return 0;
}

struct process_images *process_images_open(const struct jvm *jvm,
					   struct memory *memory,
					   struct elf_image_set *shared,
					   struct error *err)
{
	struct process_images *p = xcalloc(1, sizeof(*p));

	p->jvm = jvm;
	p->memory = memory;
	p->shared = shared;
	p->again_ns = AGAIN_NS;
	p->files.jvm = jvm;
	p->files.budget = budget_new(shared ? &shared->budget : NULL,
				     shared ? shared->process_bytes
					    : PROCESS_BYTES);
	if (images_read_mappings(p, err)) {
		process_images_close(p);
		return NULL;
	}
	return p;
}

void process_images_close(struct process_images *p)
{
	if (!p)
		return;
	mappings_release(&p->mappings);
	for (size_t i = 0; i < p->count; i++)
		elf_image_close(p->all[i].elf);
	budget_free(p->files.budget);
	free(p->all);
	free(p);
}

void process_images_begin(struct process_images *p)
{
	int64_t age_ns = clock_monotonic_ns() - p->read_ns;
	struct error err;

	p->may_read_again = age_ns > p->again_ns;
	if (age_ns > REPLACED_NS && age_ns > COST_PART * p->cost_ns)
		images_read_mappings(p, &err);
}

const struct mapping *process_images_mapping(struct process_images *p,
					     uint64_t address)
{
	const struct mapping *m = mappings_find(&p->mappings, address);
	struct error err;

	if (m || !p->may_read_again)
		return m;
	p->may_read_again = false;
	if (!images_read_mappings(p, &err))
		m = mappings_find(&p->mappings, address);
	p->again_ns = m ? AGAIN_NS : 2 * p->again_ns;
	if (p->again_ns > AGAIN_MOST_NS)
		p->again_ns = AGAIN_MOST_NS;
	return m;
}

static struct elf_image *images_open_vdso(struct process_images *p,
					  const struct mapping *m)
{
	size_t len = m->end - m->start;
	struct elf_image *image = NULL;
	struct error err;
	uint8_t *bytes;

	if (len > MAX_VDSO)
		return NULL;
	bytes = xmalloc(len);
	if (memory_read(p->memory, m->start, bytes, len))
		image = elf_image_open_bytes(bytes, len, &err);
	free(bytes);
	return image;
}

/*
 * Returns a hash of the start of the file of a mapping, as the process has it
 * in memory; 0 when it is unreadable.
 */
static uint64_t images_hash_head(struct process_images *p,
				 const struct mapping *m)
{
	uint8_t head[HEAD_BYTES];

	for (size_t i = 0; i < p->mappings.count; i++) {
		const struct mapping *first = &p->mappings.all[i];

		if (first->dev == m->dev && first->inode == m->inode &&
		    first->offset == 0 &&
		    first->end - first->start >= sizeof(head))
			return memory_read(p->memory, first->start, head,
					   sizeof(head))
				       ? hash_bytes(head, sizeof(head))
				       : 0;
	}
	return 0;
}

/* Opens the file of a mapping, or finds the image of another process. */
static struct elf_image *images_open_file(struct process_images *p,
					  const struct mapping *m)
{
	uint64_t head = p->shared ? images_hash_head(p, m) : 0;
	struct error err;

	return elf_image_open(&p->files, p->shared, m, head, &err);
}

static uint64_t images_bias(const struct elf_image *elf,
			    const struct mapping *m)
{
	return elf ? elf_image_bias(elf, m) : 0;
}

uint32_t process_images_of(struct process_images *p, const struct mapping *m)
{
	bool is_vdso = !m->inode && strcmp(m->path, "[vdso]") == 0;
	struct process_image *i;
	uint64_t refused;

	if (!m->inode && !is_vdso)
		return 0;
	for (size_t k = 0; k < p->count; k++) {
		i = &p->all[k];
		if (i->dev == m->dev && i->inode == m->inode &&
		    (!i->elf || images_bias(i->elf, m) == i->bias))
			return (uint32_t)k + 1;
	}
	array_reserve(p->all, p->cap, p->count + 1);
	i = &p->all[p->count];
	*i = (struct process_image){ .dev = m->dev, .inode = m->inode };
	refused = p->files.budget->refused;
	i->elf = is_vdso ? images_open_vdso(p, m) : images_open_file(p, m);
	p->unopened += !i->elf && p->files.budget->refused > refused;
	i->bias = images_bias(i->elf, m);
	return (uint32_t)++p->count;
}

struct elf_image *process_images_library(struct process_images *p,
					 const char *name, uint64_t *bias)
{
	for (size_t i = 0; i < p->mappings.count; i++) {
		const struct mapping *m = &p->mappings.all[i];
		const char *slash = strrchr(m->path, '/');
		uint32_t image;

		/* " (deleted)" may follow. */
		if (!slash || !m->is_executable ||
		    strncmp(slash + 1, name, strlen(name)) != 0)
			continue;
		image = process_images_of(p, m);
		if (!image || !p->all[image - 1].elf)
			continue;
		*bias = p->all[image - 1].bias;
		return p->all[image - 1].elf;
	}
	return NULL;
}

uint64_t process_images_cut(const struct process_images *p, const char **name)
{
	uint64_t count = p->unopened;

	*name = "its mapped files";
	for (size_t i = p->count; i-- > 0;) {
		const struct elf_image *elf = p->all[i].elf;

		if (!elf || !elf_image_is_cut(elf))
			continue;
		*name = elf_image_name(elf);
		count++;
	}
	return count;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/mem/verdict.h"

#include "core/base/safe_text.h"
#include "core/base/units.h"

#include <string.h>

/*
 * Thresholds, in parts of a hundred.  Below a fifth, free memory is what an
 * allocator or a heap needs to work.
 */
enum {
	FREE_SHARE = 20,   /* of the memory beyond the heap, or of the heap */
	STACK_SHARE = 10,  /* of the resident memory */
	DIRECT_SHARE = 80, /* of the limit of direct buffers */
	CACHE_SHARE = 20,  /* of the memory of the group */
	SPARE = 10,        /* that the memory beyond the heap may still grow */
};

#define MIB ((uint64_t)1 << 20)

/* Less than this is not worth a sentence. */
#define WORTH (32 * MIB)

/* A class loader with fewer classes is one of many of a kind. */
enum { MANY_LOADERS = 500, CLASSES_PER_LOADER = 30 };

void mem_container_read(struct mem_container *c, const struct jvm *jvm)
{
	struct cgroup_limits limits;

	cgroup_limits_read(&limits, jvm);
	c->limit = limits.memory;
	cgroup_memory_read(&c->memory, limits.memory_group);
	cgroup_limits_release(&limits);
}

/* ---- sums ---- */

struct malloc_arena mem_arena_sum(const struct mem_account *a)
{
	struct malloc_arena sum = { 0 };

	for (size_t i = 0; i < a->glibc.arena_count; i++) {
		const struct malloc_arena *one = &a->glibc.arenas[i];

		sum.heaps += one->heaps;
		sum.system += one->system;
		sum.resident += one->resident;
		sum.in_use += one->in_use;
		sum.blocks += one->blocks;
		sum.in_use_resident += one->in_use_resident;
		sum.free += one->free;
		sum.free_resident += one->free_resident;
		sum.trimmable += one->trimmable;
		sum.top_resident += one->top_resident;
		sum.swapped += one->swapped;
		sum.unwalked += one->unwalked;
		sum.is_incomplete |= one->is_incomplete;
	}
	return sum;
}

/* malloc_trim() shortens the top of the main arena only. */
uint64_t mem_trimmable(const struct mem_account *a)
{
	return mem_arena_sum(a).trimmable;
}

static uint64_t beyond_heap(const struct mem_account *a)
{
	return a->total - a->parts[MEM_HEAP].resident;
}

static bool is_share(uint64_t part, unsigned percent, uint64_t whole)
{
	return part >= WORTH && part > whole / 100 * percent;
}

/* ---- rules ---- */

struct judged {
	const struct mem_account *a;
	const struct mem_container *c; /* NULL = unknown */
	struct mem_finding *f;
};

static bool limit_is_known(const struct judged *j)
{
	return j->c && j->c->limit > 0;
}

static bool rule_trim(const struct judged *j)
{
	struct malloc_arena sum = mem_arena_sum(j->a);
	uint64_t kept = sum.free_resident + sum.top_resident;

	if (!is_share(kept, FREE_SHARE, beyond_heap(j->a)))
		return false;
	text_printf(&j->f->sentence,
		    "%s of the %s beyond the heap are free memory that glibc "
		    "keeps in %s",
		    units_bytes((double)kept).text,
		    units_bytes((double)beyond_heap(j->a)).text,
		    units_counted(j->a->glibc.arena_count, "arena").text);
	text_printf(&j->f->now, "sjkc mem %d --trim returns about %s",
		    (int)j->a->pid,
		    units_bytes((double)mem_trimmable(j->a)).text);
	/* The flag: JDK 22, 21.0.1 and 17.0.9 (JDK-8293114). */
	text_puts(&j->f->lasting,
		  "MALLOC_ARENA_MAX=2 in the environment, or "
		  "-XX:TrimNativeHeapInterval=60000 (JDK 17.0.9, 21.0.1)");
	return true;
}

static bool rule_heap_free(const struct judged *j)
{
	const struct mem_heap *h = &j->a->heap;

	if (!h->has_objects ||
	    !is_share(h->free_resident, FREE_SHARE, j->a->total))
		return false;
	text_printf(&j->f->sentence,
		    "%s of the heap are free but resident: no leak, the JVM "
		    "keeps them for the next collection",
		    units_bytes((double)h->free_resident).text);
	text_puts(&j->f->lasting,
		  strcmp(h->collector, "G1") == 0
			  ? "a smaller -Xmx, or "
			    "-XX:G1PeriodicGCInterval=60000 (JDK 12)"
			  : "a smaller -Xmx");
	return true;
}

static bool rule_fit(const struct judged *j)
{
	uint64_t need;

	if (!limit_is_known(j) || !j->a->heap.max || !mem_has_heap(j->a))
		return false;
	need = j->a->heap.max + beyond_heap(j->a);
	if (need <= (uint64_t)j->c->limit)
		return false;
	text_printf(
		&j->f->sentence,
		"it does not fit: a full heap of %s and the %s beyond it "
		"exceed the memory limit of %s; a killed container needs no "
		"leak",
		units_bytes((double)j->a->heap.max).text,
		units_bytes((double)beyond_heap(j->a)).text,
		units_bytes((double)j->c->limit).text);
	return true;
}

static bool rule_mapped(const struct judged *j)
{
	if (j->a->heap.mapped_times < 2)
		return false;
	text_printf(&j->f->sentence,
		    "ZGC maps the heap %u times, and RSS counts each of them: "
		    "the memory in use is %s (Pss)",
		    j->a->heap.mapped_times,
		    units_bytes((double)j->a->pss).text);
	return true;
}

static bool rule_direct(const struct judged *j)
{
	const struct mem_direct *d = &j->a->direct;

	if (!d->is_known || !d->max ||
	    !is_share(d->reserved, DIRECT_SHARE, d->max))
		return false;
	text_printf(&j->f->sentence, "direct buffers have %s of at most %s",
		    units_bytes((double)d->reserved).text,
		    units_bytes((double)d->max).text);
	text_printf(&j->f->now,
		    "sjkc hh %d | grep DirectByteBuffer counts them",
		    (int)j->a->pid);
	text_puts(&j->f->lasting, "a larger -XX:MaxDirectMemorySize, or "
				  "buffers that are used again");
	return true;
}

static bool rule_stacks(const struct judged *j)
{
	const struct mem_size *s = &j->a->parts[MEM_STACKS];

	if (!is_share(s->resident, STACK_SHARE, j->a->total))
		return false;
	text_printf(&j->f->sentence, "the stacks of %zu threads have %s",
		    j->a->stack_count, units_bytes((double)s->resident).text);
	if (s->huge > s->resident / 4) {
		text_puts(&j->f->sentence,
			  ", because the kernel makes huge pages of them "
			  "(JDK-8303215)");
		text_puts(&j->f->lasting,
			  "transparent huge pages for madvise only, or JDK "
			  "17.0.9 or 21");
	} else {
		text_puts(&j->f->lasting, "fewer threads, or a smaller -Xss");
	}
	text_printf(&j->f->now, "sjkc mem %d --threads lists the largest",
		    (int)j->a->pid);
	return true;
}

static bool rule_loaders(const struct judged *j)
{
	const struct mem_account *a = j->a;

	if (a->loaders < MANY_LOADERS ||
	    a->classes / a->loaders >= CLASSES_PER_LOADER ||
	    a->parts[MEM_METASPACE].resident < WORTH)
		return false;
	units_add_count(&j->f->sentence, a->loaders);
	text_puts(&j->f->sentence, " class loaders have ");
	units_add_count(&j->f->sentence, a->classes);
	text_printf(&j->f->sentence, " classes and %s of metaspace",
		    units_bytes((double)a->parts[MEM_METASPACE].resident).text);
	text_printf(&j->f->now, "sjkc jcmd %d VM.classloader_stats names them",
		    (int)a->pid);
	return true;
}

static bool rule_cache(const struct judged *j)
{
	const struct cgroup_memory *m = j->c ? &j->c->memory : NULL;

	if (!m || m->current <= 0 || m->files < 0 ||
	    !is_share((uint64_t)m->files, CACHE_SHARE, (uint64_t)m->current))
		return false;
	text_printf(&j->f->sentence,
		    "%s of the container's memory are cached files",
		    units_bytes((double)m->files).text);
	if (m->inactive_files >= 0)
		text_printf(&j->f->sentence,
			    "; the kernel can drop %s of them before it kills",
			    units_bytes((double)m->inactive_files).text);
	return true;
}

static bool rule_swap(const struct judged *j)
{
	if (j->a->swapped < WORTH)
		return false;
	text_printf(&j->f->sentence,
		    "%s are swapped out; they are not read, and not in RSS",
		    units_bytes((double)j->a->swapped).text);
	return true;
}

static bool rule_malloc(const struct judged *j)
{
	const struct mem_account *a = j->a;
	uint64_t used = mem_arena_sum(a).in_use_resident +
			a->parts[MEM_BLOCKS].resident;

	if (!is_share(used, 2 * FREE_SHARE, beyond_heap(a)))
		return false;
	text_printf(&j->f->sentence,
		    "malloc has %s in use: a leak only if it grows",
		    units_bytes((double)used).text);
	text_printf(&j->f->now, "sjkc mem %d --watch 10s tells", (int)a->pid);
	return true;
}

/* The first one that holds is the most important. */
static const struct {
	const char *name;
	bool (*judge)(const struct judged *j);
} rules[] = {
	{ "trim", rule_trim },        { "heap_free", rule_heap_free },
	{ "does_not_fit", rule_fit }, { "mapped_times", rule_mapped },
	{ "direct", rule_direct },    { "stacks", rule_stacks },
	{ "loaders", rule_loaders },  { "cached_files", rule_cache },
	{ "swapped", rule_swap },     { "malloc", rule_malloc },
};

static void finding_release(struct mem_finding *f)
{
	text_release(&f->sentence);
	text_release(&f->now);
	text_release(&f->lasting);
}

/* The peak of the memory beyond the heap is unknown, so it may be larger. */
static void verdict_fit(struct mem_verdict *v, const struct judged *j)
{
	uint64_t beyond, limit;

	if (!limit_is_known(j) || !j->a->heap.max || !mem_has_heap(j->a))
		return;
	limit = (uint64_t)j->c->limit;
	beyond = beyond_heap(j->a) / 100 * (100 + SPARE);
	if (j->c->memory.kernel > 0)
		beyond += (uint64_t)j->c->memory.kernel;
	text_printf(&v->fit,
		    "estimate from now on, with %d%% to spare beyond the heap: "
		    "-Xmx at most %s, or a limit of at least %s",
		    SPARE,
		    limit > beyond ? units_bytes((double)(limit - beyond)).text
				   : "0 B",
		    units_bytes((double)(j->a->heap.max + beyond)).text);
}

void mem_verdict_judge(struct mem_verdict *v, const struct mem_account *a,
		       const struct mem_container *c)
{
	struct judged j = { a, c, NULL };

	*v = (struct mem_verdict){ 0 };
	for (size_t i = 0;
	     i < sizeof(rules) / sizeof(*rules) && v->count < MEM_FINDINGS;
	     i++) {
		j.f = &v->all[v->count];
		if (rules[i].judge(&j)) {
			j.f->rule = rules[i].name;
			v->count++;
		}
	}
	verdict_fit(v, &j);
}

void mem_verdict_release(struct mem_verdict *v)
{
	for (size_t i = 0; i < v->count; i++)
		finding_release(&v->all[i]);
	text_release(&v->fit);
	*v = (struct mem_verdict){ 0 };
}

/* ---- details ---- */

static void detail_heap(struct text *out, const struct mem_account *a)
{
	const struct mem_heap *h = &a->heap;

	if (*h->collector)
		text_printf(out, "%s", h->collector);
	if (h->has_objects)
		text_printf(out, "%s%s objects, %s free but resident",
			    out->len ? ": " : "",
			    units_bytes((double)h->objects).text,
			    units_bytes((double)h->free_resident).text);
	if (h->max)
		text_printf(out, "%smax %s", out->len ? ", " : "",
			    units_bytes((double)h->max).text);
}

static void detail_metaspace(struct text *out, const struct mem_account *a)
{
	if (a->classes) {
		units_add_count(out, a->classes);
		text_puts(out, a->classes == 1 ? " class" : " classes");
	}
	if (a->loaders)
		text_printf(out, "%s%s", out->len ? ", " : "",
			    units_counted(a->loaders, "loader").text);
}

static void detail_code(struct text *out, const struct mem_account *a)
{
	if (a->code_size)
		text_printf(out, "of %s",
			    units_bytes((double)a->code_size).text);
}

static void detail_stacks(struct text *out, const struct mem_account *a)
{
	if (a->stack_count)
		text_puts(out, units_counted(a->stack_count, "thread").text);
	if (a->stacks && a->stack_count) {
		text_puts(out, "; largest: ");
		safe_text_puts(out, a->stacks[0].name);
		text_printf(
			out, " %s",
			units_bytes((double)a->stacks[0].size.resident).text);
	}
}

static void detail_malloc(struct text *out, const struct mem_account *a)
{
	struct malloc_arena sum = mem_arena_sum(a);

	text_puts(out, *a->allocator ? a->allocator : "unknown allocator");
	if (!a->glibc.arena_count)
		return;
	text_printf(out, ", %s: %s in ",
		    units_counted(a->glibc.arena_count, "arena").text,
		    units_bytes((double)sum.in_use_resident).text);
	text_puts(out, units_counted(sum.blocks, "block").text);
	text_printf(out, ", %s free (%s trimmable)",
		    units_bytes((double)(sum.free_resident + sum.top_resident))
			    .text,
		    units_bytes((double)mem_trimmable(a)).text);
	if (sum.unwalked)
		text_printf(out, ", %s not walked",
			    units_bytes((double)sum.unwalked).text);
}

static void detail_blocks(struct text *out, const struct mem_account *a)
{
	const struct mem_direct *d = &a->direct;

	if (a->glibc.has_mapped)
		text_puts(out,
			  units_counted(a->glibc.mapped_count, "block").text);
	if (d->is_known && d->count)
		text_printf(out, "%sdirect buffers here and in malloc: %s in ",
			    out->len ? "; " : "",
			    units_bytes((double)d->capacity).text);
	if (d->is_known && d->count)
		units_add_count(out, d->count);
	if (d->has_netty && d->netty)
		text_printf(out, "%sNetty counts %s", out->len ? "; " : "",
			    units_bytes((double)d->netty).text);
}

static void detail_unknown(struct text *out, const struct mem_account *a)
{
	size_t count = 0;

	for (size_t i = 0; i < a->range_count; i++)
		count += a->ranges[i].part == MEM_UNKNOWN;
	if (count)
		text_printf(out, "%s (--maps)",
			    units_counted(count, "range").text);
}

void mem_add_detail(struct text *out, const struct mem_account *a,
		    enum mem_part part)
{
	static void (*const details[MEM_PARTS])(struct text *,
						const struct mem_account *) = {
		[MEM_HEAP] = detail_heap,
		[MEM_METASPACE] = detail_metaspace,
		[MEM_CODE] = detail_code,
		[MEM_STACKS] = detail_stacks,
		[MEM_MALLOC] = detail_malloc,
		[MEM_BLOCKS] = detail_blocks,
		[MEM_UNKNOWN] = detail_unknown,
	};
	struct text detail = { 0 };

	if (details[part])
		details[part](&detail, a);
	if (detail.len)
		text_add(out, detail.bytes, detail.len);
	text_release(&detail);
}

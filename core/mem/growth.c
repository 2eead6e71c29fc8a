/* SPDX-License-Identifier: Apache-2.0 */
/* growth: what grew between accounts of memory, and the document about it. */
#include "core/mem/verdict.h"

#include "core/base/clock.h"
#include "core/base/json.h"

#include <string.h>

/*
 * Sizes of blocks, with their headers, of structures that are leaked often:
 * measured with JDK 17 and 25 and zlib 1.2.13 and 1.3.  One entry per set of
 * sizes that appear together.
 */
static const struct {
	const char *name;
	uint64_t sizes[2]; /* 0 = no second one */
} fingerprints[] = {
	{ "java.util.zip.Inflater", { 7168, 32784 } },
	{ "java.util.zip.Deflater", { 5968, 0 } },
	{ "java.util.zip.Deflater", { 5984, 0 } },
};

/* A smaller number of blocks is chance. */
enum { LEAST_BLOCKS = 10 };

enum { UNWALKED_SHARE = 100 }; /* 1 % of the arenas */

static int64_t blocks_of(const struct glibc_heap *h, uint64_t size)
{
	for (size_t i = 0; i < h->size_count; i++)
		if (h->sizes[i].size == size)
			return (int64_t)h->sizes[i].blocks;
	return 0;
}

static void growth_add_size(struct mem_growth *g, uint64_t size, int64_t blocks)
{
	size_t at = g->size_count;
	int64_t bytes = blocks * (int64_t)size;

	while (at &&
	       bytes > g->sizes[at - 1].blocks * (int64_t)g->sizes[at - 1].size)
		at--;
	if (at == GROWN_SIZES)
		return;
	if (g->size_count < GROWN_SIZES)
		g->size_count++;
	memmove(&g->sizes[at + 1], &g->sizes[at],
		(g->size_count - 1 - at) * sizeof(*g->sizes));
	g->sizes[at].size = size;
	g->sizes[at].blocks = blocks;
}

static void growth_add_kind(struct mem_growth *g, const char *name,
			    int64_t count, bool is_guess)
{
	if (count <= 0 || g->kind_count == GROWN_KINDS)
		return;
	g->kinds[g->kind_count].name = name;
	g->kinds[g->kind_count].count = count;
	g->kinds[g->kind_count++].is_guess = is_guess;
}

static void growth_guess(struct mem_growth *g, const struct glibc_heap *before,
			 const struct glibc_heap *after)
{
	for (size_t i = 0; i < sizeof(fingerprints) / sizeof(*fingerprints);
	     i++) {
		const uint64_t *sizes = fingerprints[i].sizes;
		int64_t first = blocks_of(after, sizes[0]) -
				blocks_of(before, sizes[0]);
		int64_t other = sizes[1] ? blocks_of(after, sizes[1]) -
						   blocks_of(before, sizes[1])
					 : first;

		/* The second size has other users, too. */
		if (first >= LEAST_BLOCKS && other >= first - first / 10)
			growth_add_kind(g, fingerprints[i].name, first, true);
	}
}

static void growth_of_sizes(struct mem_growth *g,
			    const struct glibc_heap *before,
			    const struct glibc_heap *after)
{
	for (size_t i = 0; i < after->size_count; i++) {
		uint64_t size = after->sizes[i].size;
		int64_t more = (int64_t)after->sizes[i].blocks -
			       blocks_of(before, size);

		if (more >= LEAST_BLOCKS)
			growth_add_size(g, size, more);
	}
	growth_guess(g, before, after);
}

/* An account that ended early has too few blocks to be compared. */
static bool account_is_walked(const struct mem_account *a,
			      const struct malloc_arena *sum)
{
	return a->glibc.size_count && !a->glibc.is_cut &&
	       sum->unwalked <= sum->resident / UNWALKED_SHARE;
}

void mem_growth_of(struct mem_growth *g, const struct mem_account *before,
		   const struct mem_account *after)
{
	struct malloc_arena old = mem_arena_sum(before);
	struct malloc_arena now = mem_arena_sum(after);

	*g = (struct mem_growth){
		.pid = after->pid,
		.wall_ns = after->wall_ns,
		.uptime_ns = after->uptime_ns,
		.seconds = (double)(after->wall_ns - before->wall_ns) / 1e9,
		.rss = (int64_t)(after->rss - before->rss),
		.has_blocks = account_is_walked(before, &old) &&
			      account_is_walked(after, &now),
	};
	if (g->has_blocks) {
		g->in_use = (int64_t)(now.in_use + after->glibc.mapped -
				      old.in_use - before->glibc.mapped);
		g->blocks = (int64_t)(now.blocks - old.blocks);
	}
	for (size_t i = 0; i < MEM_PARTS; i++)
		g->parts[i] = (int64_t)(after->parts[i].resident -
					before->parts[i].resident);
	if (g->has_blocks)
		growth_of_sizes(g, &before->glibc, &after->glibc);
	if (before->direct.is_known && after->direct.is_known)
		growth_add_kind(
			g, "direct buffers",
			(int64_t)(after->direct.count - before->direct.count),
			false);
	growth_add_kind(g, "threads",
			(int64_t)after->stack_count -
				(int64_t)before->stack_count,
			false);
	growth_add_kind(g, "class loaders",
			(int64_t)(after->loaders - before->loaders), false);
	growth_add_kind(g, "classes",
			(int64_t)(after->classes - before->classes), false);
}

/* ---- several intervals ---- */

/*
 * So many intervals in a row with growth are more than chance, and a JVM that
 * has run for less than WARM_UP_NS still loads classes and compiles methods.
 */
enum { STEADY = 3 };

#define WARM_UP_NS   (MEM_WARM_UP_MIN * 60 * CLOCK_NS_PER_S)
#define LEAST_GROWTH ((int64_t)64 << 10)
#define STEP_DECLINE 0.95      /* an interval, of the one before */
#define MEAN_DECLINE (2 / 3.0) /* of the later half, of the earlier half */

void mem_trend_add(struct mem_trend *t, const struct mem_growth *g)
{
	int64_t interval_ns = (int64_t)(g->seconds * CLOCK_NS_PER_S);
	bool is_young = g->uptime_ns &&
			(int64_t)g->uptime_ns - interval_ns < WARM_UP_NS;

	if (!g->has_blocks)
		return;
	if (g->in_use <= 0) {
		*t = (struct mem_trend){ 0 };
		return;
	}
	t->grown++;
	t->bytes += g->in_use;
	if (is_young)
		return;
	if (t->count == MEM_TREND) {
		memmove(t->rates, t->rates + 1,
			(MEM_TREND - 1) * sizeof(*t->rates));
		t->count--;
	}
	t->rates[t->count++] = (double)g->in_use /
			       (g->seconds > 0 ? g->seconds : 1);
}

/* A JVM that fills its caches and tables allocates less and less. */
static bool trend_declines(const struct mem_trend *t)
{
	unsigned half = t->count / 2;
	double early = 0, late = 0;
	bool is_steep = true;

	for (unsigned i = 0; i < t->count; i++) {
		if (i < half)
			early += t->rates[i] / half;
		else
			late += t->rates[i] / (t->count - half);
		if (i && t->rates[i] > t->rates[i - 1] * STEP_DECLINE)
			is_steep = false;
	}
	return is_steep || late < early * MEAN_DECLINE;
}

enum mem_course mem_trend_course(const struct mem_trend *t)
{
	if (t->grown < STEADY || t->bytes < LEAST_GROWTH)
		return MEM_UNCLEAR;
	if (t->count < STEADY)
		return MEM_WARMS_UP;
	return trend_declines(t) ? MEM_SETTLES : MEM_LEAKS;
}

/* ---- document ---- */

static void growth_add_parts(struct json *j, const struct mem_growth *g)
{
	json_add_array(j, "parts");
	for (size_t i = 0; i < MEM_PARTS; i++) {
		json_open_object(j);
		json_add_text(j, "name", mem_part_names[i]);
		json_add_int(j, "resident_bytes", g->parts[i]);
		json_close_object(j);
	}
	json_close_array(j);
}

static void growth_add_blocks(struct json *j, const struct mem_growth *g)
{
	json_add_array(j, "sizes");
	for (size_t i = 0; i < g->size_count; i++) {
		json_open_object(j);
		json_add_uint(j, "size_bytes", g->sizes[i].size);
		json_add_int(j, "blocks", g->sizes[i].blocks);
		json_close_object(j);
	}
	json_close_array(j);
	json_add_array(j, "kinds");
	for (size_t i = 0; i < g->kind_count; i++) {
		json_open_object(j);
		json_add_text(j, "name", g->kinds[i].name);
		json_add_int(j, "count", g->kinds[i].count);
		json_add_bool(j, "is_guess", g->kinds[i].is_guess);
		json_close_object(j);
	}
	json_close_array(j);
}

void mem_growth_add_json(struct text *out, const struct mem_growth *g,
			 const char *of, const struct mem_trend *t)
{
	static const char *const courses[] = {
		[MEM_UNCLEAR] = "unclear",
		[MEM_WARMS_UP] = "warms_up",
		[MEM_SETTLES] = "settles",
		[MEM_LEAKS] = "leak",
	};
	struct json j = json_document(out, "sjkc.mem-growth/1");

	json_add_int(&j, "pid", g->pid);
	json_add_int(&j, "time_ns", g->wall_ns);
	json_add_id(&j, "uptime_ns", (int64_t)g->uptime_ns);
	json_add_text(&j, "of", of);
	json_add_double(&j, "interval_s", g->seconds);
	json_add_int(&j, "rss_bytes", g->rss);
	growth_add_parts(&j, g);
	if (g->has_blocks) {
		json_add_int(&j, "in_use_bytes", g->in_use);
		json_add_int(&j, "blocks", g->blocks);
	}
	growth_add_blocks(&j, g);
	json_add_text(&j, "course", t ? courses[mem_trend_course(t)] : NULL);
	json_end_document(&j);
}

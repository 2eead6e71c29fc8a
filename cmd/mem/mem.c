/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc mem: where the resident memory of a JVM is, and what grows. */
#include "cmd/mem/mem.h"

#include "cmd/commands.h"
#include "cmd/shared/flame_output.h"
#include "cmd/shared/log.h"
#include "cmd/shared/process.h"
#include "cmd/shared/report_format.h"
#include "cmd/shared/signals.h"
#include "cmd/shared/target.h"
#include "core/attach/attach.h"
#include "core/base/clock.h"
#include "core/base/input.h"
#include "core/base/output.h"
#include "core/base/units.h"
#include "core/diagnosis/trends.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* malloc_trim() walks all arenas, and holds their locks. */
#define TRIM_TIMEOUT_NS (60 * CLOCK_NS_PER_S)
#define WATCH_LEAST_NS  CLOCK_NS_PER_S

static struct {
	const char *pid, *output;
	int64_t watch_ns, duration_ns; /* 0 = not given */
	bool json, page, trim, diff, histogram;
	struct mem_tables tables;
} opt = { .output = "-" };

/* An account with what it means. */
struct mem_answer {
	struct mem_account account;
	struct mem_verdict verdict;
	struct mem_container container;
	bool has_container;
};

static void answer_judge(struct mem_answer *a)
{
	mem_verdict_judge(&a->verdict, &a->account,
			  a->has_container ? &a->container : NULL);
}

static int answer_read(struct mem_answer *a, const struct jvm *jvm,
		       struct error *err)
{
	*a = (struct mem_answer){ .has_container = true };
	if (mem_account_read(&a->account, jvm, true, err))
		return -1;
	mem_container_read(&a->container, jvm);
	answer_judge(a);
	return 0;
}

static void answer_release(struct mem_answer *a)
{
	mem_account_release(&a->account);
	mem_verdict_release(&a->verdict);
}

/* ---- the page ---- */

/* The colors: what is for Java, what the JVM has for itself, and the rest. */
static enum frame_kind page_kind(enum mem_part part)
{
	switch (part) {
	case MEM_HEAP:
	case MEM_METASPACE:
	case MEM_CODE:
	case MEM_ARCHIVE:
		return FRAME_JAVA;
	case MEM_GC:
	case MEM_OTHER:
		return FRAME_CPP;
	case MEM_UNKNOWN:
		return FRAME_SYNTHETIC;
	default:
		return FRAME_NATIVE;
	}
}

enum { PAGE_LEVELS = 2 }; /* below a part */

static void page_add(struct profile *p, enum mem_part part,
		     const char *const names[PAGE_LEVELS], uint64_t bytes)
{
	const char *const all[] = { mem_part_titles[part], names[0], names[1] };
	uint32_t event = profile_event(p, "resident memory", UNIT_BYTES);
	uint32_t stack = 0;

	for (size_t i = 0; i < 1 + PAGE_LEVELS; i++) {
		const struct frame f = {
			.method = profile_string(p, all[i], strlen(all[i])),
			.kind = page_kind(part),
		};

		if (f.method)
			stack = profile_push(p, stack, profile_frame(p, &f));
	}
	if (bytes)
		profile_add(p, &(struct sample){ .event = event,
						 .stack = stack,
						 .count = 1,
						 .weight = bytes });
}

static void page_add_arena(struct profile *p, const struct malloc_arena *a,
			   size_t index)
{
	uint64_t named = a->in_use_resident + a->free_resident +
			 a->top_resident;
	const struct {
		const char *name;
		uint64_t bytes;
	} all[] = {
		{ "in use", a->in_use_resident },
		{ "free", a->free_resident },
		{ "top", a->top_resident },
		{ "headers, incomplete",
		  a->resident > named ? a->resident - named : 0 },
	};
	char name[32];

	snprintf(name, sizeof(name), a->is_main ? "main arena" : "arena %zu",
		 index);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		page_add(p, MEM_MALLOC,
			 (const char *const[]){ name, all[i].name },
			 all[i].bytes);
}

static void page_add_heap(struct profile *p, const struct mem_account *a)
{
	uint64_t all = a->parts[MEM_HEAP].resident;
	uint64_t free = a->heap.free_resident < all ? a->heap.free_resident
						    : all;

	page_add(p, MEM_HEAP, (const char *const[]){ "objects", "" },
		 all - free);
	page_add(p, MEM_HEAP, (const char *const[]){ "free", "" }, free);
}

/* The heap, arenas and stacks have more details than their ranges. */
static struct profile *page_profile(const struct mem_account *a)
{
	const bool is_detailed[MEM_PARTS] = {
		[MEM_HEAP] = a->heap.has_objects,
		[MEM_MALLOC] = a->glibc.arena_count > 0,
		[MEM_STACKS] = a->stack_count > 0,
	};
	struct profile *p = profile_new();

	if (is_detailed[MEM_HEAP])
		page_add_heap(p, a);
	for (size_t i = 0; i < a->glibc.arena_count; i++)
		page_add_arena(p, &a->glibc.arenas[i], i);
	for (size_t i = 0; i < a->stack_count; i++)
		page_add(p, MEM_STACKS,
			 (const char *const[]){ a->stacks[i].is_java ? "Java"
								     : "native",
						a->stacks[i].name },
			 a->stacks[i].size.resident);
	for (size_t i = 0; i < a->range_count; i++) {
		const struct mem_range *r = &a->ranges[i];

		if (!is_detailed[r->part])
			page_add(p, r->part,
				 (const char *const[]){
					 r->detail ? r->detail : "",
					 r->path ? r->path : "" },
				 r->size.resident);
	}
	return p;
}

static int mem_write_page(const struct mem_account *a, const char *name,
			  struct error *err)
{
	struct text title = { 0 };
	static const struct flame_output_options options = { .min_width = -1 };
	static const struct sample_filter_options no_filter = { 0 };
	struct sample_filter *all = sample_filter_new(&no_filter, err);
	const struct flame_output_format *format = flame_output_format(
		"html", opt.output, &options, err);
	struct flame_output d = {
		.options = &options,
		.output = opt.output,
	};
	int ret = -1;

	text_printf(&title, "resident memory of %s (%d)", name, (int)a->pid);
	d.source = title.bytes;
	d.profile = page_profile(a);
	if (format && all && flame_output_choose(&d, all, err) == 0)
		ret = flame_output_write(&d, format, err);
	text_release(&title);
	sample_filter_free(all);
	profile_free(d.profile);
	flame_output_release(&d);
	return ret;
}

/* ---- output ---- */

static int mem_write(const struct mem_answer *a, const char *name,
		     struct error *err)
{
	const struct mem_container *c = a->has_container ? &a->container : NULL;
	const struct mem_view view = { name, &a->account, &a->verdict, c };
	struct text out = { 0 };
	int ret;

	if (opt.page)
		return mem_write_page(&a->account, name, err);
	if (opt.json)
		mem_account_add_json(&out, &a->account, &a->verdict, c);
	else
		mem_add_text(&out, &view, &opt.tables);
	ret = output_file(opt.output, out.bytes, out.len, err);
	text_release(&out);
	return ret;
}

/* of: as in the document. */
static int mem_print_growth(const struct mem_account *before,
			    const struct mem_account *after, const char *of,
			    struct error *err)
{
	struct mem_growth g;
	struct text out = { 0 };
	int ret;

	mem_growth_of(&g, before, after);
	if (opt.json)
		mem_growth_add_json(&out, &g, of, NULL);
	else
		mem_add_growth(&out, &g);
	ret = output_file(opt.output, out.bytes, out.len, err);
	text_release(&out);
	return ret;
}

/* ---- files ---- */

static int mem_read_file(struct mem_answer *a, const char *path,
			 struct error *err)
{
	struct input in = { 0 };
	int ret = -1;

	*a = (struct mem_answer){ 0 };
	if (input_open_any(&in, path, err) == 0 &&
	    input_complete(&in, err) == 0)
		ret = mem_account_read_json(&a->account, (const char *)in.bytes,
					    in.len, err);
	input_close(&in);
	return ret ? fail_in(err, "%s", path) : 0;
}

static int mem_run_files(int argc, char **argv, struct error *err)
{
	struct mem_answer before, after;
	int ret;

	if (target_refuse_live("watch|trim", err))
		return -1;
	if (argc > 2 || (opt.diff && argc != 2))
		return misuse(err, "two documents can be compared, not %d",
			      argc);
	if (mem_read_file(&before, argv[0], err))
		return -1;
	if (argc == 1) {
		answer_judge(&before);
		ret = mem_write(&before, argv[0], err);
	} else {
		ret = mem_read_file(&after, argv[1], err);
		if (ret == 0 && before.account.pid != after.account.pid)
			log_always("the files are of two processes, %d and %d: "
				   "differences are no growth",
				   (int)before.account.pid,
				   (int)after.account.pid);
		if (ret == 0)
			ret = mem_print_growth(&before.account, &after.account,
					       "documents", err);
		if (ret == 0)
			answer_release(&after);
	}
	answer_release(&before);
	return ret;
}

/* ---- changes of a running JVM ---- */

static int mem_jcmd(const struct jvm *jvm, const char *operation,
		    const char *argument, struct text *reply, struct error *err)
{
	const struct attach_request request = {
		.operation = operation,
		.args = { argument },
	};
	struct attach *a = attach_open(jvm, TRIM_TIMEOUT_NS, err);
	int ret = a ? attach_call(a, &request, reply, err) : -1;

	attach_close(a);
	return ret ? fail_in(err, "%d", (int)jvm->pid) : 0;
}

static int mem_trim(const struct jvm *jvm, struct error *err)
{
	struct mem_answer before, after;
	struct text reply = { 0 };
	bool is_partial;
	int ret;

	if (answer_read(&before, jvm, err))
		return -1;
	is_partial = before.account.glibc.is_cut ||
		     mem_arena_sum(&before.account).is_incomplete;
	log_info("%d: System.trim_native_heap: malloc() of other threads may "
		 "wait for it; %s %s should come back",
		 (int)jvm->pid, is_partial ? "at least" : "about",
		 units_bytes((double)mem_trimmable(&before.account)).text);
	ret = mem_jcmd(jvm, "jcmd", "System.trim_native_heap", &reply, err);
	if (ret && err->kind == ERROR_REFUSED)
		fail_in(err, "System.trim_native_heap requires JDK 17.0.9 or "
			     "18, and glibc");
	if (ret == 0)
		ret = answer_read(&after, jvm, err);
	if (ret == 0) {
		ret = mem_print_growth(&before.account, &after.account, "trim",
				       err);
		answer_release(&after);
	}
	answer_release(&before);
	text_release(&reply);
	return ret;
}

/* Counts the objects; NULL in *h->rows if that was not asked for. */
static int watch_count(const struct jvm *jvm, struct class_histogram *h,
		       struct error *err)
{
	struct text reply = { 0 };
	int ret;

	if (!opt.histogram)
		return 0;
	log_info("%d: a class histogram stops all threads", (int)jvm->pid);
	ret = mem_jcmd(jvm, "inspectheap", "-all", &reply, err);
	if (ret == 0)
		ret = class_histogram_read(h, reply.bytes, reply.len, err);
	text_release(&reply);
	return ret;
}

static void watch_print(const struct text *out)
{
	fwrite(out->bytes, 1, out->len, stdout);
	fflush(stdout);
}

static void watch_print_classes(const struct class_histogram *before,
				const struct class_histogram *after)
{
	struct jvm_replies r;
	struct text out = { 0 };

	jvm_replies_init(&r);
	jvm_replies_add_growth(&r, before, after);
	if (r.native.len)
		text_printf(&out, "  classes with native memory: %s\n",
			    r.native.bytes);
	if (r.growing.len)
		text_printf(&out, "  classes that grow: %s\n", r.growing.bytes);
	if (out.len)
		watch_print(&out);
	text_release(&out);
	jvm_replies_release(&r);
}

/* The growth since the beginning, and where to look next. */
static void watch_conclude(const struct mem_account *first,
			   const struct mem_account *last,
			   const struct mem_trend *trend)
{
	struct mem_growth g;
	struct text out = { 0 };

	mem_growth_of(&g, first, last);
	if (opt.json) {
		mem_growth_add_json(&out, &g, "watch", trend);
	} else {
		text_puts(&out, "since the beginning:\n");
		mem_add_growth(&out, &g);
		mem_add_course(&out, trend, &g);
	}
	watch_print(&out);
	text_release(&out);
}

/* Takes an account after each interval, until the end. */
static int watch_run(const struct jvm *jvm, const struct mem_answer *first,
		     struct mem_answer *last, struct mem_trend *trend,
		     struct error *err)
{
	int64_t due = clock_monotonic_ns();
	int64_t end = opt.duration_ns ? clock_after(due, opt.duration_ns)
				      : INT64_MAX;
	const struct mem_account *before = &first->account;

	for (;;) {
		struct mem_answer now;
		struct mem_growth g;
		struct text out = { 0 };

		due = clock_after(due, opt.watch_ns);
		if (due > end || signals_wait(jvm->pidfd, due) != WAIT_DUE)
			break;
		if (answer_read(&now, jvm, err))
			return jvm_runs(jvm) ? -1 : 0;
		mem_growth_of(&g, before, &now.account);
		if (opt.json)
			mem_growth_add_json(&out, &g, "interval", NULL);
		else
			mem_add_growth(&out, &g);
		watch_print(&out);
		text_release(&out);
		mem_trend_add(trend, &g);
		if (last->account.pid)
			answer_release(last);
		*last = now;
		before = &last->account;
	}
	if (!jvm_runs(jvm))
		log_info("the JVM has exited");
	return 0;
}

static int mem_watch(const struct jvm *jvm, const char *name, struct error *err)
{
	struct class_histogram old = { 0 }, new = { 0 };
	struct mem_answer first, last = { 0 };
	struct mem_trend trend = { 0 };
	int ret = watch_count(jvm, &old, err);

	if (ret || answer_read(&first, jvm, err)) {
		class_histogram_release(&old);
		return -1;
	}
	ret = mem_write(&first, name, err);
	if (ret == 0)
		ret = watch_run(jvm, &first, &last, &trend, err);
	if (ret == 0 && last.account.pid)
		watch_conclude(&first.account, &last.account, &trend);
	if (ret == 0 && opt.histogram && jvm_runs(jvm))
		ret = watch_count(jvm, &new, err);
	if (ret == 0 && new.count)
		watch_print_classes(&old, &new);
	answer_release(&first);
	answer_release(&last);
	class_histogram_release(&old);
	class_histogram_release(&new);
	return ret;
}

static int mem_run_jvm(const struct jvm *jvm, struct error *err)
{
	struct mem_answer answer;
	struct process p;
	int ret;

	if (opt.trim)
		return mem_trim(jvm, err);
	if (process_init(&p, jvm, err))
		return -1;
	if (opt.watch_ns) {
		ret = mem_watch(jvm, p.main.bytes, err);
	} else {
		ret = answer_read(&answer, jvm, err);
		if (ret == 0) {
			ret = mem_write(&answer, p.main.bytes, err);
			answer_release(&answer);
		}
	}
	process_release(&p);
	return ret;
}

static int mem_run(int argc, char **argv, struct error *err)
{
	const struct report_format format = { .json = &opt.json,
					      .page = &opt.page };
	struct jvm jvm = { .pidfd = -1 };
	int ret;

	if (report_format_choose(&format, opt.output, err))
		return -1;
	if (opt.page && (opt.trim || argc > 1))
		return misuse(err, "a page shows one account, not a change");
	if (opt.watch_ns && opt.watch_ns < WATCH_LEAST_NS)
		return misuse(err, "--watch must be at least 1s");
	if (!opt.pid && argc >= 1 && (opt.diff || target_is_file(argv[0])))
		return mem_run_files(argc, argv, err);
	if (strcmp(opt.output, "-") != 0 && output_try(opt.output, err))
		return -1;
	if (target_open(&jvm, opt.pid, argc, argv, err))
		return -1;
	signals_listen();
	ret = mem_run_jvm(&jvm, err);
	jvm_close(&jvm);
	return ret;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_DURATION(0, "watch", &opt.watch_ns, "<time>",
		     "print what grew in each interval", .positive = true,
		     .excludes = "trim|output"),
	OPT_DURATION('d', "duration", &opt.duration_ns, "<time>",
		     "end --watch after this time", .positive = true,
		     .requires = "watch"),
	OPT_FLAG(0, "histogram", &opt.histogram,
		 "count the objects before and after --watch",
		 .requires = "watch", .excludes = "json"),
	OPT_FLAG(0, "trim", &opt.trim,
		 "make malloc return free memory to the system"),
	OPT_FLAG(0, "diff", &opt.diff, "compare two JSON files",
		 .excludes = "pid"),
	OPT_HEADING("tables"),
	OPT_FLAG(0, "threads", &opt.tables.threads, "list the stacks"),
	OPT_FLAG(0, "arenas", &opt.tables.arenas, "list the arenas of malloc"),
	OPT_FLAG(0, "sizes", &opt.tables.sizes,
		 "list the sizes of blocks with the most bytes"),
	OPT_FLAG(0, "maps", &opt.tables.maps, "list the ranges of addresses"),
	OPT_HEADING("output"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file"),
	OPT_END,
};
/* clang-format on */

const struct command mem_command = {
	.name = "mem",
	.synopsis = "mem [<options>] [<pid>|<file>...]",
	.summary = "show where a JVM's resident memory is, and what grows",
	.group = "threads and heap",
	.examples = "  sjkc mem 4711                     # RSS by part\n"
		    "  sjkc mem 4711 --watch 10s -d 2m   # what grows\n"
		    "  sjkc mem 4711 --trim              # give free memory "
		    "back\n"
		    "  sjkc mem 4711 -o mem.html\n"
		    "  sjkc mem 4711 --json > a.json\n"
		    "  sjkc mem --diff a.json b.json\n",
	.options = options,
	.has_messages = true,
	.run = mem_run,
};

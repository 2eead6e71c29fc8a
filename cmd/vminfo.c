/* SPDX-License-Identifier: Apache-2.0 */
/* sjkc vminfo: prints a summary, properties, flags and counters of a JVM. */
#include "cmd/commands.h"
#include "cmd/shared/log.h"
#include "cmd/shared/process.h"
#include "cmd/shared/report_format.h"
#include "cmd/shared/target.h"
#include "cmd/shared/vm_flags.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/output.h"
#include "core/base/safe_text.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hotspot/vm_counters.h"
#include "core/jvm/cgroup.h"
#include "core/jvm/container.h"
#include "core/jvm/java_command.h"
#include "core/jvm/jvm.h"
#include "core/jvm/open_files.h"
#include "core/jvm/procfs.h"
#include "core/jvm/properties.h"
#include "core/mem/account.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A named value of the JVM. */
struct fact {
	char *name, *value; /* UTF-8; foreign */
	char *origin;       /* of a flag's value; or NULL */
	const char *unit;   /* "ns", "bytes" or ""; NULL: the value is text */
};

struct facts {
	struct fact *facts;
	size_t count, cap;
};

static struct fact *facts_add(struct facts *f, const char *name,
			      const char *value, size_t len, const char *unit)
{
	array_add(f->facts, f->count, f->cap,
		  (struct fact){
			  .name = xstrdup(name),
			  .value = xstrndup(value, len),
			  .unit = unit,
		  });
	return &f->facts[f->count - 1];
}

static void facts_release(struct facts *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->facts[i].name);
		free(f->facts[i].value);
		free(f->facts[i].origin);
	}
	free(f->facts);
}

/*
 * The summary: the important facts about a JVM on one screen.
 */
struct summary {
	struct facts *facts;
	struct text value; /* of the next fact */
};

/* Adds the value, unless it is empty, and clears it. */
static void summary_put(struct summary *s, const char *name)
{
	if (s->value.len)
		facts_add(s->facts, name, s->value.bytes, s->value.len, NULL);
	text_clear(&s->value);
}

static void summary_add(struct text *out, const char *before, const char *word,
			const char *after)
{
	if (word && *word)
		text_printf(out, "%s%s%s", before, word, after);
}

/* The JVM's replies; empty if it did not reply. */
struct vminfo_replies {
	struct text flags; /* VM.flags -all */
	struct text heap;  /* GC.heap_info */
	struct text code;  /* Compiler.codecache */
	/* Of JDKs whose GC.heap_info omits it: VM.metaspace basic. */
	struct text metaspace;
};

static void summary_put_jvm(struct summary *s, const struct jvm_info *info)
{
	text_puts(&s->value, info->vm_name ? info->vm_name : "");
	summary_add(&s->value, s->value.len ? " " : "", info->version, "");
	summary_add(&s->value, s->value.len ? ", " : "", info->vm_vendor, "");
	summary_put(s, "JVM");
	summary_add(&s->value, "", info->java_home, "");
	summary_put(s, "Java home");
}

static void summary_put_time(struct summary *s, int64_t start_ns)
{
	time_t seconds = (time_t)(start_ns / CLOCK_NS_PER_S);
	struct timespec now;
	struct tm tm;
	char date[64];

	if (!start_ns || !localtime_r(&seconds, &tm) ||
	    !strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S %Z", &tm))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	text_printf(&s->value, "%s, up ", date);
	process_add_uptime(&s->value, now.tv_sec * CLOCK_NS_PER_S +
					      now.tv_nsec - start_ns);
	summary_put(s, "started");
}

static void summary_put_command(struct summary *s, const struct process *p)
{
	char *const *words = p->info.vm_args;

	text_add(&s->value, p->main.bytes, p->main.len);
	summary_put(s, "main class");
	process_args(p, &s->value);
	summary_put(s, "arguments");
	for (size_t i = 0; words && words[i]; i++) {
		if (i)
			text_putc(&s->value, ' ');
		process_word(p, words, i, &s->value);
	}
	summary_put(s, "JVM options");
	summary_add(&s->value, "", p->info.user, "");
	summary_put(s, "user");
}

static void summary_put_size_flag(struct summary *s, const struct text *flags,
				  const char *flag, const char *name)
{
	struct line v = vm_flag_value(flags, flag);
	uint64_t bytes = v.len ? strtoull(v.text, NULL, 10) : 0;

	if (bytes)
		units_add_bytes(&s->value, (double)bytes);
	summary_put(s, name);
}

/*
 * Adds the lines of the heap's parts, whose names depend on the collector:
 * " garbage-first heap   total 65536K, used 2048K [0x…, 0x…)". Skips spaces
 * within the parts, which are indented further, and metaspace.
 */
static void summary_put_heap(struct summary *s, const struct text *heap)
{
	struct lines lines = lines_over(heap->bytes, heap->len);
	struct line line;

	while (lines_next(&lines, &line)) {
		struct line trimmed = line_trimmed(line);
		const char *bracket;
		bool is_blank = false;

		if (line_starts(line, "  ") || line_ends(trimmed, ":") ||
		    line_starts(trimmed, "Metaspace") ||
		    line_starts(trimmed, "class space") ||
		    !memmem(line.text, line.len, "used", 4))
			continue;
		bracket = memchr(trimmed.text, '[', trimmed.len);
		if (bracket)
			trimmed.len = (size_t)(bracket - trimmed.text);
		trimmed = line_trimmed(trimmed);
		summary_add(&s->value, "", s->value.len ? "; " : "", "");
		for (size_t i = 0; i < trimmed.len; i++) {
			if (!is_blank || trimmed.text[i] != ' ')
				text_add(&s->value, trimmed.text + i, 1);
			is_blank = trimmed.text[i] == ' ';
		}
	}
	summary_put(s, "heap");
}

/* " Metaspace       used 223K, committed 384K, reserved 1114112K" */
static void summary_put_metaspace(struct summary *s, const struct text *heap)
{
	struct lines lines = lines_over(heap->bytes, heap->len);
	struct line line;

	while (lines_next(&lines, &line)) {
		struct line trimmed = line_trimmed(line);

		if (!line_starts(trimmed, "Metaspace"))
			continue;
		trimmed.text += strlen("Metaspace");
		trimmed.len -= strlen("Metaspace");
		trimmed = line_trimmed(trimmed);
		text_add(&s->value, trimmed.text, trimmed.len);
		break;
	}
	summary_put(s, "metaspace");
}

/* The number of kilobytes after " name=" in the line at `at`; 0 = none. */
static uint64_t code_heap_kilobytes(const char *at, size_t len,
				    const char *name)
{
	const char *found = memmem(at, len, name, strlen(name));

	return found ? strtoull(found + strlen(name), NULL, 10) : 0;
}

/* Adds up "CodeHeap 'name': size=120032Kb used=24Kb max_used=24Kb …". */
static void summary_put_code(struct summary *s, const struct text *code)
{
	struct lines lines = lines_over(code->bytes, code->len);
	uint64_t size = 0, used = 0;
	struct line line;

	while (lines_next(&lines, &line)) {
		size += code_heap_kilobytes(line.text, line.len, ": size=");
		used += code_heap_kilobytes(line.text, line.len, " used=");
	}
	if (size) {
		units_add_bytes(&s->value, (double)used * 1024);
		text_puts(&s->value, " of ");
		units_add_bytes(&s->value, (double)size * 1024);
	}
	summary_put(s, "code cache");
}

static void summary_put_memory(struct summary *s,
			       const struct vminfo_replies *r)
{
	const struct vm_collector *c = vm_collector_of(&r->flags);

	summary_add(&s->value, "", c ? c->name : NULL, "");
	summary_put(s, "collector");
	summary_put_heap(s, &r->heap);
	summary_put_size_flag(s, &r->flags, "MaxHeapSize", "maximum heap size");
	summary_put_metaspace(s, r->metaspace.len ? &r->metaspace : &r->heap);
	summary_put_code(s, &r->code);
}

static void summary_put_part(struct summary *s, const struct mem_account *a,
			     enum mem_part part, uint64_t most,
			     const char *name)
{
	const struct mem_size *size = &a->parts[part];

	if (size->committed)
		text_printf(&s->value, "%s committed, %s resident",
			    units_bytes((double)size->committed).text,
			    units_bytes((double)size->resident).text);
	if (s->value.len && most)
		text_printf(&s->value, ", at most %s",
			    units_bytes((double)most).text);
	summary_put(s, name);
}

/* What the JVM's memory tells of the same, without asking the JVM. */
static void summary_put_account(struct summary *s, const struct jvm *jvm)
{
	struct mem_account a;

	if (mem_account_read(&a, jvm, false, error_unused()))
		return;
	summary_add(&s->value, "", a.heap.collector, "");
	summary_put(s, "collector");
	summary_put_part(s, &a, MEM_HEAP, a.heap.max, "heap");
	summary_put_part(s, &a, MEM_METASPACE, 0, "metaspace");
	summary_put_part(s, &a, MEM_CODE, a.code_size, "code cache");
	mem_account_release(&a);
}

static void summary_put_cpus(struct summary *s, pid_t pid,
			     const struct text *flags,
			     const struct cgroup_limits *l)
{
	struct line given = vm_flag_value(flags, "ActiveProcessorCount");
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t allowed;

	if (sched_getaffinity(pid, sizeof(allowed), &allowed) == 0)
		text_printf(&s->value, "may run on %d of %ld",
			    CPU_COUNT(&allowed), online);
	else
		text_printf(&s->value, "%ld online", online);
	if (l->cpus > 0)
		text_printf(&s->value, ", limited by its cgroup to %.2f",
			    (double)l->cpus / 1000);
	else if (l->cpus == CGROUP_UNKNOWN)
		text_puts(&s->value, ", limit unknown");
	if (given.len && *given.text != '-' && !line_is(given, "0"))
		text_printf(&s->value, ", set by -XX:ActiveProcessorCount %.*s",
			    (int)given.len, given.text);
	summary_put(s, "CPUs");
}

static void summary_put_resident(struct summary *s, pid_t pid,
				 const struct cgroup_limits *l)
{
	struct proc_status status;

	if (procfs_status(pid, &status, error_unused()))
		return;
	units_add_bytes(&s->value, (double)status.rss_bytes);
	text_puts(&s->value, " resident");
	if (l->memory >= 0) {
		text_puts(&s->value, ", limited by its cgroup to ");
		units_add_bytes(&s->value, (double)l->memory);
	} else if (l->memory == CGROUP_UNKNOWN) {
		text_puts(&s->value, ", limit unknown");
	}
	summary_put(s, "memory");
}

static void summary_put_container(struct summary *s, const struct jvm *jvm,
				  const struct text *cgroup)
{
	if (!jvm->own_pid_ns && !jvm->own_root)
		return;
	if (jvm->own_pid_ns)
		text_printf(&s->value, "pid %d inside", (int)jvm->ns_pid);
	if (jvm->own_root)
		summary_add(&s->value, s->value.len ? ", " : "",
			    "its own file system", "");
	if (cgroup->len > 1)
		text_printf(&s->value, ", cgroup %s", cgroup->bytes);
	summary_put(s, "container");
}

static void summary_put_pod(struct summary *s, const struct jvm *jvm)
{
	struct container_pod pod;

	container_pod_read(&pod, jvm);
	container_pod_add(&pod, &s->value);
	if (pod.name.len)
		summary_put(s, "pod");
	container_pod_release(&pod);
}

static void summary_put_process(struct summary *s, pid_t pid)
{
	struct proc_status status;
	struct open_files files;

	if (procfs_status(pid, &status, error_unused()) == 0) {
		text_printf(&s->value, "%u", status.threads);
		summary_put(s, "threads");
	}
	if (open_files_read(&files, pid, error_unused()) == 0) {
		open_files_add(&s->value, &files);
		summary_put(s, "open files");
	}
}

static void summary_put_machine(struct summary *s, const struct jvm *jvm,
				const struct text *flags)
{
	struct cgroup_limits limits;

	cgroup_limits_read(&limits, jvm);
	summary_put_cpus(s, jvm->pid, flags, &limits);
	summary_put_resident(s, jvm->pid, &limits);
	summary_put_process(s, jvm->pid);
	summary_put_container(s, jvm, &limits.path);
	summary_put_pod(s, jvm);
	cgroup_limits_release(&limits);
}

/* Adds the lines of the summary. */
static int vminfo_summary(const struct jvm *jvm, const struct vminfo_replies *r,
			  bool show_secrets, struct facts *facts,
			  struct error *err)
{
	struct summary s = { .facts = facts };
	struct process p;

	if (process_init(&p, jvm, err))
		return -1;
	p.show_secrets = show_secrets;
	text_puts(&s.value, "");
	summary_put_jvm(&s, &p.info);
	summary_put_time(&s, p.info.start_ns);
	summary_put_command(&s, &p);
	if (r->flags.len)
		summary_put_memory(&s, r);
	else
		summary_put_account(&s, jvm);
	summary_put_machine(&s, jvm, &r->flags);
	text_release(&s.value);
	process_release(&p);
	return 0;
}

static struct {
	const char *pid;
	bool summary, sysprops, agentprops, flags, perf;
	bool json, show_secrets, no_attach;
	const char *output;
} opt = {
	.output = "-",
};

/* The JVM; vminfo_ask() attaches to it. */
struct vm {
	struct jvm jvm;
	struct attach *attach;
};

static int fact_compare(const void *a, const void *b)
{
	const struct fact *one = a, *two = b;

	return strcmp(one->name, two->name);
}

static int vminfo_ask(struct vm *vm, const char *operation, const char *arg,
		      struct text *reply, struct error *err)
{
	struct attach_request request = {
		.operation = operation,
		.args = { arg },
	};

	if (!vm->attach)
		vm->attach = attach_open(&vm->jvm, ATTACH_TIMEOUT_NS, err);
	if (!vm->attach)
		return -1;
	if (attach_call(vm->attach, &request, reply, err))
		return fail_in(err, "%d", vm->jvm.pid);
	return 0;
}

static int vminfo_properties(struct vm *vm, const char *operation,
			     struct facts *facts, struct error *err)
{
	struct text reply = { 0 };
	struct properties p;
	int status = vminfo_ask(vm, operation, NULL, &reply, err);

	properties_init(&p, reply.bytes, reply.len);
	while (status == 0 && properties_next(&p))
		facts_add(facts, p.key.bytes, p.value.bytes, p.value.len, NULL);
	properties_release(&p);
	text_release(&reply);
	return status;
}

static int vminfo_sysprops(struct vm *vm, struct facts *facts,
			   struct error *err)
{
	return vminfo_properties(vm, "properties", facts, err);
}

static int vminfo_agentprops(struct vm *vm, struct facts *facts,
			     struct error *err)
{
	return vminfo_properties(vm, "agentProperties", facts, err);
}

static void facts_add_flag(struct facts *facts, const struct vm_flag *f)
{
	struct text name = { 0 }, origin = { 0 };

	text_add(&name, f->name.text, f->name.len);
	text_add(&origin, f->origin.text, f->origin.len);
	if (f->is_changed)
		text_puts(&origin,
			  origin.len ? " {not default}" : "{not default}");
	facts_add(facts, name.bytes, f->value.text, f->value.len, NULL)
		->origin = xstrndup(origin.bytes, origin.len);
	text_release(&name);
	text_release(&origin);
}

static int vminfo_flags(struct vm *vm, struct facts *facts, struct error *err)
{
	struct text reply = { 0 };
	struct vm_flag flag;
	struct lines lines;
	struct line line;
	int status = vminfo_ask(vm, "jcmd", "VM.flags -all", &reply, err);

	lines = lines_over(reply.bytes, reply.len);
	while (status == 0 && lines_next(&lines, &line)) {
		if (vm_flag_read(line, &flag))
			facts_add_flag(facts, &flag);
	}
	text_release(&reply);
	return status;
}

static void facts_add_counter(struct facts *facts, const struct perfdata *p,
			      struct perfdata_counter c)
{
	static const char *const units[] = {
		[PERFDATA_BYTES] = "bytes",
		[PERFDATA_TICKS] = "ns",
		[PERFDATA_EVENTS] = "events",
		[PERFDATA_HERTZ] = "Hz",
	};
	struct text number = { 0 };
	const char *unit = "";

	if (c.is_text) {
		facts_add(facts, c.name, c.text, strlen(c.text), NULL);
		return;
	}
	if ((size_t)c.unit < sizeof(units) / sizeof(*units) && units[c.unit])
		unit = units[c.unit];
	text_printf(&number, "%" PRId64,
		    c.unit == PERFDATA_TICKS ? perfdata_ns(p, c.value)
					     : c.value);
	facts_add(facts, c.name, number.bytes, number.len, unit);
	text_release(&number);
}

static int vminfo_counters(struct vm *vm, struct facts *facts,
			   struct error *err)
{
	struct perfdata *p = vm_counters_open(&vm->jvm, err);

	if (!p)
		return -1;
	for (size_t i = 0; i < perfdata_count(p); i++)
		facts_add_counter(facts, p, perfdata_at(p, i));
	if (perfdata_overflow(p))
		log_always("%d: %u bytes of counters did not fit into the "
			   "JVM's file (-XX:PerfDataMemorySize)",
			   vm->jvm.pid, perfdata_overflow(p));
	perfdata_close(p);
	return 0;
}

/* Without a reply by attach, memory is what sjkc sees from outside. */
static int vminfo_get_summary(struct vm *vm, struct facts *facts,
			      struct error *err)
{
	struct vminfo_replies r = { 0 };
	struct error why;
	int status;

	if (opt.no_attach) {
		text_clear(&r.flags);
	} else if (vminfo_ask(vm, "jcmd", "VM.flags -all", &r.flags, &why)) {
		log_always("heap, metaspace and code cache are read from "
			   "outside: %s",
			   why.text);
	} else {
		/* JDK 8 before 8u40 does not have these commands. */
		if (vminfo_ask(vm, "jcmd", "GC.heap_info", &r.heap, &why))
			text_clear(&r.heap);
		if ((!r.heap.len || !strstr(r.heap.bytes, "Metaspace")) &&
		    vminfo_ask(vm, "jcmd", "VM.metaspace basic", &r.metaspace,
			       &why))
			text_clear(&r.metaspace);
		if (vminfo_ask(vm, "jcmd", "Compiler.codecache", &r.code, &why))
			text_clear(&r.code);
	}
	status = vminfo_summary(&vm->jvm, &r, opt.show_secrets, facts, err);
	text_release(&r.flags);
	text_release(&r.heap);
	text_release(&r.code);
	text_release(&r.metaspace);
	return status;
}

static const struct section {
	const bool *chosen;
	const char *name;
	int (*get)(struct vm *vm, struct facts *facts, struct error *err);
	bool in_order;
} sections[] = {
	{ &opt.summary, "summary", vminfo_get_summary, true },
	{ &opt.sysprops, "sysprops", vminfo_sysprops, false },
	{ &opt.agentprops, "agentprops", vminfo_agentprops, false },
	{ &opt.flags, "flags", vminfo_flags, false },
	{ &opt.perf, "perf", vminfo_counters, false },
};

#define SECTIONS (sizeof(sections) / sizeof(*sections))

/* Masks secrets, in counters too: java.rt.vmArgs may hold -Dmy.password=…. */
static void fact_add_value(struct text *t, const struct fact *f)
{
	if (f->unit || opt.show_secrets)
		text_puts(t, f->value);
	else
		secrets_add_value(t, f->name, f->value);
}

static void facts_write_text(struct text *t, const struct facts *facts)
{
	struct text value = { 0 };

	for (size_t i = 0; i < facts->count; i++) {
		const struct fact *f = &facts->facts[i];

		text_clear(&value);
		fact_add_value(&value, f);
		safe_text_puts(t, f->name);
		text_puts(t, ": ");
		safe_text(t, value.bytes, value.len);
		if (f->unit && *f->unit)
			text_printf(t, " %s", f->unit);
		if (f->origin) {
			text_putc(t, ' ');
			safe_text_puts(t, f->origin);
		}
		text_putc(t, '\n');
	}
	text_release(&value);
}

/* Writes numbers as integers: a double cannot hold every int64_t. */
static void fact_write_json(struct json *j, const struct fact *f)
{
	struct text shown = { 0 };

	fact_add_value(&shown, f);
	if (f->unit)
		json_int(j, strtoll(f->value, NULL, 10));
	else
		json_string(j, shown.bytes, shown.len);
	text_release(&shown);
}

static void facts_write_json(struct json *j, const char *name,
			     const struct facts *facts)
{
	json_add_array(j, name);
	for (size_t i = 0; i < facts->count; i++) {
		const struct fact *f = &facts->facts[i];

		json_open_object(j);
		json_add_text(j, "name", f->name);
		json_key(j, "value");
		fact_write_json(j, f);
		if (f->unit)
			json_add_text(j, "unit", f->unit);
		if (f->origin)
			json_add_text(j, "origin", f->origin);
		json_close_object(j);
	}
	json_close_array(j);
}

static int vminfo_add_section(struct vm *vm, const struct section *s,
			      struct text *t, struct json *j, struct error *err)
{
	struct facts facts = { 0 };
	int status = s->get(vm, &facts, err);

	if (status == 0 && facts.count && !s->in_order)
		qsort(facts.facts, facts.count, sizeof(*facts.facts),
		      fact_compare);
	if (status == 0 && opt.json)
		facts_write_json(j, s->name, &facts);
	else if (status == 0)
		facts_write_text(t, &facts);
	facts_release(&facts);
	return status;
}

static int vminfo_add_sections(struct vm *vm, struct text *t, struct error *err)
{
	struct json j = json_into(t);
	int status = 0;

	if (opt.json) {
		json_open_object(&j);
		json_add_text(&j, "schema", "sjkc.vminfo/1");
		json_add_int(&j, "pid", vm->jvm.pid);
	}
	for (size_t i = 0; i < SECTIONS && status == 0; i++) {
		if (*sections[i].chosen)
			status = vminfo_add_section(vm, &sections[i], t, &j,
						    err);
	}
	if (opt.json) {
		json_end_document(&j);
	}
	return status;
}

/* Chooses the summary when no option chooses a section. */
static void vminfo_choose_sections(void)
{
	bool any = false;

	for (size_t i = 0; i < SECTIONS; i++)
		any |= *sections[i].chosen;
	opt.summary = !any;
}

static int vminfo_run(int argc, char **argv, struct error *err)
{
	struct vm vm = { .jvm.pidfd = -1 };
	struct text text = { 0 };
	const struct report_format format = { .json = &opt.json };
	int status = report_format_choose(&format, opt.output, err);

	vminfo_choose_sections();
	if (status == 0)
		status = target_open(&vm.jvm, opt.pid, argc, argv, err);
	if (status == 0)
		status = vminfo_add_sections(&vm, &text, err);
	if (status == 0)
		status = output_file(opt.output, text.bytes, text.len, err);
	text_release(&text);
	attach_close(vm.attach);
	jvm_close(&vm.jvm);
	return status;
}

/* clang-format off */
static const struct command_option options[] = {
	OPT_TARGET(&opt.pid),
	OPT_FLAG(0, "sysprops", &opt.sysprops,
		 "print the system properties"),
	OPT_FLAG(0, "agentprops", &opt.agentprops,
		 "print agent properties (local JMX address)"),
	OPT_FLAG(0, "flags", &opt.flags,
		 "print every -XX flag, its value and its origin"),
	OPT_FLAG(0, "perf", &opt.perf,
		 "print the counters, without attaching"),
	OPT_FLAG(0, "no-attach", &opt.no_attach,
		 "print a summary without attaching",
		 .excludes = "sysprops|agentprops|flags"),
	OPT_FLAG(0, "show-secrets", &opt.show_secrets,
		 "print passwords, tokens and keys"),
	OPT_FLAG(0, "json", &opt.json, "write JSON"),
	OPT_STRING('o', "output", &opt.output, "<file>", "write to this file"),
	OPT_END
};
/* clang-format on */

const struct command vminfo_command = {
	.name = "vminfo",
	.synopsis = "vminfo [<options>] [<pid>]",
	.summary = "summarize a JVM; list its flags and properties",
	.group = "inspect",
	.examples = "  sjkc vminfo 4711              # version, options, heap, "
		    "limits\n"
		    "  sjkc vminfo 4711 --sysprops\n"
		    "  sjkc vminfo 4711 --flags | grep ergonomic\n"
		    "  sjkc vminfo 4711 --perf --json\n",
	.options = options,
	.run = vminfo_run,
};

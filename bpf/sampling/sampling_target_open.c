/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a sampled process: loads the agent, finds HotSpot's tables and attaches
 * the probes that the events need.
 */
#include "bpf/sampling/sampling_target.h"

#include "bpf/gc_probes.h"
#include "bpf/sampling/monitor_exits.h"
#include "core/attach/attach.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/lines.h"
#include "core/base/units.h"
#include "core/hotspot/java_threads.h"
#include "core/hotspot/object_class.h"
#include "core/jvm/procfs.h"
#include "jvmti/client/client_fences.h"
#include "jvmti/client/client_load.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGENT_NS (10 * CLOCK_NS_PER_S)
/* The time limit while other targets are sampled, whose samples wait. */
#define AGENT_MEANWHILE_NS CLOCK_NS_PER_S

bool sampling_target_is_complete(const struct sampling_target *t)
{
	/* The agent has one client. */
	return t->jvm.kind != JVM_NONE &&
	       (t->agent || (!t->view->limits && t->metadata != NULL));
}

struct sampling_names sampling_target_names(const struct sampling_target *t)
{
	return (struct sampling_names){
		.agent = t->agent && t->agent_names
				 ? agent_client_symbols(t->agent)
				 : NULL,
		.metadata = t->metadata ? vm_symbols_of(t->metadata) : NULL,
		.kernel = t->shared->kernel,
	};
}

/* The agent has one client, so a target with an agent is not opened again. */
static bool target_is_tried_again(const struct sampling_target *t)
{
	return t->shared->is_tried_again && !t->agent;
}

/*
 * Opens the metadata.  They are optional: the agent may report names, and
 * native frames have symbols.
 */
static void target_open_metadata(struct sampling_target *t)
{
	struct error why;

	if (!t->view->structs)
		return;
	t->metadata = vm_symbols_open_for(t->view, &why);
	if (!t->metadata && target_is_tried_again(t))
		return;
	if (!t->metadata)
		sampling_notify(t->shared->o, SAMPLING_INFO, "%s: %s",
				t->name.bytes, why.text);
	else if (vm_symbols_limits(t->metadata))
		sampling_notify(t->shared->o, SAMPLING_INFO,
				"%s: inlined methods are unavailable: %s",
				t->name.bytes, vm_symbols_limits(t->metadata));
}

static bool thread_is_scheduler(pid_t pid, const char *tid)
{
	static const char name[] = "VirtualThread-";
	struct text comm = { 0 };
	char path[288];
	bool is;

	snprintf(path, sizeof(path), "task/%s/comm", tid);
	is = procfs_read(pid, path, PROCFS_NAMES, &comm, error_unused()) == 0 &&
	     comm.len && strncmp(comm.bytes, name, strlen(name)) == 0;
	text_release(&comm);
	return is;
}

/* True for a JVM whose application has started a virtual thread. */
static bool target_has_scheduler(const struct sampling_target *t)
{
	struct dirent *entry;
	bool has = false;
	char path[64];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)t->jvm.pid);
	tasks = opendir(path);
	while (tasks && !has && (entry = readdir(tasks)))
		has = entry->d_name[0] != '.' &&
		      thread_is_scheduler(t->jvm.pid, entry->d_name);
	if (tasks)
		closedir(tasks);
	return has;
}

/*
 * Returns the sum of the numbers after a label, without those of the poller of
 * pollers.
 */
static uint64_t target_sum(const struct text *reply, const char *label)
{
	struct lines lines = lines_over(reply->bytes, reply->len);
	struct line line;
	uint64_t sum = 0;

	while (lines_next(&lines, &line)) {
		const char *at = memmem(line.text, line.len, label,
					strlen(label));

		/* NUL-terminated: core/base/text.h. */
		if (at && !memmem(line.text, line.len, "MasterPoller", 12))
			sum += strtoul(at + strlen(label), NULL, 10);
	}
	return sum;
}

/*
 * Returns how many virtual threads wait at least: with a timeout (JDK 25), or
 * for a socket (JDK 24); a thread may be in both numbers. The JVM has no number
 * of those that wait without a timeout for other events. 0 = unknown.
 */
static uint64_t target_count_waiting(const struct sampling_target *t)
{
	static const struct {
		const char *command, *label;
	} counts[] = {
		{ "Thread.vthread_scheduler", "delayed = " },
		{ "Thread.vthread_pollers", "registered = " },
	};
	struct attach *attach = attach_open(&t->jvm, CLOCK_NS_PER_S,
					    error_unused());
	uint64_t most = 0;

	for (size_t i = 0; attach && i < sizeof(counts) / sizeof(*counts);
	     i++) {
		const struct attach_request request = {
			.operation = "jcmd",
			.args = { counts[i].command },
		};
		struct text reply = { 0 };
		uint64_t count = 0;

		if (attach_call(attach, &request, &reply, error_unused()) ==
			    0 &&
		    reply.len)
			count = target_sum(&reply, counts[i].label);
		most = count > most ? count : most;
		text_release(&reply);
	}
	attach_close(attach);
	return most;
}

/* The report has a line about every such JVM, which other outputs lack. */
static void target_report_virtual_threads(const struct sampling_target *t)
{
	struct text count = { 0 };
	uint64_t waiting;

	if (t->shared->o->all || !unwinder_has_continuations(t->unwinder) ||
	    !(t->events & (SAMPLING_OFFCPU | SAMPLING_WALL)) ||
	    !target_has_scheduler(t))
		return;
	/* A loaded agent means that requests to the JVM are permitted. */
	waiting = t->agent ? target_count_waiting(t) : 0;
	if (waiting) {
		text_puts(&count, " (at least ");
		units_add_count(&count, waiting);
		text_puts(&count, " now)");
	}
	sampling_notify(t->shared->o, SAMPLING_INFO,
			"%s: the application uses virtual threads; waiting "
			"virtual threads are not included%s: use sjkc threads "
			"--virtual, sjkc probe --above, or -e cpu",
			t->name.bytes, count.len ? count.bytes : "");
	text_release(&count);
}

void sampling_target_note_virtual_threads(const struct sampling_target *t)
{
	struct profile *p = t->profile;

	if (!unwinder_has_continuations(t->unwinder))
		return;
	profile_set(p, "offcpu", "virtual-threads", "not known");
	profile_set(p, "wall", "virtual-threads", "not known");
	/* JVMTI reports these on the carrier of the virtual thread. */
	profile_set(p, "lock", "virtual-threads", "carriers");
}

bool sampling_target_needs_agent(const struct sampling_target *t)
{
	return t->events & (SAMPLING_ALLOC | SAMPLING_LOCK);
}

static void target_open_classes(struct sampling_target *t)
{
	const struct vm_structs *v = t->view->structs;
	struct object_layout layout;
	struct error why = { 0 };

	if (!sampling_target_needs_agent(t))
		return;
	if (v && object_layout_read(&layout, v, t->view->memory, &why) == 0)
		t->classes = object_classes_new(&layout, t->view->memory);
	if (!t->classes)
		sampling_notify(
			t->shared->o, SAMPLING_INFO,
			"%s: allocated and locked classes are unavailable: %s",
			t->name.bytes,
			why.kind ? why.text : "the JVM has no vmStructs");
}

/*
 * Returns the address of the function that wakes a waiting thread when a
 * monitor is released; 0 if the libjvm has no symbols.
 */
static uint64_t target_find_exit(const struct sampling_target *t)
{
	static const char *const names[] = {
		"_ZN13ObjectMonitor10ExitEpilogEP10JavaThreadP12ObjectWaiter",
		"_ZN13ObjectMonitor11exit_epilogEP10JavaThreadP12ObjectWaiter",
		/* JDK 15 and earlier */
		"_ZN13ObjectMonitor10ExitEpilogEP6ThreadP12ObjectWaiter",
	};
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t code[sizeof(endbr64)];
	uint64_t at = 0;

	for (size_t i = 0; !at && i < sizeof(names) / sizeof(*names); i++)
		at = process_view_vm_symbol(t->view, names[i]);
	/* The kernel emulates the push that follows, which is cheaper. */
	if (at && memory_read(t->view->memory, at, code, sizeof(code)) &&
	    memcmp(code, endbr64, sizeof(code)) == 0)
		at += sizeof(code);
	return at;
}

/*
 * Attaches a uprobe to that function.  The methods of owners are optional; the
 * reason of a failure is reported.
 */
static int target_probe_exits(struct sampling_target *t, struct error *err)
{
	uint64_t at = target_find_exit(t);
	const struct mapping *m = at ? process_images_mapping(t->view->images,
							      at)
				     : NULL;
	char path[80];

	if (!m) {
		sampling_notify(
			t->shared->o, SAMPLING_INFO,
			"%s: the methods of monitor owners are unavailable: "
			"its libjvm has no symbol ObjectMonitor::ExitEpilog",
			t->name.bytes);
		return 0;
	}
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)procfs_owner(t->jvm.pid), m->start, m->end);
	t->exits = monitor_exits_new();
	return sampler_probe(t->shared->sampler, SAMPLE_EXIT, t->jvm.pid, path,
			     at - m->start + m->offset, 0, err);
}

/*
 * Reads owners of monitors.  They are optional; the reason of a failure is
 * reported.
 */
static int target_read_owners(struct sampling_target *t, struct error *err)
{
	const struct vm_structs *v = t->view->structs;
	struct sampler_monitors monitors;
	struct thread_layout layout;
	struct monitor_places places;
	struct error why = { 0 };

	if (v && thread_layout_read(&layout, v, &why) == 0)
		t->owners = java_threads_new(&layout, t->view->memory);
	if (!t->owners ||
	    !java_threads_places(t->owners, agent_client_jni(t->agent),
				 &places)) {
		sampling_notify(
			t->shared->o, SAMPLING_INFO,
			"%s: monitor owners are unavailable: %s", t->name.bytes,
			why.kind ? why.text : "cannot read its threads");
		return 0;
	}
	monitors = (struct sampler_monitors){
		.env = places.env,
		.pending = places.pending,
		.owner = places.owner,
	};
	return sampler_read_owners(t->shared->sampler, t->jvm.pid, &monitors,
				   err) ||
	       target_probe_exits(t, err);
}

/*
 * Attaches a uprobe to the published probe.  With --all, the JVMs without the
 * probe are sampled for the other events, if there are any.
 */
static int target_add_published(struct sampling_target *t, struct error *err)
{
	struct published_probe probe;

	if (!(t->events & SAMPLING_PROBE))
		return 0;
	if (published_probe_find(&t->jvm, t->shared->o->probe, &probe, err)) {
		if (err->kind != ERROR_NO_TARGET || !t->shared->o->all ||
		    t->events == SAMPLING_PROBE)
			return -1;
		t->events &= ~(unsigned)SAMPLING_PROBE;
		return 0;
	}
	return sampler_probe(t->shared->sampler, SAMPLE_PROBE, t->jvm.pid,
			     probe.path, probe.offset, probe.semaphore, err);
}

/*
 * Attaches a uprobe to the end of safepoints. A JVM without the needed places
 * is sampled for the other events, if there are any.
 */
static int target_open_pauses(struct sampling_target *t, struct error *err)
{
	const struct gc_probes_options o = { .no_heap = true,
					     .no_reports = true };
	struct error no_counters = { 0 }, why = { 0 };

	if (!(t->events & SAMPLING_GC))
		return 0;
	t->gc = gc_probes_open(&t->jvm, &o, &no_counters, &why);
	if (t->gc && !no_counters.kind)
		return 0;
	if (t->gc)
		why = no_counters;
	gc_source_close(t->gc);
	t->gc = NULL;
	if (t->events == SAMPLING_GC) {
		*err = why;
		return -1;
	}
	t->events &= ~(unsigned)SAMPLING_GC;
	if (t->jvm.kind != JVM_NONE && !target_is_tried_again(t))
		sampling_notify(t->shared->o, SAMPLING_LOSS,
				"%s: pauses for garbage collection are not "
				"measured: %s",
				t->name.bytes, why.text);
	return 0;
}

/* Attaches uprobes to the agent's functions. */
static int target_add_probes(struct sampling_target *t, struct error *err)
{
	struct agent_probe probe;

	if ((t->events & SAMPLING_ALLOC) &&
	    (agent_client_probe_alloc(t->agent, &probe, err) ||
	     sampler_probe(t->shared->sampler, SAMPLE_ALLOC, t->jvm.pid,
			   probe.path, probe.offset, 0, err)))
		return -1;
	if ((t->events & SAMPLING_LOCK) &&
	    (agent_client_probe_lock(t->agent, &probe, err) ||
	     sampler_probe(t->shared->sampler, SAMPLE_LOCK, t->jvm.pid,
			   probe.path, probe.offset, 0, err) ||
	     target_read_owners(t, err)))
		return -1;
	return 0;
}

static void target_report_agent(const struct sampling_target *t)
{
	struct agent_costs costs;

	/* The library stays mapped, and the user asked for samples only. */
	sampling_notify(t->shared->o, SAMPLING_INFO,
			"loaded the sjkc agent into %s for %s", t->name.bytes,
			sampling_target_needs_agent(t)
				? "-e alloc and -e lock"
				: "method names; --no-agent avoids it");
	agent_client_costs(t->agent, &costs);
	sampling_notify(
		t->shared->o, SAMPLING_DETAIL,
		"%s: the sjkc agent was loaded in %.1f ms and received all "
		"methods in %.1f ms",
		t->name.bytes, (double)costs.load_ns / CLOCK_NS_PER_MS,
		(double)costs.replay_ns / CLOCK_NS_PER_MS);
}

static void target_report_warning(void *self, const char *warning)
{
	const struct sampling_target *t = self;

	if (warning)
		sampling_notify(t->shared->o, SAMPLING_INFO,
				"%s: loading the sjkc agent: %s", t->name.bytes,
				warning);
}

static int target_load_agent_once(struct sampling_target *t, struct error *err)
{
	const struct sampling_options *o = t->shared->o;
	const struct agent_options options = {
		.alloc = t->events & SAMPLING_ALLOC,
		.lock = t->events & SAMPLING_LOCK,
		.lines = o->lines,
		.no_names = !t->agent_names,
		.alloc_interval = o->alloc_interval,
		.timeout_ns = t->shared->has_begun ? AGENT_MEANWHILE_NS
						   : AGENT_NS,
		.before_load = target_report_warning,
		.self = t,
	};

	t->agent = agent_client_open(&t->jvm, &options, err);
	if (!t->agent)
		return -1;
	target_report_agent(t);
	return 0;
}

/* Omits allocations if another agent samples them. */
static int target_try_agent(struct sampling_target *t, struct error *err)
{
	struct error why = { 0 };

	if (target_load_agent_once(t, &why) == 0)
		return 0;
	if (why.kind == ERROR_UNAVAILABLE && t->events & SAMPLING_ALLOC &&
	    t->events & ~(unsigned)SAMPLING_ALLOC) {
		t->events &= ~(unsigned)SAMPLING_ALLOC;
		t->shared->unavailable |= SAMPLING_ALLOC;
		text_puts(&t->no_alloc,
			  "allocations are not sampled: another agent in this "
			  "JVM has claimed them, and the JVM allows one agent "
			  "at a time; use --jfr");
		return sampling_target_needs_agent(t) || t->agent_names
			       ? target_load_agent_once(t, err)
			       : 0;
	}
	*err = why;
	return -1;
}

/*
 * Omits events that the JVM's build does not support, and names from the agent
 * where they can crash the build.  Fails if no event remains.
 */
static int target_check_build(struct sampling_target *t, struct error *err)
{
	const struct sampling_options *o = t->shared->o;
	struct jvm_info about = { 0 };

	jvm_info(&t->jvm, &about, error_unused());
	if (t->events & SAMPLING_ALLOC &&
	    !agent_has_alloc(&about, &t->no_alloc)) {
		t->events &= ~(unsigned)SAMPLING_ALLOC;
		t->shared->unavailable |= SAMPLING_ALLOC;
	}
	t->agent_names = o->agent || agent_names_are_safe(&about, &t->no_names);
	jvm_info_release(&about);
	if (t->events)
		return 0;
	return fail(err, ERROR_UNAVAILABLE, "%s: %s; use --jfr", t->name.bytes,
		    t->no_alloc.bytes);
}

/*
 * Loads the agent, unless an option forbids it, and reports what that does to
 * the JVM.  Fails only if an event needs the agent (alloc, lock); otherwise
 * sets *why, which must be empty, to the reason.
 */
static int target_load_agent(struct sampling_target *t, struct error *why,
			     struct error *err)
{
	const struct sampling_options *o = t->shared->o;
	const char *warning;

	/* --all does not modify JVMs that the user has not named. */
	if ((o->all && !sampling_target_needs_agent(t)) || o->no_agent ||
	    t->events == SAMPLING_GC || t->jvm.kind != JVM_HOTSPOT)
		return 0;
	/* The agent serves the sjkc that has published the probe. */
	if (t->events & SAMPLING_PROBE && !sampling_target_needs_agent(t))
		return 0;
	if (target_check_build(t, err))
		return -1;
	if (!t->agent_names && !sampling_target_needs_agent(t))
		return 0;
	warning = o->quiet_target && !sampling_target_needs_agent(t)
			  ? agent_client_warning(&t->jvm)
			  : NULL;
	if (warning) {
		sampling_notify(t->shared->o, SAMPLING_DETAIL,
				"%s: no sjkc agent is loaded, since %s; names "
				"come from the "
				"JVM's memory",
				t->name.bytes, warning);
		return 0;
	}
	if (target_try_agent(t, why) == 0 || !sampling_target_needs_agent(t))
		return 0;
	*err = *why;
	if (err->kind == ERROR_REFUSED && agent_load_allowed(&t->jvm, why))
		fail(err, ERROR_REFUSED, "%s, or use --jfr", why->text);
	return -1;
}

/* A target that will be opened again may get an agent then. */
static void target_report_no_agent(const struct sampling_target *t,
				   const struct error *why)
{
	if (!t->agent && why->kind &&
	    (!target_is_tried_again(t) || sampling_target_is_complete(t)))
		sampling_notify(t->shared->o, SAMPLING_INFO,
				"%s: cannot load the sjkc agent, names come "
				"from the JVM's "
				"memory: %s",
				t->name.bytes, why->text);
}

/* Reports each reason once. */
static void target_report_build(const struct sampling_target *t)
{
	if (target_is_tried_again(t) && !sampling_target_is_complete(t))
		return;
	if (t->no_names.len)
		sampling_notify(
			t->shared->o, SAMPLING_INFO,
			"%s: names come from the JVM's memory, not from the "
			"sjkc agent: %s; --force-agent uses the sjkc agent "
			"anyway",
			t->name.bytes, t->no_names.bytes);
	if (t->no_alloc.len)
		sampling_notify(t->shared->o, SAMPLING_INFO, "%s: %s",
				t->name.bytes, t->no_alloc.bytes);
}

static int target_refuse_zero(const struct sampling_target *t,
			      struct error *err)
{
	return fail(err, ERROR_UNAVAILABLE,
		    "%s: cannot sample the Zero interpreter: its Java frames "
		    "are not on the threads' stacks; use --sampler dump",
		    t->name.bytes);
}

/*
 * Reads the VM's name before the JVM is modified.  Some JVMs have no counters.
 */
static bool target_is_zero(const struct sampling_target *t)
{
	struct jvm_info about = { 0 };
	bool is_zero;

	jvm_info(&t->jvm, &about, error_unused());
	is_zero = about.vm_name && strstr(about.vm_name, " Zero VM");
	jvm_info_release(&about);
	return is_zero;
}

/* The agent is loaded first, so that its library is among the mappings. */
static int target_open(struct sampling_target *t, struct error *err)
{
	struct error no_agent = { 0 };
	struct sampling_names names;

	if (target_is_zero(t))
		return target_refuse_zero(t, err);
	if (target_load_agent(t, &no_agent, err))
		return -1;
	t->view = process_view_open(&t->jvm, &t->shared->views, err);
	if (!t->view)
		return -1;
	t->unwinder = unwinder_new(&arch_x86_64, t->view);
	if (t->view->is_zero)
		return target_refuse_zero(t, err);
	if (t->view->limits && t->jvm.kind != JVM_NONE &&
	    !target_is_tried_again(t))
		sampling_notify(t->shared->o, SAMPLING_INFO, "%s: %s",
				t->name.bytes, t->view->limits);
	target_open_metadata(t);
	sampling_target_note_virtual_threads(t);
	target_report_virtual_threads(t);
	target_open_classes(t);
	target_report_no_agent(t, &no_agent);
	target_report_build(t);
	names = sampling_target_names(t);
	t->frames = sampling_frames_new(t->profile, &names);
	t->threads = sampling_threads_new(t->profile, &t->jvm);
	sampling_target_read_huge(t);
	if (target_add_published(t, err) || target_open_pauses(t, err) ||
	    (t->events & SAMPLING_NATIVEMEM &&
	     sampling_target_probe_blocks(t, err)))
		return -1;
	if (!t->agent) {
		sampling_threads_use_memory(t->threads, t->view->structs,
					    t->view->memory);
		return 0;
	}
	sampling_threads_allow_dumps(t->threads);
	return target_add_probes(t, err);
}

struct sampling_target *sampling_target_new(struct sampling_shared *s,
					    const struct jvm *jvm,
					    struct error *err)
{
	struct sampling_target *t = xcalloc(1, sizeof(*t));

	t->shared = s;
	t->events = s->o->events;
	t->jvm = *jvm;
	s->o->add_name(&t->jvm, &t->name);
	t->profile = s->o->separate ? sampling_shared_new_profile(s)
				    : s->profile;
	if (target_open(t, err)) {
		sampling_target_free(t);
		return NULL;
	}
	if (s->o->separate && s->o->describe)
		s->o->describe(s->o->self, &t->jvm, &t->about);
	return t;
}

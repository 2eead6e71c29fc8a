/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/doctor/doctor_checks.h"

#include "cmd/commands.h"
#include "core/base/child.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hotspot/vm_counters.h"
#include "core/jvm/cgroup.h"
#include "core/jvm/jdk_version.h"
#include "core/jvm/open_files.h"
#include "core/jvm/opener.h"
#include "core/jvm/procfs.h"
#include "jvmti/client/client_fences.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct finding *doctor_checks_add(struct doctor_checks *c, const char *name,
				  enum condition_state state, unsigned breaks)
{
	struct finding *f = &c->findings[c->count];

	/* The checks add fewer findings than the array has room for. */
	if (c->count + 1 < DOCTOR_FINDINGS)
		c->count++;
	*f = (struct finding){
		.is = { .name = name,
			.state = state,
			.kind = ERROR_UNAVAILABLE },
		.breaks = breaks,
	};
	return f;
}

void finding_detail(struct finding *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->is.detail, sizeof(f->is.detail), fmt, args);
	va_end(args);
}

void finding_remedy(struct finding *f, const char *text)
{
	snprintf(f->is.remedy, sizeof(f->is.remedy), "%s", text);
}

struct finding *doctor_checks_note(struct doctor_checks *c, const char *name)
{
	struct finding *f = doctor_checks_add(c, name, CONDITION_HOLDS, 0);

	f->is_note = true;
	return f;
}

void finding_error(struct doctor_checks *c, struct finding *f,
		   const struct error *err)
{
	char pid[16];
	size_t skip;

	snprintf(pid, sizeof(pid), "%d: ", (int)c->pid);
	skip = strncmp(err->text, pid, strlen(pid)) == 0 ? strlen(pid) : 0;
	f->is.kind = err->kind;
	finding_detail(f, "%.*s", (int)sizeof(f->is.detail) - 1,
		       err->text + skip);
}

typedef void check_fn(struct doctor_checks *c);

static const struct {
	const char *name;
	unsigned bit;
} capabilities[] = {
	{ "CAP_SYS_PTRACE", CAP_SYS_PTRACE }, /* /proc of other users */
	{ "CAP_DAC_OVERRIDE", CAP_DAC_OVERRIDE },
	{ "CAP_KILL", CAP_KILL },     /* SIGQUIT, which starts the listener */
	{ "CAP_SETUID", CAP_SETUID }, /* attach as the JVM's user */
	{ "CAP_SETGID", CAP_SETGID },
	{ "CAP_SYS_ADMIN", CAP_SYS_ADMIN },
};

static void check_sjkc(struct doctor_checks *c)
{
	struct finding *f = doctor_checks_note(c, "sjkc");
	struct text has = { 0 }, lacks = { 0 };
	struct proc_status own;
	struct error err;

	if (procfs_status(getpid(), &own, &err)) {
		finding_error(c, f, &err);
		return;
	}
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(*capabilities);
	     i++) {
		bool is = own.capabilities >> capabilities[i].bit & 1;

		text_printf(is ? &has : &lacks, " %s", capabilities[i].name);
	}
	finding_detail(f, "uid %u, gid %u;%s%s%s%s", (unsigned)geteuid(),
		       (unsigned)getegid(), has.len ? " has" : "",
		       has.len ? has.bytes : "", lacks.len ? " lacks" : "",
		       lacks.len ? lacks.bytes : "");
	text_release(&has);
	text_release(&lacks);
}

bool doctor_checks_same_namespace(pid_t pid, const char *name)
{
	char path[64];
	struct stat target, own;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, name);
	if (stat(path, &target) < 0)
		return true; /* unknown: assume the same */
	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	return stat(path, &own) < 0 || target.st_ino == own.st_ino;
}

static void check_namespaces(struct doctor_checks *c)
{
	static const char *const names[] = { "mnt", "net", "pid", "user" };
	struct finding *f = doctor_checks_note(c, "namespaces");
	struct text own = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!doctor_checks_same_namespace(c->pid, names[i]))
			text_printf(&own, "%s%s", own.len ? ", " : "",
				    names[i]);
	}
	if (own.len == 0 && !c->jvm.own_root)
		finding_detail(f, "the same as those of sjkc");
	else
		finding_detail(f, "own: %s%s; pid inside: %d",
			       own.len ? own.bytes : "none",
			       c->jvm.own_root && own.len == 0
				       ? ", but an own root directory"
				       : "",
			       (int)c->jvm.ns_pid);
	text_release(&own);
}

static void check_java(struct doctor_checks *c)
{
	const struct jvm_info *info = &c->info;

	finding_detail(doctor_checks_note(c, "Java"), "%s%s%s%s%s",
		       info->version ? info->version : "unknown version",
		       info->vm_name ? ", " : "",
		       info->vm_name ? info->vm_name : "",
		       info->java_home ? ", " : "",
		       info->java_home ? info->java_home : "");
}

static void check_threads(struct doctor_checks *c)
{
	struct finding *f = doctor_checks_add(c, "threads", CONDITION_HOLDS,
					      NEED_PROC);
	struct proc_status status;
	struct text stat = { 0 };
	struct error err;
	char name[32];

	snprintf(name, sizeof(name), "task/%d/stat", (int)c->pid);
	if (procfs_read(c->pid, name, 64, &stat, &err) ||
	    procfs_status(c->pid, &status, &err)) {
		f->is.state = CONDITION_FAILS;
		finding_error(c, f, &err);
		finding_remedy(f, "mount /proc without subset=pid and hidepid");
	} else {
		finding_detail(f, "%u, visible in /proc", status.threads);
	}
	text_release(&stat);
}

/* Beyond the limit, the JVM can neither accept connections nor open files. */
static void check_open_files(struct doctor_checks *c)
{
	struct open_files o;
	struct text text = { 0 };
	struct error err;
	struct finding *f;

	if (open_files_read(&o, c->pid, &err))
		return;
	open_files_add(&text, &o);
	f = doctor_checks_note(c, "open files");
	finding_detail(f, "%s", text.bytes);
	text_release(&text);
}

static void check_memory(struct doctor_checks *c)
{
	struct proc_status status;
	struct cgroup_limits l;
	struct text text = { 0 };

	if (procfs_status(c->pid, &status, error_unused()))
		return;
	units_add_bytes(&text, (double)status.rss_bytes);
	text_puts(&text, " resident");
	cgroup_limits_read(&l, &c->jvm);
	if (l.memory >= 0) {
		text_puts(&text, ", limited by its cgroup to ");
		units_add_bytes(&text, (double)l.memory);
	} else if (l.memory == CGROUP_UNKNOWN) {
		text_puts(&text, ", limit unknown");
	}
	cgroup_limits_release(&l);
	finding_detail(doctor_checks_note(c, "memory"), "%s", text.bytes);
	text_release(&text);
}

/* Runs in the opener. */
static int check_root_job(const struct jvm *jvm, void *unused,
			  struct error *err)
{
	int fd = jvm_open_file(jvm, "/", O_RDONLY | O_DIRECTORY, err);

	(void)unused;
	if (fd < 0)
		return -1;
	close(fd);
	return CHILD_NOTHING;
}

static void check_root_directory(struct doctor_checks *c)
{
	struct opening o = {
		.jvm = &c->jvm,
		.job = check_root_job,
		.place = OPENER_ROOT,
	};
	struct finding *f = doctor_checks_add(c, "files", CONDITION_HOLDS,
					      NEED_COUNTERS | NEED_ATTACH);
	struct proc_status status;
	enum jvm_kind kind;
	struct error err;

	if (c->jvm.is_hidden) {
		if (procfs_status(c->pid, &status, &err) == 0)
			jvm_kind_of(c->pid, &status, &kind, &err);
		finding_detail(f, "sjkc uses its own /tmp; %s", err.text);
		return;
	}
	if (opener_run(&o, &err) == CHILD_NOTHING) {
		finding_detail(f, "sjkc can open /proc/%d/root", (int)c->pid);
		return;
	}
	f->is.state = CONDITION_FAILS;
	finding_error(c, f, &err);
	finding_remedy(f, "run as the JVM's user, or as root with "
			  "CAP_SYS_PTRACE (kubectl debug --profile=general)");
}

/* The JVM updates these counters at a collection. */
static void check_metaspace(struct doctor_checks *c, const struct perfdata *p)
{
	struct finding *f = doctor_checks_note(c, "metaspace");
	int64_t value = 0, limit = 0;

	perfdata_value(p, "sun.gc.metaspace.used", &value);
	perfdata_value(p, "sun.gc.metaspace.maxCapacity", &limit);
	if (value > 0)
		finding_detail(f, "%s of %s reserved, at the last collection",
			       units_bytes((double)value).text,
			       units_bytes((double)limit).text);
	else
		finding_detail(f, "unknown until the first collection; `sjkc "
				  "vminfo` asks the JVM");
	finding_detail(doctor_checks_note(c, "code cache"),
		       "not in the counters; `sjkc vminfo` asks the JVM");
}

static void check_counters(struct doctor_checks *c)
{
	struct finding *f = doctor_checks_add(c, "counters", CONDITION_HOLDS,
					      NEED_COUNTERS);
	struct error err;
	struct perfdata *p = vm_counters_open(&c->jvm, &err);

	if (p) {
		finding_detail(f, "%zu, read without attaching",
			       perfdata_count(p));
		check_metaspace(c, p);
		perfdata_close(p);
		return;
	}
	f->is.state = CONDITION_FAILS;
	finding_error(c, f, &err);
}

static void check_attach(struct doctor_checks *c)
{
	struct condition list[ATTACH_CONDITIONS_MAX];
	size_t count = attach_conditions(&c->jvm, list);

	for (size_t i = 0; i < count; i++) {
		unsigned breaks = NEED_ATTACH;

		/* A stopped JVM does not reply over JMX, either. */
		if (condition_stops(&list[i]))
			breaks |= NEED_JMX;
		doctor_checks_add(c, NULL, CONDITION_HOLDS, breaks)
			->is = list[i];
	}
}

/* Options that affect commands, by their first characters. */
static const struct {
	const char *option, *means;
} options[] = {
	{ "-Xrs",
	  "SIGQUIT would kill the JVM; it listens from the start instead" },
	{ "-XX:+ReduceSignalUsage",
	  "SIGQUIT would kill the JVM; it listens from the start instead" },
	{ "-XX:+DisableAttachMechanism",
	  "the JVM does not answer jcmd and similar tools" },
	{ "-XX:+StartAttachListener", "the JVM listens from the start" },
	{ "-XX:-UsePerfData", "the JVM has no counters" },
	{ "-XX:+PerfDisableSharedMem", "the counters are not in a file" },
	{ "-XX:-EnableDynamicAgentLoading", "the JVM rejects agents" },
	{ "-XX:+EnableDynamicAgentLoading",
	  "the JVM loads agents without a warning" },
	{ "-XX:NativeMemoryTracking=", "VM.native_memory requires it" },
	{ "-XX:StartFlightRecording", "the JVM records since its start" },
	{ "-Dcom.sun.management.jmxremote.port=",
	  "the JVM listens for JMX clients there" },
	{ "-Djdk.attach.vm.streaming=",
	  "selects how the JVM sends replies to attach" },
};

static void check_options(struct doctor_checks *c)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		const char *found = jvm_info_option(&c->info,
						    options[i].option);

		if (found)
			finding_detail(doctor_checks_note(c, "option"),
				       "%.160s: %s", found, options[i].means);
	}
	if (c->info.args_cut)
		finding_detail(doctor_checks_note(c, "option"),
			       "the list is incomplete: options are in an "
			       "@file, or too long");
}

/* Reports for what prof does not use the agent in this build of the JVM. */
static void check_fences(struct doctor_checks *c)
{
	struct text why = { 0 };

	if (!agent_names_are_safe(&c->info, &why))
		finding_detail(doctor_checks_note(c, "agents"),
			       "prof reads names from the JVM's memory, not "
			       "from its agent: %s",
			       why.bytes);
	text_clear(&why);
	if (!agent_has_alloc(&c->info, &why))
		finding_detail(doctor_checks_note(c, "alloc"),
			       "%s; `prof -e alloc --jfr` works without",
			       why.bytes);
	text_release(&why);
}

/* JEP 451: since JDK 21, a JVM warns about an agent loaded at run time. */
static void check_agents(struct doctor_checks *c)
{
	if (c->jvm.kind == JVM_HOTSPOT)
		check_fences(c);
	if (jvm_info_option(&c->info, "-XX:-EnableDynamicAgentLoading")) {
		struct finding *f = doctor_checks_add(
			c, "agents", CONDITION_FAILS, NEED_LOAD);

		finding_detail(f, "the JVM loads no agents: "
				  "-XX:-EnableDynamicAgentLoading");
		finding_remedy(f, "use `sjkc prof --jfr` for allocations and "
				  "locks");
	}
	if (jdk_version_of(c->info.version).feature >= 21 &&
	    !jvm_info_option(&c->info, "-XX:+EnableDynamicAgentLoading") &&
	    !jvm_info_option(&c->info, "-XX:-EnableDynamicAgentLoading"))
		finding_detail(doctor_checks_note(c, "agents"),
			       "the JVM prints a warning when an agent is "
			       "loaded (JEP 451)");
}

/* Probes of Java methods; JFR's method timing (JDK 25) needs no agent. */
static void check_probes(struct doctor_checks *c)
{
	const bool has_jfr = jdk_version_of(c->info.version).feature >= 25;
	struct text why = { 0 };

	if (c->jvm.kind != JVM_HOTSPOT)
		text_puts(&why, "probes support HotSpot only");
	else if (jvm_info_option(&c->info, "-XX:-EnableDynamicAgentLoading"))
		text_puts(&why, "the JVM loads no agents: "
				"-XX:-EnableDynamicAgentLoading");
	else
		agent_probes_are_safe(&c->info, &why);
	if (why.len) {
		struct finding *f = doctor_checks_add(
			c, "probes", CONDITION_FAILS, NEED_AGENT);

		finding_detail(f, "%s", why.bytes);
		if (has_jfr)
			finding_remedy(f, "use `sjkc probe --jfr`");
	} else if (has_jfr) {
		finding_detail(doctor_checks_note(c, "probes"),
			       "probe uses its agent; `probe --jfr` works "
			       "without");
	}
	text_release(&why);
}

/* OpenJDK has JFR since 11 (JEP 328) and 8u262 (JDK-8223147). */
static void check_jfr(struct doctor_checks *c)
{
	const struct jdk_version v = jdk_version_of(c->info.version);
	struct finding *f;

	if (c->jvm.kind == JVM_HOTSPOT && (!v.feature || v.feature >= 11 ||
					   (v.feature == 8 && v.update >= 262)))
		return;
	f = doctor_checks_add(c, "JFR", CONDITION_FAILS, NEED_JFR);
	finding_detail(f, "JFR requires OpenJDK 11 or 8u262 or later");
}

/*
 * In the order of the output. Checks that few commands need come last: the
 * first obstacle decides the exit status.
 */
static check_fn *const checks[] = {
	check_sjkc,          check_namespaces, check_java,
	check_options,       check_agents,     check_threads,
	check_open_files,    check_memory,     check_root_directory,
	check_attach,        check_counters,   doctor_check_jmx,
	check_probes,        check_jfr,        doctor_check_bpf,
	doctor_check_stacks,
};

/*
 * The preconditions of commands: without `needs` a command does not work,
 * without `wants` it works in part. Commands that this build lacks are skipped.
 */
static const struct {
	const char *command;
	unsigned needs, wants;
} commands_need[] = {
	{ "jps", NEED_PROC, 0 },
	{ "ttop", NEED_PROC, NEED_COUNTERS | NEED_ATTACH },
	{ "gc", NEED_PROC, NEED_COUNTERS | NEED_BPF | NEED_UPROBES },
	{ "jstat", NEED_COUNTERS, 0 },
	{ "perfmap", NEED_PROC | NEED_NAMES, 0 },
	{ "vminfo --perf", NEED_COUNTERS, 0 },
	{ "vminfo", NEED_ATTACH, 0 },
	{ "jcmd", NEED_ATTACH, 0 },
	{ "jstack", NEED_ATTACH, 0 },
	{ "threads", NEED_ATTACH, 0 },
	{ "hh", NEED_ATTACH, 0 },
	{ "mxping -p", NEED_JMX, 0 },
	{ "mx -p", NEED_JMX, 0 },
	{ "mxdump -p", NEED_JMX, 0 },
	{ "mxprx -p", NEED_JMX, 0 },
	{ "stcap -p", NEED_JMX, 0 },
	{ "probe", NEED_ATTACH | NEED_AGENT, 0 },
	{ "prof -p", NEED_PROC | NEED_BPF | NEED_STACKS, NEED_NAMES },
	{ "prof -e nativemem",
	  NEED_PROC | NEED_BPF | NEED_STACKS | NEED_UPROBES, NEED_NAMES },
	{ "prof -e alloc",
	  NEED_PROC | NEED_ATTACH | NEED_BPF | NEED_STACKS | NEED_LOAD |
		  NEED_UPROBES,
	  0 },
	{ "prof -e alloc --jfr", NEED_ATTACH | NEED_JFR, 0 },
	{ "prof --sampler dump", NEED_ATTACH, 0 },
};

const struct finding *doctor_checks_broken(const struct doctor_checks *c,
					   unsigned needs)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct finding *f = &c->findings[i];

		if (f->breaks & needs && (f->is.state == CONDITION_FAILS ||
					  f->is.state == CONDITION_WAITS))
			return f;
	}
	return NULL;
}

bool doctor_checks_knows(const char *command)
{
	char name[32];
	size_t len = strcspn(command, " ");

	snprintf(name, sizeof(name), "%.*s", (int)len, command);
	return command_find(name) != NULL;
}

static void doctor_checks_sum_up(struct doctor_checks *c)
{
	for (size_t i = 0; i < sizeof(commands_need) / sizeof(*commands_need);
	     i++) {
		if (doctor_checks_knows(commands_need[i].command))
			c->abilities[c->ability_count++] = (struct ability){
				.command = commands_need[i].command,
				.no = doctor_checks_broken(
					c, commands_need[i].needs),
				.in_part = doctor_checks_broken(
					c, commands_need[i].wants),
			};
	}
}

void doctor_checks_init(struct doctor_checks *c, const struct jvm *jvm)
{
	*c = (struct doctor_checks){ .pid = jvm->pid, .jvm = *jvm };
	jvm_info(jvm, &c->info, error_unused());
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		checks[i](c);
	doctor_checks_sum_up(c);
}

void doctor_checks_init_refused(struct doctor_checks *c, pid_t pid,
				const struct error *why)
{
	*c = (struct doctor_checks){ .pid = pid };
	check_sjkc(c);
	finding_error(c,
		      doctor_checks_add(c, "process", CONDITION_FAILS,
					NEED_PROC | NEED_COUNTERS |
						NEED_ATTACH | NEED_JMX |
						NEED_BPF),
		      why);
	doctor_checks_sum_up(c);
}

void doctor_checks_release(struct doctor_checks *c)
{
	jvm_info_release(&c->info);
}

enum {
	NEED_RARE = NEED_COUNTERS | NEED_BPF | NEED_STACKS | NEED_NAMES |
		    NEED_AGENT | NEED_UPROBES | NEED_LOAD | NEED_JFR
};

const struct finding *doctor_checks_obstacle(const struct doctor_checks *c)
{
	const struct finding *first = NULL;

	for (size_t i = 0; i < c->ability_count; i++) {
		const struct finding *no = c->abilities[i].no;

		if (no && no->breaks & ~(unsigned)NEED_RARE &&
		    (!first || no < first))
			first = no;
	}
	return first;
}

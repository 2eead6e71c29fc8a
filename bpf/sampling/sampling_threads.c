/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf/sampling/sampling_threads.h"

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/map64.h"
#include "core/hotspot/java_threads.h"
#include "core/jvm/procfs.h"
#include "core/threads/thread_dumps.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASK_NS  (5 * CLOCK_NS_PER_S)
#define LOOK_NS (CLOCK_NS_PER_S / 5)
/*
 * Internal threads of the JVM, and threads of native libraries, are never found
 * in its thread list.
 */
#define READS 5
/*
 * After ZGC has moved a name, the reference to it is out of date until the
 * collector marks or the program reads it, and may soon be out of date again.
 * So a missed name is read again sooner and more often, though in at most one
 * part in COST_PART of the time, and several times at the end.
 */
#define MISSED_NS  (CLOCK_NS_PER_S / 100)
#define COST_PART  100
#define MISSES     1000
#define LAST_READS 25
#define STAT_BYTES 4096
#define OWNERS     ((size_t)1 << 16) /* threads known only by their Java id */

struct known_thread {
	pid_t tid, ns_tid;
	uint32_t id; /* the profile's */
	uint64_t stack_end;
	char comm[PROCFS_NAMES];
	bool is_sampled;
	bool is_named;      /* by the JVM */
	bool is_guessed;    /* named as the JVM's periodic thread */
	bool was_requested; /* a dump was requested: a missing name stays
			       missing */
	uint8_t reads;      /* reads of the JVM's memory without a name */
	uint16_t misses;    /* reads of a listed thread's unreadable name */
	uint64_t seen;      /* hash of the name read from memory; 0 = none */
};

struct sampling_threads {
	struct profile *profile;
	const struct jvm *jvm;
	struct map64 by_tid;  /* index */
	struct map64 by_java; /* the profile's id */
	struct known_thread *all;
	size_t count, cap;
	struct thread_dumps *dumps; /* NULL = no thread dumps */
	bool has_new;               /* a thread's whole name may be unknown */
	size_t guesses;             /* threads named by a guess, ever */
	bool has_searched;          /* all tasks were searched in vain */
	/* Without dumps: where to read names, once known; or NULL. */
	const struct vm_structs *structs;
	struct memory *memory;
	struct java_thread_names *names;
	int64_t read_ns, cost_ns; /* time and duration of the last read */
	bool has_missed;          /* it missed the name of a listed thread */
};

struct sampling_threads *sampling_threads_new(struct profile *p,
					      const struct jvm *jvm)
{
	struct sampling_threads *t = xcalloc(1, sizeof(*t));

	t->profile = p;
	t->jvm = jvm;
	return t;
}

void sampling_threads_free(struct sampling_threads *t)
{
	if (!t)
		return;
	thread_dumps_free(t->dumps);
	java_thread_names_close(t->names);
	map64_release(&t->by_tid);
	map64_release(&t->by_java);
	free(t->all);
	free(t);
}

/* The TID in the JVM's PID namespace; 0 = the thread has ended. */
static pid_t threads_ns_tid(const struct jvm *jvm, pid_t tid)
{
	struct proc_status status;

	if (!jvm->own_pid_ns)
		return tid;
	if (procfs_status(tid, &status, error_unused()) ||
	    status.tgid != jvm->pid || !status.ns_depth)
		return 0;
	return status.ns_pids[status.ns_depth - 1];
}

static uint32_t threads_add_string(struct profile *p, const char *name)
{
	return profile_string(p, name, strlen(name));
}

/* A TID may have been reused by a thread with another kernel name. */
static bool thread_has_comm(pid_t pid, const struct known_thread *k)
{
	struct text comm = { 0 };
	char path[32];
	bool ret;

	snprintf(path, sizeof(path), "task/%d/comm", (int)k->tid);
	ret = procfs_read(pid, path, PROCFS_NAMES, &comm, error_unused()) ==
		      0 &&
	      comm.len == strlen(k->comm) + 1 &&
	      memcmp(comm.bytes, k->comm, comm.len - 1) == 0;
	text_release(&comm);
	return ret;
}

static void threads_take_name(struct sampling_threads *t,
			      struct known_thread *k)
{
	const struct thread_names *names = thread_dumps_names(t->dumps);
	const struct thread_name *n = NULL;
	struct thread *in_profile = &t->profile->threads[k->id];

	if (names && k->ns_tid)
		n = thread_names_find(names, k->ns_tid);
	if (!n || !thread_has_comm(t->jvm->pid, k))
		return;
	k->is_named = true;
	in_profile->name = threads_add_string(t->profile, n->name);
	in_profile->java_id = n->java_id;
}

/*
 * Returns true if the kernel's name may be incomplete.  A name of 15 bytes may
 * be truncated, and "java" is the launcher's name, used by threads without a
 * kernel name.  All other names are complete and need no thread dump.
 */
static bool comm_may_be_truncated(const char *comm)
{
	return strlen(comm) == PROCFS_NAMES - 1 || strcmp(comm, "java") == 0;
}

/*
 * The internal thread that runs most often, and whose name is truncated. Java
 * threads may have the name, too: a guess stays only while the JVM's list of
 * threads does not have the thread. Only several such threads require to read
 * the list for them alone.
 */
static const char periodic_comm[] = "VM Periodic Tas",
		  periodic_name[] = "VM Periodic Task Thread";

/* True if the list of threads is read for this thread alone. */
static bool thread_is_awaited(const struct sampling_threads *t,
			      const struct known_thread *k)
{
	return !k->is_guessed || t->guesses > 1;
}

static void threads_set_comm(struct sampling_threads *t, struct known_thread *k,
			     const char *comm)
{
	memset(k->comm, 0, sizeof(k->comm));
	memcpy(k->comm, comm, strnlen(comm, sizeof(k->comm) - 1));
	k->is_named = false;
	k->is_guessed = false;
	k->was_requested = false;
	k->reads = 0;
	k->misses = 0;
	k->seen = 0;
	if (!comm_may_be_truncated(k->comm))
		return;
	if (t->jvm->kind == JVM_HOTSPOT && strcmp(comm, periodic_comm) == 0) {
		k->is_guessed = true;
		t->guesses++;
		t->profile->threads[k->id].name = threads_add_string(
			t->profile, periodic_name);
	}
	/* The last dump may contain the thread. */
	if (t->dumps)
		threads_take_name(t, k);
	t->has_new |= !k->is_named && thread_is_awaited(t, k);
}

static struct known_thread *threads_add(struct sampling_threads *t, pid_t tid,
					const char *comm)
{
	const struct thread thread = {
		.name = threads_add_string(t->profile, comm),
		.os_id = tid,
	};
	struct known_thread *k;

	array_reserve(t->all, t->cap, t->count + 1);
	k = &t->all[t->count];
	*k = (struct known_thread){
		.tid = tid,
		.ns_tid = threads_ns_tid(t->jvm, tid),
		.id = profile_thread(t->profile, &thread),
	};
	map64_add(&t->by_tid, (uint64_t)tid, (uint32_t)t->count++);
	threads_set_comm(t, k, comm);
	return k;
}

/* Returns NULL if the thread has no id yet. */
static struct known_thread *threads_find(const struct sampling_threads *t,
					 pid_t tid)
{
	uint32_t at = map64_get(&t->by_tid, (uint64_t)tid);

	return at == MAP64_NONE ? NULL : &t->all[at];
}

uint32_t sampling_threads_id(struct sampling_threads *t, pid_t tid,
			     const char *comm)
{
	struct known_thread *k = threads_find(t, tid);

	if (!k)
		k = threads_add(t, tid, comm);
	k->is_sampled = true;
	if (strncmp(k->comm, comm, sizeof(k->comm) - 1) != 0) {
		t->profile->threads[k->id].name = threads_add_string(t->profile,
								     comm);
		threads_set_comm(t, k, comm);
	}
	return k->id;
}

/* Returns the TID here for one in the JVM's PID namespace; 0 = none. */
static pid_t threads_find_tid(struct sampling_threads *t, pid_t ns_tid)
{
	struct dirent *entry;
	char path[32];
	pid_t tid = 0;
	DIR *tasks;

	if (!t->jvm->own_pid_ns)
		return ns_tid;
	for (size_t i = 0; i < t->count; i++) {
		if (t->all[i].ns_tid == ns_tid)
			return t->all[i].tid;
	}
	if (t->has_searched)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)t->jvm->pid);
	tasks = opendir(path);
	while (tasks && !tid && (entry = readdir(tasks))) {
		pid_t task = (pid_t)strtol(entry->d_name, NULL, 10);

		if (task > 0 && threads_ns_tid(t->jvm, task) == ns_tid)
			tid = task;
	}
	if (tasks)
		closedir(tasks);
	/* Searching all tasks takes long: once per batch. */
	t->has_searched = tid == 0;
	return tid;
}

pid_t sampling_threads_here(struct sampling_threads *t, pid_t ns_tid)
{
	return ns_tid > 0 ? threads_find_tid(t, ns_tid) : 0;
}

/* A thread's start time has the resolution of a clock tick. */
static bool thread_began_later(const struct sampling_threads *t, pid_t tid,
			       int64_t ns)
{
	int64_t tick_ns = CLOCK_NS_PER_S / sysconf(_SC_CLK_TCK);
	int64_t boot_ns = ns + clock_boot_ns() - clock_monotonic_ns();
	struct text text = { 0 };
	struct proc_stat stat;
	char path[32];
	bool later = false;

	snprintf(path, sizeof(path), "task/%d/stat", (int)tid);
	if (procfs_read(t->jvm->pid, path, STAT_BYTES, &text, error_unused()) ==
		    0 &&
	    text.len && procfs_parse_stat(text.bytes, text.len, &stat))
		later = (int64_t)stat.start_ticks > boot_ns / tick_ns + 1;
	text_release(&text);
	return later;
}

uint32_t sampling_threads_sleeper(struct sampling_threads *t, pid_t tid)
{
	const struct known_thread *known = threads_find(t, tid);
	struct text comm = { 0 };
	char path[32];
	uint32_t id = 0;

	snprintf(path, sizeof(path), "task/%d/comm", (int)tid);
	if (known) {
		id = known->id;
	} else if (procfs_read(t->jvm->pid, path, PROCFS_NAMES, &comm,
			       error_unused()) == 0 &&
		   comm.len) {
		comm.bytes[strcspn(comm.bytes, "\n")] = '\0';
		id = threads_add(t, tid, comm.bytes)->id;
	}
	text_release(&comm);
	return id;
}

/* A thread is known to be virtual once it was found on a carrier. */
static uint32_t threads_java_owner(struct sampling_threads *t,
				   const struct monitor_owner *owner)
{
	const struct thread thread = {
		.name = threads_add_string(t->profile, "[virtual or ended]"),
		.java_id = owner->java_id,
	};
	uint32_t id = map64_get(&t->by_java, (uint64_t)owner->java_id);
	struct thread *in_profile;
	char name[40];

	if (id == MAP64_NONE) {
		if (t->by_java.count >= OWNERS)
			return 0;
		id = profile_thread(t->profile, &thread);
		map64_add(&t->by_java, (uint64_t)owner->java_id, id);
	}
	in_profile = &t->profile->threads[id];
	if (owner->is_virtual && !in_profile->is_virtual) {
		snprintf(name, sizeof(name), "virtual-%lld",
			 (long long)owner->java_id);
		in_profile->name = threads_add_string(t->profile, name);
		in_profile->is_virtual = true;
	}
	return id;
}

uint32_t sampling_threads_owner(struct sampling_threads *t,
				const struct monitor_owner *owner,
				int64_t owned_ns)
{
	pid_t tid = owner->ns_tid ? threads_find_tid(t, owner->ns_tid) : 0;

	if (tid)
		return thread_began_later(t, tid, owned_ns)
			       ? 0
			       /* It may have no sample of its own. */
			       : sampling_threads_sleeper(t, tid);
	return owner->java_id ? threads_java_owner(t, owner) : 0;
}

uint32_t sampling_threads_copy(const struct profile *from, struct profile *to,
			       uint32_t id)
{
	struct thread thread = from->threads[id];

	thread.name = threads_add_string(to, profile_text(from, thread.name));
	return profile_thread(to, &thread);
}

/* Threads known only by their Java id are added again when needed. */
void sampling_threads_renew(struct sampling_threads *t, struct profile *p)
{
	size_t kept = 0;

	map64_clear(&t->by_tid);
	map64_clear(&t->by_java);
	for (size_t i = 0; i < t->count; i++) {
		struct known_thread *k = &t->all[i];
		char path[48];

		snprintf(path, sizeof(path), "/proc/%d/task/%d",
			 (int)t->jvm->pid, (int)k->tid);
		if (access(path, F_OK) < 0)
			continue;
		k->id = sampling_threads_copy(t->profile, p, k->id);
		map64_add(&t->by_tid, (uint64_t)k->tid, (uint32_t)kept);
		t->all[kept++] = *k;
	}
	t->count = kept;
	t->profile = p;
}

bool sampling_threads_has_sample(const struct sampling_threads *t, pid_t tid)
{
	const struct known_thread *k = threads_find(t, tid);

	return k && k->is_sampled;
}

uint64_t *sampling_threads_stack_end(struct sampling_threads *t, pid_t tid)
{
	return &threads_find(t, tid)->stack_end;
}

/*
 * The dump may also contain threads that were sampled after its request; a
 * thread that is missing is requested later.
 */
static void threads_take_names(struct sampling_threads *t)
{
	t->has_new = false;
	for (size_t i = 0; i < t->count; i++) {
		struct known_thread *k = &t->all[i];

		if (k->is_named ||
		    !(k->was_requested || comm_may_be_truncated(k->comm)))
			continue;
		threads_take_name(t, k);
		t->has_new |= !k->is_named && !k->was_requested &&
			      thread_is_awaited(t, k);
	}
}

static bool threads_request_names(struct sampling_threads *t)
{
	if (!t->has_new || !thread_dumps_ask(t->dumps, -1))
		return false;
	t->has_new = false;
	for (size_t i = 0; i < t->count; i++)
		t->all[i].was_requested = true;
	return true;
}

void sampling_threads_allow_dumps(struct sampling_threads *t)
{
	if (!t->dumps)
		t->dumps = thread_dumps_new(t->jvm, true, ASK_NS);
}

void sampling_threads_use_memory(struct sampling_threads *t,
				 const struct vm_structs *v,
				 struct memory *memory)
{
	t->structs = v;
	t->memory = memory;
}

/*
 * Returns true if the kernel's name may be derived from a Java name.  HotSpot
 * sets the first 15 bytes or, since JDK-8368124 (JDK 26), the first 7 and the
 * last 6 with two dots between.
 */
static bool name_fits_comm(const char *comm, const char *name)
{
	enum { FIRST = 7, LAST = 6, LEN = PROCFS_NAMES - 1 };
	size_t len = strlen(name);

	if (strlen(comm) != LEN || len < LEN)
		return false;
	return memcmp(comm, name, LEN) == 0 ||
	       (memcmp(comm, name, FIRST) == 0 &&
		memcmp(comm + FIRST, "..", 2) == 0 &&
		memcmp(comm + FIRST + 2, name + len - LAST, LAST) == 0);
}

/*
 * Returns false if a name is not text: reading an array of an unknown layout
 * gives control characters or U+FFFD.
 */
static bool name_is_likely(const char *name)
{
	for (const char *c = name; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	}
	return strstr(name, "\xef\xbf\xbd") == NULL;
}

/*
 * Accepts a name that does not match the kernel's name only if the next read
 * gives the same name.  The thread may have been renamed by another thread, may
 * be the main thread, or a collector may have moved the name during the read.
 */
static void threads_take_read_name(struct sampling_threads *t,
				   struct known_thread *k,
				   const struct java_thread_name *seen)
{
	struct thread *in_profile = &t->profile->threads[k->id];
	uint64_t hash;

	if (!seen->is_known || !*seen->name)
		return;
	hash = hash_bytes(seen->name, strlen(seen->name)) | 1;
	if (!name_fits_comm(k->comm, seen->name)) {
		bool is_again = k->seen == hash;

		k->seen = hash;
		if (!is_again || !name_is_likely(seen->name))
			return;
	}
	if (!thread_has_comm(t->jvm->pid, k))
		return;
	k->is_named = true;
	in_profile->name = threads_add_string(t->profile, seen->name);
	in_profile->java_id = (int64_t)seen->java_id;
}

static bool thread_needs_name(const struct known_thread *k)
{
	return !k->is_named && k->ns_tid && k->reads < READS &&
	       comm_may_be_truncated(k->comm);
}

static bool threads_open_names(struct sampling_threads *t)
{
	if (!t->names)
		t->names = java_thread_names_open(t->structs, t->memory,
						  error_unused());
	return t->names != NULL;
}

/* Notes the result of a read; a name that was missed is read again. */
static void threads_take_read(struct sampling_threads *t,
			      struct known_thread *k,
			      const struct java_thread_name *seen)
{
	bool is_missed = seen->is_listed && !seen->is_known &&
			 k->misses < MISSES;

	t->has_missed |= is_missed;
	k->misses += is_missed;
	k->reads += !is_missed;
	threads_take_read_name(t, k, seen);
}

/*
 * Returns the number of threads to read names of; 0 if only guesses are left,
 * unless is_last.
 */
static size_t threads_count_unnamed(const struct sampling_threads *t,
				    bool is_last)
{
	bool is_awaited = is_last;
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (!thread_needs_name(&t->all[i]))
			continue;
		is_awaited |= thread_is_awaited(t, &t->all[i]);
		count++;
	}
	return is_awaited ? count : 0;
}

/*
 * Reads names of new threads from the JVM's memory; is_last: and of guessed
 * threads.
 */
static void threads_read_names(struct sampling_threads *t, bool is_last)
{
	size_t *who, count = 0, most = JAVA_THREAD_NAMES_AT_ONCE, unnamed;
	struct java_thread_name *all;

	if (!t->structs || !(t->has_new || is_last) || !jvm_runs(t->jvm))
		return;
	unnamed = threads_count_unnamed(t, is_last);
	if (unnamed < most)
		most = unnamed;
	t->has_new = most > 0;
	if (!most || !threads_open_names(t))
		return;
	t->read_ns = clock_monotonic_ns();
	t->has_missed = false;
	all = xcalloc(most, sizeof(*all));
	who = xcalloc(most, sizeof(*who));
	for (size_t i = 0; count < most; i++) {
		if (!thread_needs_name(&t->all[i]))
			continue;
		all[count].tid = t->all[i].ns_tid;
		who[count++] = i;
	}
	java_thread_names_read(t->names, all, count);
	for (size_t i = 0; i < count; i++)
		threads_take_read(t, &t->all[who[i]], &all[i]);
	free(all);
	free(who);
	t->cost_ns = clock_monotonic_ns() - t->read_ns;
}

/* Returns the time from one read of names to the next. */
static int64_t threads_read_interval(const struct sampling_threads *t)
{
	int64_t soon_ns = COST_PART * t->cost_ns;

	if (!t->has_missed || soon_ns > LOOK_NS)
		return LOOK_NS;
	return soon_ns > MISSED_NS ? soon_ns : MISSED_NS;
}

void sampling_threads_refresh(struct sampling_threads *t)
{
	t->has_searched = false;
	if (!t->dumps) {
		if (clock_monotonic_ns() - t->read_ns >=
		    threads_read_interval(t))
			threads_read_names(t, false);
		return;
	}
	if (thread_dumps_take(t->dumps, 0, -1))
		threads_take_names(t);
	else if (!thread_dumps_awaits(t->dumps))
		threads_request_names(t);
}

static void threads_read_last_names(struct sampling_threads *t,
				    int64_t until_ns)
{
	/* Twice, since some names must be read twice. */
	threads_read_names(t, true);
	threads_read_names(t, true);
	for (int i = 2; i < LAST_READS && t->has_missed; i++) {
		int64_t next_ns = clock_monotonic_ns() + MISSED_NS;

		if (next_ns > until_ns)
			break;
		clock_sleep_until(next_ns);
		threads_read_names(t, true);
	}
}

void sampling_threads_finish(struct sampling_threads *t, int64_t until_ns)
{
	if (!t->dumps)
		threads_read_last_names(t, until_ns);
	if (!t->dumps || !jvm_runs(t->jvm))
		return;
	if (thread_dumps_awaits(t->dumps)) {
		if (!thread_dumps_take(t->dumps, until_ns, -1))
			return;
		threads_take_names(t);
	}
	if (threads_request_names(t) &&
	    thread_dumps_take(t->dumps, until_ns, -1))
		threads_take_names(t);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/agent/agent.h"

#include "jvmti/agent/agent_probes.h"
#include "jvmti/agent/agent_protocol.h"
#include "jvmti/agent/agent_stream.h"
#include "jvmti/agent/agent_system.h"

/* A few milliseconds. */
#define CHECK_TICKS (UINT64_C(1) << 24)

static struct {
	int lock; /* held while a session begins or ends */
	jvm_table *vm;
	jvm_table *env; /* created for the first session and kept */
	unsigned wants; /* enum agent_want; 0 = asleep */
	unsigned had;   /* the wants whose capabilities were granted */
	bool has_interval;
	uint64_t session;
	uintptr_t replaying; /* the thread that runs GenerateEvents; 0 = none */
	uint64_t checked;    /* time of the last check, system_ticks() */
} agent;

/* ---- allocations and waits for monitors ---- */

static struct {
	double interval;
	uint64_t begin; /* start of the session: thread data of earlier times is
			   invalid */
} sampled;

/*
 * A uprobe costs least on a nop: the kernel need not execute the instruction
 * out of line (uprobe_init_insn of x86 recognizes it).
 */
#define PROBE_BODY(...) __asm__ volatile("nop" : : __VA_ARGS__)

/*
 * The eBPF program that takes the sample reads the object's class and the
 * monitor's owner from memory.  Asking the JVM would make it allocate or stop
 * all its threads (GetObjectMonitorUsage).
 */
__attribute__((noinline, visibility("default"))) void
sjkc_probe_alloc(uint64_t bytes, uint64_t unused, const void *object)
{
	PROBE_BODY("D"(bytes), "S"(unused), "d"(object));
}

__attribute__((noinline, visibility("default"))) void
sjkc_probe_lock(uint64_t ns, uint64_t began, const void *object,
		const void *jni)
{
	PROBE_BODY("D"(ns), "S"(began), "d"(object), "c"(jni));
}

/*
 * Returns 1 - e^-x for x >= 0, within 1e-9: halves x until the series is short
 * and squares e^-x as often.
 */
static double one_minus_exp(double x)
{
	double power = 1, sum = 1;
	int halvings = 0;

	if (x > 40)
		return 1;
	while (x > 0.125) {
		x /= 2;
		halvings++;
	}
	/* Compute e^-x - 1, which keeps the precision of small x. */
	power = -x;
	sum = power;
	for (int i = 2; i <= 6; i++) {
		power *= -x / i;
		sum += power;
	}
	while (halvings--)
		sum = sum * (2 + sum);
	return -sum;
}

/*
 * Returns the number of bytes that a sampled object represents.  HotSpot
 * samples at points that are exponentially distributed over the bytes that a
 * thread allocates (threadHeapSampler.cpp, JDK 11 and later).  An object of s
 * bytes is sampled with the probability 1 - e^(-s/interval), so it represents s
 * divided by that: interval + s/2 for small objects, and s for objects of many
 * times the interval.
 */
static uint64_t events_weigh_object(int64_t size)
{
	double hit;

	if (size <= 0)
		return 0;
	if (sampled.interval < 1)
		return (uint64_t)size;
	hit = one_minus_exp((double)size / sampled.interval);
	return (uint64_t)((double)size / hit + 0.5);
}

/* Begins a session; interval is the mean number of bytes between samples. */
static void events_begin(uint64_t interval)
{
	sampled.interval = (double)interval;
	sampled.begin = system_now();
}

static void events_allocated(jvm_table *env, jvm_table *jni, void *thread,
			     void *object, void *class, int64_t size)
{
	(void)env;
	(void)jni;
	(void)thread;
	(void)class;
	if (agent_wants(AGENT_ALLOC))
		sjkc_probe_alloc(events_weigh_object(size), 0, object);
	agent_check_client();
}

/*
 * Reports the beginning of a wait.  The time is kept with the Java thread,
 * because a virtual thread may continue on another kernel thread.  The stack
 * must be sampled now: at the end of the wait, a virtual thread that was
 * unmounted (JEP 491, JDK 24) has no stack yet.
 */
static void events_contended(jvm_table *env, jvm_table *jni, void *thread,
			     void *object)
{
	uint64_t now = system_now();

	(void)thread;
	if (agent_wants(AGENT_LOCK) && jvmti_set_local(env, (void *)now) == 0)
		sjkc_probe_lock(0, now, object, jni);
}

static void events_entered(jvm_table *env, jvm_table *jni, void *thread,
			   void *object)
{
	uint64_t now = system_now();
	void *began = NULL;

	(void)thread;
	if (!agent_wants(AGENT_LOCK))
		return;
	if (jvmti_get_local(env, &began) == 0 && began) {
		jvmti_set_local(env, NULL);
		if ((uint64_t)began >= sampled.begin && (uint64_t)began < now)
			sjkc_probe_lock(now - (uint64_t)began, (uint64_t)began,
					object, jni);
	}
	agent_check_client();
}

static const struct {
	unsigned want;
	int event;
} events[] = {
	{ AGENT_SYMBOLS, JVMTI_COMPILED_METHOD_UNLOAD },
	{ AGENT_SYMBOLS, JVMTI_DYNAMIC_CODE_GENERATED },
	{ AGENT_SYMBOLS, JVMTI_COMPILED_METHOD_LOAD },
	{ AGENT_ALLOC, JVMTI_SAMPLED_OBJECT_ALLOC },
	{ AGENT_LOCK, JVMTI_MONITOR_CONTENDED_ENTER },
	{ AGENT_LOCK, JVMTI_MONITOR_CONTENDED_ENTERED },
};

#define EVENTS (sizeof(events) / sizeof(*events))

static const struct {
	unsigned want;
	int capability;
} capabilities[] = {
	{ AGENT_SYMBOLS, JVMTI_CAN_GENERATE_COMPILED_METHOD_LOAD_EVENTS },
	{ AGENT_LINES, JVMTI_CAN_GET_LINE_NUMBERS },
	{ AGENT_ALLOC, JVMTI_CAN_GENERATE_SAMPLED_OBJECT_ALLOC_EVENTS },
	{ AGENT_LOCK, JVMTI_CAN_GENERATE_MONITOR_EVENTS },
};

bool agent_is_replaying(void)
{
	uintptr_t thread = __atomic_load_n(&agent.replaying, __ATOMIC_RELAXED);

	return thread && thread == system_thread();
}

bool agent_wants(unsigned want)
{
	return __atomic_load_n(&agent.wants, __ATOMIC_ACQUIRE) & want;
}

jvm_table *agent_jni(void)
{
	jvm_table *jni = NULL;

	return jvm_get_env(agent.vm, &jni, JNI_VERSION) == 0 ? jni : NULL;
}

static int agent_set_events(bool on, unsigned wants)
{
	int code = 0;

	for (size_t i = 0; i < EVENTS && !(on && code); i++)
		if (events[i].want & wants)
			code = jvmti_enable(agent.env, on, events[i].event);
	return code;
}

static void capabilities_set(struct jvmti_capabilities *c, int bit)
{
	c->bits[bit / 32] |= 1u << bit % 32;
}

/*
 * Returns the capability to sample allocations.  The JVM grants it to one
 * environment at a time (jvmtiManageCapabilities.cpp,
 * init_always_solo_capabilities): as long as this agent has it, no other agent
 * can sample allocations.
 */
static void agent_release_alloc(void)
{
	struct jvmti_capabilities unwanted = { { 0 } };

	if (!(agent.had & AGENT_ALLOC))
		return;
	capabilities_set(&unwanted,
			 JVMTI_CAN_GENERATE_SAMPLED_OBJECT_ALLOC_EVENTS);
	if (jvmti_relinquish_capabilities(agent.env, &unwanted) == 0)
		agent.had &= ~(unsigned)AGENT_ALLOC;
}

/* Ends the session, if any, and reports the reason.  The lock must be held. */
static void agent_end_session(enum agent_state state, enum agent_step step,
			      int code)
{
	unsigned wants = agent.wants;

	__atomic_store_n(&agent.wants, 0, __ATOMIC_RELEASE);
	if (wants)
		agent_set_events(false, wants);
	if (agent.has_interval)
		jvmti_set_interval(agent.env, AGENT_ALLOC_INTERVAL);
	agent.has_interval = false;
	agent_release_alloc();
	agent.session = 0;
	stream_report(state, step, code, 0, NULL);
	/*
	 * Memory that remains in use for too long is reused by the next
	 * session.
	 */
	stream_close();
	symbols_end();
}

static bool agent_has_probes(void) { return agent.wants & AGENT_PROBES; }

/*
 * Probes are taken back by their own thread, so their session ends later, with
 * agent_end_probes().
 */
static void agent_stop_session(void)
{
	if (agent_has_probes())
		probes_stop();
	else
		agent_end_session(AGENT_STOPPED, AGENT_AT_NOTHING, 0);
}

void agent_end_probes(void)
{
	/* Agent_OnAttach has the lock for less than the patience here. */
	while (!system_wait(&agent.lock))
		;
	if (agent_has_probes())
		agent_end_session(AGENT_STOPPED, AGENT_AT_NOTHING, 0);
	system_unlock(&agent.lock);
}

/*
 * Limits checks for the client: there may be a million events per second, and a
 * check is a system call.
 */
static bool agent_is_check_due(void)
{
	uint64_t now = system_ticks();
	uint64_t checked = __atomic_load_n(&agent.checked, __ATOMIC_RELAXED);

	if (now - checked < CHECK_TICKS)
		return false;
	__atomic_store_n(&agent.checked, now, __ATOMIC_RELAXED);
	return true;
}

void agent_check_client(void)
{
	if (!agent_is_check_due() || agent_is_replaying() ||
	    stream_is_watched() || !system_try(&agent.lock))
		return;
	if (!stream_is_watched())
		agent_stop_session();
	system_unlock(&agent.lock);
}

static int agent_add_capabilities(unsigned wants)
{
	struct jvmti_capabilities wanted = { { 0 } };
	int code;

	wants &= ~agent.had;
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(*capabilities);
	     i++) {
		if (capabilities[i].want & wants)
			capabilities_set(&wanted, capabilities[i].capability);
	}
	code = jvmti_add_capabilities(agent.env, &wanted);
	if (code == 0)
		agent.had |= wants;
	return code;
}

static int agent_set_callbacks(void)
{
	struct jvmti_callbacks callbacks = { { 0 } };
	const struct {
		int event;
		void *callback;
	} all[] = {
		{ JVMTI_COMPILED_METHOD_LOAD, (void *)symbols_loaded },
		{ JVMTI_COMPILED_METHOD_UNLOAD, (void *)symbols_unloaded },
		{ JVMTI_DYNAMIC_CODE_GENERATED, (void *)symbols_generated },
		{ JVMTI_SAMPLED_OBJECT_ALLOC, (void *)events_allocated },
		{ JVMTI_MONITOR_CONTENDED_ENTER, (void *)events_contended },
		{ JVMTI_MONITOR_CONTENDED_ENTERED, (void *)events_entered },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		callbacks
			.of[all[i].event - JVMTI_FIRST_EVENT] = all[i].callback;
	return jvmti_set_callbacks(agent.env, &callbacks);
}

static int agent_get_environment(unsigned wants)
{
	int code = 0;

	if (agent.env)
		return 0;
	if (jvm_get_env(agent.vm, &agent.env, JVMTI_VERSION_ALLOC) == 0)
		return 0;
	agent.env = NULL;
	if (!(wants & AGENT_ALLOC))
		code = jvm_get_env(agent.vm, &agent.env, JVMTI_VERSION);
	return agent.env ? 0 : code ? code : -1;
}

static int agent_set_interval(const struct agent_orders *o)
{
	uint64_t interval = AGENT_ALLOC_INTERVAL;
	int code = 0;

	/*
	 * Set the default as well: the interval applies to the whole JVM, and
	 * another agent may have left a different one.
	 */
	if (o->wants & AGENT_ALLOC) {
		if (o->alloc_interval <= INT32_MAX)
			interval = o->alloc_interval;
		code = jvmti_set_interval(agent.env, (int)interval);
		agent.has_interval = code == 0;
	}
	events_begin(interval);
	return code;
}

/* Reports existing code, methods last, because there may be very many. */
static int agent_replay(unsigned wants, uint64_t *took)
{
	uint64_t begin = system_now();
	int code;

	if (!(wants & AGENT_SYMBOLS))
		return 0;
	__atomic_store_n(&agent.replaying, system_thread(), __ATOMIC_RELAXED);
	code = jvmti_generate(agent.env, JVMTI_DYNAMIC_CODE_GENERATED);
	if (code == 0)
		code = jvmti_generate(agent.env, JVMTI_COMPILED_METHOD_LOAD);
	__atomic_store_n(&agent.replaying, 0, __ATOMIC_RELAXED);
	*took = system_now() - begin;
	return code;
}

static enum agent_step agent_begin_probes(const struct agent_orders *o,
					  int *code)
{
	jvm_table *jni = agent_jni();
	enum agent_step step;
	bool is_busy = false;

	if (o->wants != AGENT_PROBES || !jni)
		return AGENT_AT_ORDERS;
	step = probes_begin(agent.vm, jni, o, code, &is_busy);
	if (is_busy)
		*code = SYSTEM_EBUSY;
	if (step == AGENT_AT_NOTHING)
		__atomic_store_n(&agent.wants, o->wants, __ATOMIC_RELEASE);
	return step;
}

/*
 * Begins a session.  Returns the step that failed, with *code, or
 * AGENT_AT_NOTHING.
 */
static enum agent_step agent_begin_session(const struct agent_orders *o,
					   int *code, uint64_t *took)
{
	if (o->magic != AGENT_MAGIC || o->version != AGENT_VERSION || !o->wants)
		return AGENT_AT_ORDERS;
	if (o->wants & AGENT_PROBES)
		return agent_begin_probes(o, code);
	if ((*code = agent_get_environment(o->wants)))
		return AGENT_AT_ENVIRONMENT;
	if ((*code = agent_add_capabilities(o->wants)))
		return AGENT_AT_CAPABILITIES;
	if ((*code = agent_set_callbacks()))
		return AGENT_AT_CALLBACKS;
	if ((*code = symbols_begin()))
		return AGENT_AT_MEMORY;
	if ((*code = agent_set_interval(o)))
		return AGENT_AT_INTERVAL;
	__atomic_store_n(&agent.wants, o->wants, __ATOMIC_RELEASE);
	if ((*code = agent_set_events(true, o->wants)))
		return AGENT_AT_EVENTS;
	if ((*code = agent_replay(o->wants, took)))
		return AGENT_AT_REPLAY;
	return AGENT_AT_NOTHING;
}

/*
 * Starts a session.  The lock must be held.  Returns 0 or the -errno of opening
 * the file.
 */
static int agent_start(const char *path, uint64_t session)
{
	enum agent_step step;
	uint64_t took = 0;
	int code = 0;

	/* Probes without a client are being taken back. */
	if (agent.wants && (stream_is_watched() || agent_has_probes())) {
		stream_report_busy(path);
		return 0;
	}
	agent_stop_session();
	code = stream_open(path);
	if (code)
		return code;
	agent.session = session;
	step = agent_begin_session(stream_orders(), &code, &took);
	if (step == AGENT_AT_NOTHING) {
		stream_report(AGENT_RUNS, step, 0, took, agent_jni());
		return 0;
	}
	agent_end_session(AGENT_REFUSED, step, code);
	return 0;
}

/* Returns the part of text that follows word, or NULL. */
static const char *agent_skip_prefix(const char *text, const char *word)
{
	while (*word)
		if (*text++ != *word++)
			return NULL;
	return text;
}

/* Returns a hash (FNV-1a) of a path, which identifies the session. */
static uint64_t agent_hash_path(const char *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (*path)
		hash = (hash ^ (uint8_t)*path++) * UINT64_C(0x100000001b3);
	return hash | 1;
}

/*
 * The JVM calls this function each time it loads the library, on its attach
 * listener.  Failures are in the report: after an error here the JVM would keep
 * the library and claim that it has not (OpenJDK,
 * JvmtiExport::load_agent_library).  The errno is returned only if there is no
 * file for a report.
 */
__attribute__((visibility("default"))) int
Agent_OnAttach(jvm_table *vm, const char *options, void *reserved);

__attribute__((visibility("default"))) int
Agent_OnAttach(jvm_table *vm, const char *options, void *reserved)
{
	const char *path;
	int code = 0;

	(void)reserved;
	if (!options || agent_skip_prefix(options, AGENT_PREPARE) ||
	    !system_wait(&agent.lock))
		return 0;
	agent.vm = vm;
	if ((path = agent_skip_prefix(options, AGENT_KEEP)))
		system_call(SYSTEM_OPENAT, SYSTEM_AT_FDCWD, (long)path,
			    SYSTEM_O_NOFOLLOW | SYSTEM_O_CLOEXEC, 0, 0, 0);
	else if ((path = agent_skip_prefix(options, AGENT_START)))
		code = agent_start(path, agent_hash_path(path));
	else if ((path = agent_skip_prefix(options, AGENT_STOP)) &&
		 agent.session == agent_hash_path(path))
		agent_stop_session();
	system_unlock(&agent.lock);
	return -code;
}

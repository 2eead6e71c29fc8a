/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the JVM's reports about compiled, generated and unloaded code into
 * records of the stream (agent_protocol.h).
 */

#include "jvmti/agent/agent.h"
#include "jvmti/agent/agent_record.h"
#include "jvmti/agent/agent_stream.h"
#include "jvmti/agent/agent_system.h"

#define SCRATCH     ((size_t)1 << 20) /* bytes of one event's records */
#define KNOWN       ((size_t)1 << 16) /* number of methods; a power of two */
#define KNOWN_MOST  (KNOWN / 4 * 3)
#define LINES_MOST  4096 /* lines of a method */
#define FRAMES_MOST 1024 /* methods active at one place */
#define LAST        32
#define SMALL       (RECORD_NAME + 64)

struct known {
	void *method; /* NULL = free */
	uint32_t number;
};

static struct {
	int lock;
	uint8_t *scratch;
	struct known *known; /* KNOWN entries */
	size_t known_count;
	uint32_t numbers;
	uint64_t losses; /* losses of the stream when `known` was cleared */
} symbols;

static struct known *symbols_find_slot(void *method)
{
	size_t at = ((uintptr_t)method * UINT64_C(0x9e3779b97f4a7c15)) >> 48;

	while (symbols.known[at].method && symbols.known[at].method != method)
		at = (at + 1) & (KNOWN - 1);
	return &symbols.known[at];
}

static void record_put_lines(jvm_table *env, void *method, struct record *r)
{
	struct jvmti_line *lines = NULL, last = { 0, 0 };
	int32_t count = 0;

	if (!agent_wants(AGENT_LINES) ||
	    jvmti_lines(env, method, &count, &lines) || !lines)
		count = 0;
	if (count > LINES_MOST)
		count = LINES_MOST;
	record_put(r, (uint64_t)count);
	for (int32_t i = 0; i < count; i++) {
		record_put_signed(r, lines[i].start - last.start);
		record_put_signed(r, (int64_t)lines[i].line - last.line);
		last = lines[i];
	}
	jvmti_deallocate(env, lines);
}

static void record_put_method(jvm_table *env, jvm_table *jni, void *method,
			      uint32_t number, struct record *r)
{
	char *name = NULL, *signature = NULL, *class_name = NULL;
	uint8_t *begin = record_begin(r, AGENT_METHOD);
	void *class = NULL;

	if (jvmti_method_name(env, method, &name, &signature))
		name = signature = NULL;
	if (jvmti_declaring_class(env, method, &class) == 0 && class) {
		if (jvmti_class_signature(env, class, &class_name))
			class_name = NULL;
		if (jni)
			jni_delete_local(jni, class);
	}
	record_put(r, number);
	record_put_text(r, class_name);
	record_put_text(r, name);
	record_put_text(r, signature);
	record_put_lines(env, method, r);
	record_end(r, begin);
	jvmti_deallocate(env, name);
	jvmti_deallocate(env, signature);
	jvmti_deallocate(env, class_name);
}

/* The parts of the record of one event. */
struct load {
	jvm_table *env, *jni;
	void *method;
	const void *code;
	int32_t size;
	const struct jvmti_compile_record *records;
	uint64_t time_ns;
	struct record methods, code_record;
	unsigned method_count; /* number of methods added */
	/*
	 * The methods of the preceding place, outermost first: most are the
	 * same.
	 */
	struct known last[LAST];
};

/*
 * Returns a method's number; reports the method to the client first if needed.
 */
static uint32_t symbols_number_method(struct load *l, void *method)
{
	struct known *k = symbols_find_slot(method);

	if (k->method || symbols.known_count >= KNOWN_MOST)
		return k->number;
	k->method = method;
	k->number = ++symbols.numbers;
	symbols.known_count++;
	l->method_count++;
	record_put_method(l->env, l->jni, method, k->number, &l->methods);
	return k->number;
}

static const struct jvmti_inline_record *
record_next_inlining(const struct jvmti_compile_record **at)
{
	const struct jvmti_compile_record *record = *at;

	while (record && record->kind != JVMTI_INLINE_INFO)
		record = record->next;
	*at = record ? record->next : NULL;
	return (const struct jvmti_inline_record *)record;
}

static int32_t record_frames(const struct jvmti_pc *pc)
{
	return pc->count < 0 || pc->count > FRAMES_MOST ? 0 : pc->count;
}

static void record_put_place(struct load *l, const struct jvmti_pc *pc,
			     const void *before)
{
	int32_t count = record_frames(pc);

	record_put_signed(&l->code_record,
			  (const char *)pc->pc - (const char *)before);
	record_put(&l->code_record, (uint64_t)count);
	for (int32_t i = 0; i < count; i++) {
		int32_t depth = count - 1 - i;
		struct known *last = &l->last[depth < LAST ? depth : 0];

		if (last->method != pc->methods[i]) {
			last->method = pc->methods[i];
			last->number = symbols_number_method(l, pc->methods[i]);
		}
		record_put(&l->code_record, last->number);
		record_put_signed(&l->code_record, pc->bcis[i]);
	}
}

static void record_put_places(struct load *l)
{
	const struct jvmti_compile_record *at = l->records;
	const struct jvmti_inline_record *inlining;
	const void *before = l->code;
	uint64_t count = 0;

	while ((inlining = record_next_inlining(&at)))
		count += inlining->count > 0 ? (uint64_t)inlining->count : 0;
	record_put(&l->code_record, count);
	at = l->records;
	while ((inlining = record_next_inlining(&at))) {
		for (int32_t i = 0; i < inlining->count; i++) {
			record_put_place(l, &inlining->pcs[i], before);
			before = inlining->pcs[i].pc;
		}
	}
}

/*
 * Builds the records: methods in one half of the memory, the code in the other.
 */
static void record_put_load(struct load *l, bool with_places)
{
	uint8_t *begin;

	l->methods = record_over(symbols.scratch, SCRATCH / 2);
	l->code_record = record_over(symbols.scratch + SCRATCH / 2,
				     SCRATCH / 2);
	l->method_count = 0;
	begin = record_begin(&l->code_record, AGENT_LOAD);
	record_put(&l->code_record, l->time_ns);
	record_put(&l->code_record, (uint64_t)l->code);
	record_put(&l->code_record, (uint64_t)(uint32_t)l->size);
	record_put(&l->code_record, symbols_number_method(l, l->method));
	if (with_places)
		record_put_places(l);
	else
		record_put(&l->code_record, 0);
	record_end(&l->code_record, begin);
}

/* Clears the table: all methods are reported again, with new numbers. */
static void symbols_forget(void)
{
	memset(symbols.known, 0, KNOWN * sizeof(*symbols.known));
	symbols.known_count = 0;
	symbols.losses = stream_losses();
}

/* Reports loaded code.  The lock must be held. */
static void symbols_report_load(struct load *l)
{
	size_t methods, code;

	if (symbols.known_count >= KNOWN_MOST ||
	    symbols.losses != stream_losses())
		symbols_forget();
	record_put_load(l, true);
	if (l->methods.is_full || l->code_record.is_full ||
	    symbols.known_count >= KNOWN_MOST) {
		stream_cut();
		symbols_forget();
		record_put_load(l, false);
	}
	methods = (size_t)(l->methods.at - l->methods.begin);
	code = (size_t)(l->code_record.at - l->code_record.begin);
	memmove(l->methods.at, l->code_record.begin, code);
	stream_add(l->methods.begin, methods + code, STREAM_LOADS,
		   l->method_count, l->time_ns == 0);
}

void symbols_loaded(jvm_table *env, void *method, int32_t size,
		    const void *code, int32_t map_length, const void *map,
		    const struct jvmti_compile_record *records)
{
	struct load l = {
		.env = env,
		.method = method,
		.code = code,
		.size = size,
		.records = records,
	};

	(void)map_length;
	(void)map;
	if (!agent_wants(AGENT_SYMBOLS))
		return;
	l.jni = agent_jni();
	l.time_ns = agent_is_replaying() ? 0 : system_now();
	if (system_wait(&symbols.lock)) {
		if (symbols.scratch)
			symbols_report_load(&l);
		system_unlock(&symbols.lock);
	} else {
		stream_delay();
	}
	agent_check_client();
}

void symbols_unloaded(jvm_table *env, void *method, const void *code)
{
	uint8_t bytes[64];
	struct record r = record_over(bytes, sizeof(bytes));
	uint8_t *begin = record_begin(&r, AGENT_UNLOAD);

	(void)env;
	(void)method;
	if (!agent_wants(AGENT_SYMBOLS))
		return;
	record_put(&r, system_now());
	record_put(&r, (uint64_t)code);
	record_end(&r, begin);
	stream_add(bytes, (size_t)(r.at - bytes), STREAM_UNLOADS, 0, false);
	agent_check_client();
}

void symbols_generated(jvm_table *env, const char *name, const void *code,
		       int32_t size)
{
	uint8_t bytes[SMALL];
	struct record r = record_over(bytes, sizeof(bytes));
	uint8_t *begin = record_begin(&r, AGENT_GENERATED);
	bool is_old = agent_is_replaying();

	(void)env;
	if (!agent_wants(AGENT_SYMBOLS))
		return;
	record_put(&r, is_old ? 0 : system_now());
	record_put(&r, (uint64_t)code);
	record_put(&r, (uint64_t)(uint32_t)size);
	record_put_text(&r, name);
	record_end(&r, begin);
	stream_add(bytes, (size_t)(r.at - bytes), STREAM_GENERATED, 0, is_old);
	agent_check_client();
}

/* Allocates the memory.  The lock must be held. */
static int symbols_allocate(void)
{
	int code = 0;

	if (!symbols.scratch)
		symbols.scratch = system_map(SCRATCH, &code);
	if (!symbols.known && !code)
		symbols.known = system_map(KNOWN * sizeof(*symbols.known),
					   &code);
	if (code)
		return code;
	symbols.numbers = 0;
	if (symbols.known_count)
		symbols_forget();
	symbols.losses = stream_losses();
	return 0;
}

int symbols_begin(void)
{
	int code;

	if (!system_wait(&symbols.lock))
		return SYSTEM_EBUSY;
	code = symbols_allocate();
	system_unlock(&symbols.lock);
	return code;
}

bool symbols_end(void)
{
	if (!system_wait(&symbols.lock))
		return false;
	system_unmap(symbols.scratch, SCRATCH);
	system_unmap(symbols.known, KNOWN * sizeof(*symbols.known));
	symbols.scratch = NULL;
	symbols.known = NULL;
	symbols.known_count = 0;
	system_unlock(&symbols.lock);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The helper class and the memory that woven code counts into.
 *
 * The class can be defined once in a JVM, and its BASE is a constant of
 * compiled code.  So the first session reserves addresses for all ids, forever;
 * each session maps its shared memory over a part of them.  An agent of another
 * version in the same JVM uses the same class and addresses, if their layout is
 * the same; a new layout needs a new name of the class (WEAVE_HELPER).
 */
#include "jvmti/agent/agent_probes.h"
#include "jvmti/agent/agent_stream.h"
#include "jvmti/agent/agent_system.h"
#include "jvmti/agent/agent_weave.h"

#define PAGE  4096
#define JDK_9 0x00090000 /* GetVersion of JNI */

/* The private page before the control page. */
struct helper_owner {
	uint64_t magic;
	int lock;             /* held by the agent that has a session */
	uint32_t next_id;     /* of the next session */
	uint32_t has_changed; /* 1: a session has changed classes */
};

#define RESERVED ((size_t)PAGE + PROBE_BASE + (size_t)PROBE_MAX * PROBE_SLOT)

static struct {
	void *class; /* global reference */
	void *kinds; /* global reference of the array */
	uint8_t *base;
	struct helper_owner *owner;
	bool is_owned;
	int fd; /* descriptor + 1 */
	uint32_t first_id, ids;
} helper;

struct probe_control *helper_control(void)
{
	return helper.fd ? (struct probe_control *)(helper.base - PROBE_BASE)
			 : NULL;
}

const uint8_t *helper_request(void)
{
	return helper.base - PROBE_BASE + PROBE_CONTROL;
}

void helper_note_change(void) { helper.owner->has_changed = 1; }

int helper_fd(void) { return helper.fd - 1; }

/* ---- the class ---- */

void *helper_define(jvm_table *jni, const struct helper_class *c)
{
	int version = ((int (*)(jvm_table *))(*jni)[JNI_GET_VERSION])(jni);
	bool is_modern = version >= JDK_9;
	void *ref, *class = jni_define_class(
			   jni, c->name, is_modern ? c->jdk9 : c->jdk8,
			   (int)(is_modern ? c->jdk9_end - c->jdk9
					   : c->jdk8_end - c->jdk8));

	/* Another agent has defined it. */
	if (jni_clear(jni) || !class) {
		class = jni_find_class(jni, c->name);
		if (jni_clear(jni) || !class)
			return NULL;
	}
	ref = jni_ref(jni, JNI_NEW_GLOBAL_REF, class);
	jni_delete_local(jni, class);
	return ref;
}

void *helper_field_of(jvm_table *jni, void *class, const char *name,
		      const char *type)
{
	void *field = jni_member(jni, JNI_GET_STATIC_FIELD_ID, class, name,
				 type);

	return jni_clear(jni) ? NULL : field;
}

static void *helper_field(jvm_table *jni, const char *name, const char *type)
{
	return helper_field_of(jni, helper.class, name, type);
}

/* The class file, which the Makefile includes. */
extern const uint8_t jdk8_SjkcProbe_start[], jdk8_SjkcProbe_end[],
	jdk9_SjkcProbe_start[], jdk9_SjkcProbe_end[];

static bool helper_find_class(jvm_table *jni)
{
	const struct helper_class class = { WEAVE_HELPER, jdk8_SjkcProbe_start,
					    jdk8_SjkcProbe_end,
					    jdk9_SjkcProbe_start,
					    jdk9_SjkcProbe_end };
	void *field, *kinds;

	if (helper.kinds)
		return true;
	if (!helper.class)
		helper.class = helper_define(jni, &class);
	field = helper.class ? helper_field(jni, "KINDS", "[Ljava/lang/Class;")
			     : NULL;
	if (!field)
		return false;
	kinds = JNI_CALL(jni, JNI_GET_STATIC_OBJECT_FIELD, void *, void *,
			 void *)(jni, helper.class, field);
	helper.kinds = jni_ref(jni, JNI_NEW_GLOBAL_REF, kinds);
	jni_delete_local(jni, kinds);
	return helper.kinds != NULL;
}

void helper_set_kind(jvm_table *jni, int kind, void *class)
{
	JNI_CALL(jni, JNI_SET_OBJECT_ARRAY_ELEMENT, void, void *, int, void *)
	(jni, helper.kinds, kind, class);
	jni_clear(jni);
}

bool helper_loader_finds(jvm_table *jni, void *loader, const char *name,
			 void *class)
{
	void *type = jni_class_of(jni, class), *found = NULL;
	void *method = jni_member(jni, JNI_GET_STATIC_METHOD_ID, type,
				  "forName",
				  "(Ljava/lang/String;ZLjava/lang/"
				  "ClassLoader;)Ljava/lang/Class;");
	void *text = JNI_CALL(jni, JNI_NEW_STRING_UTF, void *,
			      const char *)(jni, name);
	union jni_value args[3] = { { .l = text },
				    { .i = 0 },
				    { .l = loader } };
	bool is_found = false;

	if (!jni_clear(jni) && method && text)
		found = JNI_CALL(jni, JNI_CALL_STATIC_OBJECT_METHOD_A, void *,
				 void *, void *, const union jni_value *)(
			jni, type, method, args);
	if (!jni_clear(jni) && found)
		is_found = jni_is_same(jni, found, class);
	if (found)
		jni_delete_local(jni, found);
	if (text)
		jni_delete_local(jni, text);
	jni_delete_local(jni, type);
	return is_found;
}

bool helper_is_found(jvm_table *jni, void *loader)
{
	return helper_loader_finds(jni, loader, "java.lang.SjkcProbe",
				   helper.class);
}

/* ---- the memory ---- */

int helper_map(void *at, size_t size, int fd, size_t offset)
{
	long flags = SYSTEM_MAP_FIXED | SYSTEM_MAP_NORESERVE |
		     (fd < 0 ? SYSTEM_MAP_PRIVATE_ANONYMOUS
			     : SYSTEM_MAP_SHARED);
	long ret = system_call(SYSTEM_MMAP, (long)at, (long)size,
			       SYSTEM_PROT_READ_WRITE, flags, fd, (long)offset);

	return ret < 0 && ret > -4096 ? (int)-ret : 0;
}

/* Finds or reserves the addresses; BASE must be set before the first use. */
static int helper_reserve(jvm_table *jni)
{
	void *field = helper_field(jni, "BASE", "J");
	uint8_t *base;
	int code;
	long at;

	if (helper.owner)
		return 0;
	if (!field)
		return SYSTEM_EBUSY;
	base = (uint8_t *)JNI_CALL(jni, JNI_GET_STATIC_LONG_FIELD, int64_t,
				   void *, void *)(jni, helper.class, field);
	if (!base) {
		/* Sessions map their parts. The JVM is not charged for the
		 * rest. */
		at = system_call(
			SYSTEM_MMAP, 0, (long)RESERVED, SYSTEM_PROT_NONE,
			SYSTEM_MAP_PRIVATE_ANONYMOUS | SYSTEM_MAP_NORESERVE, -1,
			0);
		if (at < 0 && at > -4096)
			return (int)-at;
		code = helper_map((void *)at, PAGE, -1, 0);
		if (code)
			return code;
		*(uint64_t *)at = PROBE_MAGIC;
		base = (uint8_t *)at + PAGE + PROBE_BASE;
		JNI_CALL(jni, JNI_SET_STATIC_LONG_FIELD, void, void *, void *,
			 int64_t)
		(jni, helper.class, field, (int64_t)base);
	}
	/* Memory of another layout stays refused. */
	if (*(uint64_t *)(base - PROBE_BASE - PAGE) != PROBE_MAGIC)
		return SYSTEM_EBUSY;
	helper.base = base;
	helper.owner = (struct helper_owner *)(base - PROBE_BASE - PAGE);
	return 0;
}

/* Takes the next ids, so that code of earlier sessions has others. */
static void helper_take_ids(uint32_t ids)
{
	ids = (ids + PROBE_ROUND - 1) / PROBE_ROUND * PROBE_ROUND;
	if (ids == 0)
		ids = PROBE_ROUND;
	if (ids > PROBE_MAX)
		ids = PROBE_MAX;
	if (helper.owner->next_id + ids > PROBE_MAX)
		helper.owner->next_id = 0;
	helper.first_id = helper.owner->next_id;
	helper.ids = ids;
	helper.owner->next_id += ids;
}

static uint8_t *helper_slots(void)
{
	return helper.base + (size_t)helper.first_id * PROBE_SLOT;
}

static size_t helper_slots_size(void)
{
	return (size_t)helper.ids * PROBE_SLOT;
}

/* Replaces the shared memory by private memory, in one step for each part. */
static int helper_unmap(void)
{
	int code = helper_map(helper.base - PROBE_BASE, PROBE_BASE, -1, 0);

	return code ? code
		    : helper_map(helper_slots(), helper_slots_size(), -1, 0);
}

static int helper_create_memory(void)
{
	size_t size = PROBE_BASE + helper_slots_size();
	long fd = system_call(SYSTEM_MEMFD_CREATE, (long)"sjkc-probes",
			      SYSTEM_MFD_CLOEXEC_SEALING, 0, 0, 0, 0);
	long ret;

	if (fd < 0)
		return (int)-fd;
	helper.fd = (int)fd + 1;
	ret = system_call(SYSTEM_FTRUNCATE, fd, (long)size, 0, 0, 0, 0);
	if (ret == 0)
		ret = system_call(SYSTEM_FCNTL, fd, SYSTEM_F_ADD_SEALS,
				  SYSTEM_SEAL_SIZE, 0, 0, 0);
	return (int)-ret;
}

static int helper_share_memory(void)
{
	struct probe_control *c;
	int64_t *thresholds = (int64_t *)helper.base;
	int code = helper_create_memory();

	if (!code)
		code = helper_map(helper.base - PROBE_BASE, PROBE_BASE,
				  helper.fd - 1, 0);
	if (!code)
		code = helper_map(helper_slots(), helper_slots_size(),
				  helper.fd - 1, PROBE_BASE);
	if (code)
		return code;
	for (int i = 1; i <= PROBE_MAX; i++)
		thresholds[-i] = PROBE_NEVER;
	c = helper_control();
	c->version = PROBE_VERSION;
	c->first_id = helper.first_id;
	c->ids = helper.ids;
	c->slots_at = PROBE_BASE;
	c->changed_before = helper.owner->has_changed;
	__atomic_store_n(&c->magic, PROBE_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

static void helper_close(void)
{
	if (helper.fd) {
		helper_unmap();
		system_call(SYSTEM_CLOSE, helper.fd - 1, 0, 0, 0, 0, 0);
	}
	helper.fd = 0;
	if (helper.is_owned)
		system_unlock(&helper.owner->lock);
	helper.is_owned = false;
}

static bool helper_try_kind(jvm_table *jni)
{
	void *method = jni_member(jni, JNI_GET_STATIC_METHOD_ID, helper.class,
				  "kind0", "(JLjava/lang/Class;)I");
	union jni_value args[2] = { { .j = (int64_t)&calls_functions } };

	if (jni_clear(jni) || !method)
		return false;
	JNI_CALL(jni, JNI_CALL_STATIC_INT_METHOD_A, int, void *, void *,
		 const union jni_value *)
	(jni, helper.class, method, args);
	return !jni_clear(jni);
}

/*
 * Calls the natives as woven code would.  If the JVM does not link it now,
 * woven code would throw UnsatisfiedLinkError into the application.
 */
static bool helper_try_natives(jvm_table *jni)
{
	static const struct {
		const char *name, *type;
	} natives[] = {
		{ "call0", "(JIJLjava/lang/Throwable;I)V" },
		{ "value0", "(JIJ)V" },
		{ "object0", "(JILjava/lang/Object;)V" },
	};
	union jni_value args[5] = { { .j = (int64_t)&calls_functions },
				    { .i = PROBE_TRIAL } };

	for (size_t i = 0; i < sizeof(natives) / sizeof(*natives); i++) {
		void *method = jni_member(jni, JNI_GET_STATIC_METHOD_ID,
					  helper.class, natives[i].name,
					  natives[i].type);

		if (jni_clear(jni) || !method)
			return false;
		JNI_CALL(jni, JNI_CALL_STATIC_VOID_METHOD_A, void, void *,
			 void *, const union jni_value *)
		(jni, helper.class, method, args);
		if (jni_clear(jni))
			return false;
	}
	return calls_were_tried() && helper_try_kind(jni);
}

static void helper_set_table(jvm_table *jni, void *field)
{
	JNI_CALL(jni, JNI_SET_STATIC_LONG_FIELD, void, void *, void *, int64_t)
	(jni, helper.class, field, (int64_t)&calls_functions);
}

enum agent_step helper_begin(jvm_table *jni, uint32_t ids, int *code,
			     bool *is_busy)
{
	void *table;

	*is_busy = false;
	if (!helper_find_class(jni))
		return AGENT_AT_HELPER;
	*code = helper_reserve(jni);
	if (*code)
		return AGENT_AT_MEMORY;
	*is_busy = !system_try(&helper.owner->lock);
	if (*is_busy)
		return AGENT_AT_HELPER;
	helper.is_owned = true;
	helper_take_ids(ids);
	table = helper_field(jni, "TABLE", "J");
	if (!table) {
		helper_close();
		return AGENT_AT_HELPER;
	}
	helper_set_table(jni, table);
	*code = helper_share_memory();
	if (*code) {
		helper_close();
		return AGENT_AT_MEMORY;
	}
	if (helper_try_natives(jni))
		return AGENT_AT_NOTHING;
	helper_close();
	return AGENT_AT_NATIVES;
}

void helper_end(jvm_table *jni)
{
	(void)jni;
	helper_close();
}

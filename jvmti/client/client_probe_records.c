/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_probes.h"

#include "core/base/ascii.h"
#include "core/base/clock.h"
#include "core/base/text.h"

#include <string.h>

/* Appends the name of a type as in Java: "[I" is "int[]". */
static void name_put(struct text *out, const char *signature, size_t len)
{
	static const char primitives[] = "BbyteCcharDdoubleFfloatIintJlong"
					 "SshortZboolean";
	size_t dimensions = 0;
	const char *at;

	while (dimensions < len && signature[dimensions] == '[')
		dimensions++;
	signature += dimensions;
	len -= dimensions;
	if (len >= 2 && *signature == 'L' && signature[len - 1] == ';') {
		for (size_t i = 1; i < len - 1; i++)
			text_putc(out,
				  signature[i] == '/' ? '.' : signature[i]);
	} else if (len == 1 && dimensions &&
		   (at = strchr(primitives, *signature))) {
		for (at++; *at >= 'a' && *at <= 'z'; at++)
			text_putc(out, *at);
	} else {
		text_add(out, signature, len);
	}
	while (dimensions--)
		text_puts(out, "[]");
}

const char *probe_record_name(struct arena *a, const char *signature)
{
	struct text t = { 0 };
	const char *name;

	text_puts(&t, "");
	name_put(&t, signature, strlen(signature));
	name = arena_copy(a, t.bytes, t.len);
	text_release(&t);
	return name;
}

const char *probe_record_text(struct cursor *r, struct arena *a)
{
	uint64_t len = cursor_varint(r);
	const uint8_t *bytes = cursor_bytes(r, len);

	/* A NUL would hide the rest; modified UTF-8 has none. */
	return arena_copy(a, bytes ? bytes : (const uint8_t *)"",
			  bytes ? strnlen((const char *)bytes, len) : 0);
}

static int64_t record_signed(struct cursor *r)
{
	uint64_t value = cursor_varint(r);

	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

static bool call_read_value(struct cursor *r, struct arena *a,
			    struct probe_value *v)
{
	uint64_t bits;

	v->kind = cursor_u8(r);
	switch (v->kind) {
	case PROBE_NULL:
		break;
	case PROBE_LONG:
		v->number = record_signed(r);
		break;
	case PROBE_BOOLEAN:
	case PROBE_CHAR:
		v->number = (int64_t)cursor_varint(r);
		break;
	case PROBE_DOUBLE:
		bits = cursor_varint(r);
		memcpy(&v->real, &bits, sizeof(bits));
		break;
	case PROBE_STRING:
		v->number = (int64_t)cursor_varint(r);
		v->text = probe_record_text(r, a);
		break;
	case PROBE_OBJECT:
		v->text = probe_record_name(a, probe_record_text(r, a));
		break;
	default:
		return false;
	}
	return cursor_ok(r);
}

static bool call_read_frames(struct cursor *r, struct arena *a,
			     struct probe_call *call)
{
	size_t count = cursor_count(r, 3);

	for (size_t i = 0; i < count && i < PROBE_FRAMES; i++) {
		struct probe_frame *f = &call->frames[i];

		f->class_name = probe_record_name(a, probe_record_text(r, a));
		f->method = probe_record_text(r, a);
		f->line = (int32_t)record_signed(r);
		call->frame_count = i + 1;
	}
	return cursor_ok(r);
}

bool probe_record_call(struct cursor *r, struct arena *a, uint64_t *id,
		       uint64_t *kind, struct probe_call *call)
{
	size_t count;

	memset(call, 0, sizeof(*call));
	cursor_u8(r);
	*id = cursor_varint(r);
	call->start_ns = (int64_t)cursor_varint(r);
	call->ns = (int64_t)cursor_varint(r);
	call->tid = (uint32_t)cursor_varint(r);
	call->thread = probe_record_text(r, a);
	call->thread_id = cursor_varint(r);
	*kind = cursor_varint(r);
	count = cursor_count(r, 1);
	if (count > PROBE_ARGUMENTS)
		return false;
	for (; call->argument_count < count; call->argument_count++)
		if (!call_read_value(r, a,
				     &call->arguments[call->argument_count]))
			return false;
	return call_read_frames(r, a, call);
}

/* ---- texts ---- */

/* Why RetransformClasses refuses a class (JVMTI, "Retransform Classes"). */
static const char *refusal_by_jvm(int32_t code)
{
	static const struct {
		int32_t code;
		const char *text;
	} reasons[] = {
		{ 60, "another agent produces a malformed class" },
		{ 61, "another agent makes the class its own superclass" },
		{ 62, "the changed bytecode fails verification" },
		{ 63, "another agent adds a method at each change" },
		{ 64, "another agent adds or removes a field at each change" },
		{ 66, "another agent changes its superclass or interfaces" },
		{ 67, "another agent removes a method at each change" },
		{ 68, "another agent changes its class file version" },
		{ 69, "another agent changes its name" },
		{ 70, "another agent changes its access flags" },
		{ 71, "another agent changes the access flags of a method" },
		{ 72, "another agent changes its nest or record attributes" },
		{ 79, "the JVM does not allow changes of its class" },
		{ 110, "the JVM is out of memory" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].code == code)
			return reasons[i].text;
	return NULL;
}

bool probe_refusal_add(const struct probe_method *m, struct text *out)
{
	static const char *const texts[PROBE_REFUSALS] = {
		[PROBE_IS_NATIVE] = "it is native; use a uprobe on its library",
		[PROBE_IS_ABSTRACT] = "it is abstract; select implementations "
				      "with +CLASS.METHOD",
		[PROBE_IS_INITIALIZER] = "it is a class initializer, which "
					 "runs once",
		[PROBE_IS_USED] = "the probes themselves call it",
		[PROBE_IS_FIXED] = "the JVM does not allow changes of its "
				   "class",
		[PROBE_IS_UNLOADED] = "its class has been unloaded",
		[PROBE_IS_MISSING] = "the class file has no such method",
		[PROBE_CODE_TOO_LARGE] = "its code would exceed 64 KiB",
		[PROBE_POOL_TOO_LARGE] = "its class would have more than "
					 "65,535 constants",
		[PROBE_FRAME_TOO_LARGE] = "its stack frame has too many "
					  "variables",
		[PROBE_CLASS_BAD] = "its class file is unreadable",
		[PROBE_MEMORY_SHORT] = "the sjkc agent is out of memory",
		[PROBE_JVM_REFUSED] = "the JVM refused the changed class",
		[PROBE_IS_HUGE] = "its code would exceed 8,000 bytes, which "
				  "the JVM does not compile; select its "
				  "callers",
		[PROBE_IS_HIDDEN] = "its class loader does not find the class "
				    "that counts calls",
		[PROBE_IS_SILENT] = "its class loader does not respond",
	};
	const char *cause = refusal_by_jvm(m->code);

	if (m->refusal == PROBE_ARMED)
		return false;
	text_puts(out, (unsigned)m->refusal < PROBE_REFUSALS
			       ? texts[m->refusal]
			       : "the sjkc agent gives an unknown reason");
	if (m->refusal == PROBE_JVM_REFUSED && cause)
		text_printf(out, ": %s", cause);
	if (m->refusal == PROBE_JVM_REFUSED && m->code)
		text_printf(out, " (JVMTI error %d)", (int)m->code);
	return true;
}

bool probe_class_is_system(const struct probe_class *c)
{
	return has_any(c->name, "java.|javax.|jdk.|sun.|com.sun.", true);
}

/* ---- estimates ---- */

/*
 * The JVM visits all loaded classes and all compiled code.  Measured with 500
 * loaded classes: 1 to 13 ms; with 3,500: 21 to 270 ms, the first change of a
 * JVM being the longest; for each of 1,000 changed classes 0.2 to 0.5 ms more.
 */
int64_t probes_estimate_pause(size_t classes, size_t loaded)
{
	return 5 * CLOCK_NS_PER_MS +
	       (int64_t)loaded * (75 * CLOCK_NS_PER_MS / 1000) +
	       (int64_t)classes * (CLOCK_NS_PER_MS / 2);
}

uint64_t probe_counts_quantile(const struct probe_counts *c, double part)
{
	double wanted = part * (double)c->calls, below = 0;

	for (size_t b = 0; b < PROBE_BUCKETS; b++) {
		double here = (double)c->buckets[b], value;
		double from = b ? (double)(UINT64_C(1) << (b - 1)) : 0;

		if (here <= 0 || below + here < wanted) {
			below += here;
			continue;
		}
		value = from + from * ((wanted - below) / here);
		return value < (double)c->max_ns ? (uint64_t)value : c->max_ns;
	}
	return c->calls ? c->max_ns : 0;
}

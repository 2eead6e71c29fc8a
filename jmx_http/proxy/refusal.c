/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/refusal.h"

#include "jmx_http/java/java_writer.h"

#include <string.h>

#define MESSAGE_RETURN   0x51
#define RETURN_VALUE     1
#define RETURN_EXCEPTION 2
#define HEAD_LEN         (1 + JRMP_ACK_LEN)

/* A class of an exception without fields of its own, or with `detail`. */
struct exception_class {
	const char *name;
	uint64_t suid;
	const struct exception_class *above; /* NULL: Throwable */
	bool has_detail; /* of java.rmi.RemoteException: a Throwable */
};

/* serialVersionUIDs as JDK 17's serialver says them. */
static const struct exception_class exception = { "java.lang.Exception",
						  0xd0fd1f3e1a3b1cc4u, NULL,
						  false };
static const struct exception_class runtime_exception = {
	"java.lang.RuntimeException", 0x9e5f06470a3483e5u, &exception, false
};
static const struct exception_class security_exception = {
	"java.lang.SecurityException", 0x5f74dc826f65d637u, &runtime_exception,
	false
};
static const struct exception_class io_exception = { "java.io.IOException",
						     0x6c8073646525f0abu,
						     &exception, false };
static const struct exception_class remote_exception = {
	"java.rmi.RemoteException", 0xb88c9d4edee47a22u, &io_exception, true
};
static const struct exception_class connect_exception = {
	"java.rmi.ConnectException", 0x437ecd31cad3515au, &remote_exception,
	false
};
static const struct exception_class not_bound_exception = {
	"java.rmi.NotBoundException", 0xe637f9a72d7c3afbu, &exception, false
};

static const struct exception_class *const classes[] = {
	[REFUSAL_SECURITY] = &security_exception,
	[REFUSAL_UNREACHABLE] = &connect_exception,
	[REFUSAL_NOT_BOUND] = &not_bound_exception,
};

static void add_head(struct text *out, int type)
{
	static const uint8_t no_id[JRMP_ACK_LEN];

	text_putc(out, MESSAGE_RETURN);
	java_write_header(out);
	java_write_block(out, HEAD_LEN);
	text_putc(out, (char)type);
	text_add(out, no_id, sizeof(no_id));
}

void refusal_add_head(struct text *out) { add_head(out, RETURN_VALUE); }

static void add_utf(struct text *out, const char *text)
{
	java_write_u16(out, (uint16_t)strlen(text));
	text_puts(out, text);
}

static void add_class(struct text *out, const char *name, uint64_t suid,
		      int flags, int field_count)
{
	text_putc(out, 'r'); /* TC_CLASSDESC */
	add_utf(out, name);
	java_write_u64(out, suid);
	text_putc(out, (char)flags);
	java_write_u16(out, (uint16_t)field_count);
}

static void add_field(struct text *out, char type, const char *name,
		      const char *signature)
{
	text_putc(out, type);
	add_utf(out, name);
	java_write_string(out, signature, strlen(signature));
}

/* Of RMI's streams: no location; the class above follows. */
static void end_class(struct text *out) { text_puts(out, "px"); }

static void add_throwable_class(struct text *out)
{
	add_class(out, "java.lang.Throwable", 0xd5c635273977b8cbu,
		  JAVA_SERIALIZABLE | JAVA_WRITE_METHOD, 4);
	add_field(out, 'L', "cause", "Ljava/lang/Throwable;");
	add_field(out, 'L', "detailMessage", "Ljava/lang/String;");
	add_field(out, '[', "stackTrace", "[Ljava/lang/StackTraceElement;");
	add_field(out, 'L', "suppressedExceptions", "Ljava/util/List;");
	end_class(out);
	java_write_null(out);
}

void refusal_add(struct text *out, enum refusal_kind kind, const char *message)
{
	const struct exception_class *class = classes[kind];
	bool has_detail = false;

	add_head(out, RETURN_EXCEPTION);
	text_putc(out, 's'); /* TC_OBJECT */
	for (; class; class = class->above) {
		add_class(out, class->name, class->suid, JAVA_SERIALIZABLE,
			  class->has_detail);
		if (class->has_detail)
			add_field(out, 'L', "detail", "Ljava/lang/Throwable;");
		has_detail = has_detail || class->has_detail;
		end_class(out);
	}
	add_throwable_class(out);
	java_write_null(out); /* cause */
	java_write_string(out, message, strlen(message));
	java_write_null(out); /* stackTrace */
	java_write_null(out); /* suppressedExceptions */
	text_putc(out, 'x');
	if (has_detail)
		java_write_null(out);
}

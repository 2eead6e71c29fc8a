/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/rmi/rmi_reply.h"

#include <string.h>

#define RETURN_HEAD_LEN (1 + JRMP_ACK_LEN)
#define CLASS_MAX       256
#define CLASSES_MAX     16 /* depth of an exception's class hierarchy */

static void reply_head(struct text *out, int type, uint8_t primitives)
{
	static const uint8_t no_id[JRMP_ACK_LEN];

	text_putc(out, JRMP_RETURN);
	java_write_header(out);
	java_write_block(out, (uint8_t)(RETURN_HEAD_LEN + primitives));
	text_putc(out, (char)type);
	text_add(out, no_id, sizeof(no_id));
}

void rmi_reply_value(struct text *out)
{
	reply_head(out, JRMP_RETURN_VALUE, 0);
}

void rmi_reply_boolean(struct text *out, bool value)
{
	reply_head(out, JRMP_RETURN_VALUE, 1);
	text_putc(out, value);
}

void rmi_reply_void(struct text *out)
{
	text_clear(out);
	rmi_reply_value(out);
}

struct java_output rmi_reply_begin(struct text *out)
{
	rmi_reply_void(out);
	return (struct java_output){ .out = out, .dialect = JAVA_OF_RMI };
}

void rmi_reply_text(struct text *out, const char *text)
{
	struct java_output o = rmi_reply_begin(out);

	java_output_text(&o, text);
	java_output_release(&o);
}

/* Exceptions */

/* The fields of java.lang.Throwable. */
static void exception_write_throwable(struct java_output *o,
				      const char *message)
{
	java_write_null(o->out); /* cause */
	java_output_text(o, message);
	java_write_null(o->out); /* stackTrace */
	java_write_null(o->out); /* suppressedExceptions */
	java_write_end(o->out);
}

/* Only callers' causes nest, one level deep. */
static void exception_write(struct java_output *o,
			    const struct rmi_exception *e)
{
	const struct java_shape *classes[CLASSES_MAX] = { NULL };
	size_t count = 0;

	java_output_object(o, e->shape);
	for (const struct java_shape *s = e->shape; s && count < CLASSES_MAX;
	     s = s->super)
		classes[count++] = s;
	while (count--) {
		if (classes[count] == &java_shape_throwable)
			exception_write_throwable(o, e->message);
		else if (classes[count]->fields[0].name && e->cause)
			exception_write(o, e->cause);
		else if (classes[count]->fields[0].name)
			java_write_null(o->out);
	}
}

void rmi_reply_exception(struct text *out, const struct rmi_exception *e)
{
	struct java_output o = { .out = out, .dialect = JAVA_OF_RMI };

	reply_head(out, JRMP_RETURN_EXCEPTION, 0);
	exception_write(&o, e);
	java_output_release(&o);
}

void rmi_reply_throw(struct text *out, const struct java_shape *shape,
		     const char *message)
{
	const struct rmi_exception e = { .shape = shape, .message = message };

	text_clear(out);
	rmi_reply_exception(out, &e);
}

void rmi_reply_unsupported(struct text *out, const char *what)
{
	struct text message = { 0 };

	text_printf(&message, "sjkc: %s is not available over Jolokia", what);
	rmi_reply_throw(out, &java_shape_unsupported_operation_exception,
			message.bytes);
	text_release(&message);
}

void rmi_reply_error(struct text *out, const struct error *err)
{
	struct text message = { 0 };

	text_printf(&message, "sjkc: %s", err->text);
	rmi_reply_throw(out,
			err->kind == ERROR_PERMISSION
				? &java_shape_security_exception
				: &java_shape_io_exception,
			message.bytes);
	text_release(&message);
}

/* The wrapper in which an MBean server throws an exception. */
enum failure_wrap {
	FAILURE_BARE,
	FAILURE_IN_REFLECTION, /* ReflectionException */
	FAILURE_IN_RUNTIME,    /* RuntimeMBeanException */
};

/* clang-format off */
static const struct {
	const struct java_shape *shape;
	enum failure_wrap wrap;
} failure_classes[] = {
	{ &java_shape_instance_not_found_exception, FAILURE_BARE },
	{ &java_shape_attribute_not_found_exception, FAILURE_BARE },
	{ &java_shape_invalid_attribute_value_exception, FAILURE_BARE },
	{ &java_shape_listener_not_found_exception, FAILURE_BARE },
	{ &java_shape_mbean_exception, FAILURE_BARE },
	{ &java_shape_reflection_exception, FAILURE_BARE },
	{ &java_shape_runtime_mbean_exception, FAILURE_BARE },
	{ &java_shape_runtime_error_exception, FAILURE_BARE },
	{ &java_shape_runtime_operations_exception, FAILURE_BARE },
	{ &java_shape_security_exception, FAILURE_BARE },
	{ &java_shape_no_such_method_exception, FAILURE_IN_REFLECTION },
	{ &java_shape_runtime_exception, FAILURE_IN_RUNTIME },
	{ &java_shape_unsupported_operation_exception, FAILURE_IN_RUNTIME },
	{ &java_shape_illegal_argument_exception, FAILURE_IN_RUNTIME },
	{ &java_shape_illegal_state_exception, FAILURE_IN_RUNTIME },
	{ &java_shape_null_pointer_exception, FAILURE_IN_RUNTIME },
	{ &java_shape_class_cast_exception, FAILURE_IN_RUNTIME },
	{ &java_shape_index_out_of_bounds_exception, FAILURE_IN_RUNTIME },
	{ &java_shape_number_format_exception, FAILURE_IN_RUNTIME },
};
/* clang-format on */

#define FAILURE_CLASSES (sizeof(failure_classes) / sizeof(*failure_classes))

/* Splits "class: message"; the message is NULL if there is none. */
static size_t failure_class(const char *failure, const char **message)
{
	size_t len = strcspn(failure, ": ");

	*message = NULL;
	if (strncmp(failure + len, ": ", 2) == 0)
		*message = failure + len + 2;
	for (size_t i = 0; i < FAILURE_CLASSES; i++) {
		const char *name = failure_classes[i].shape->name;

		if (strlen(name) == len && memcmp(name, failure, len) == 0)
			return i;
	}
	return FAILURE_CLASSES;
}

static void failure_write_unknown(struct text *out, const char *failure,
				  enum error_kind kind, bool declares)
{
	const struct rmi_exception cause = {
		.shape = &java_shape_exception,
		.message = failure,
	};
	struct rmi_exception e = { .message = failure };

	if (kind == ERROR_PERMISSION) {
		e.shape = &java_shape_security_exception;
	} else if (kind == ERROR_MISUSE) {
		e.shape = &java_shape_illegal_argument_exception;
	} else if (declares) {
		e.shape = &java_shape_mbean_exception;
		e.cause = &cause;
	} else {
		e.shape = &java_shape_io_exception;
	}
	rmi_reply_exception(out, &e);
}

/* JMX exceptions with a field for the MBean's exception. */
static bool failure_has_cause(const struct java_shape *shape)
{
	return shape == &java_shape_mbean_exception ||
	       shape == &java_shape_reflection_exception;
}

void rmi_reply_failure(struct text *out, const char *failure,
		       enum error_kind kind, bool declares_mbean_exception)
{
	const char *message;
	size_t i = failure_class(failure, &message);
	struct rmi_exception cause = { .message = message };
	struct rmi_exception e = { .message = message };

	if (i == FAILURE_CLASSES) {
		failure_write_unknown(out, failure, kind,
				      declares_mbean_exception);
		return;
	}
	e.shape = cause.shape = failure_classes[i].shape;
	if (failure_classes[i].wrap == FAILURE_IN_REFLECTION)
		e.shape = &java_shape_reflection_exception;
	else if (failure_classes[i].wrap == FAILURE_IN_RUNTIME)
		e.shape = &java_shape_runtime_mbean_exception;
	else if (e.shape == &java_shape_runtime_error_exception)
		cause.shape = &java_shape_error;
	else if (failure_has_cause(e.shape))
		cause.shape = &java_shape_exception;
	else
		cause.shape = &java_shape_runtime_exception;
	if (e.shape->fields[0].name)
		e.cause = &cause;
	if (e.cause && failure_classes[i].wrap != FAILURE_BARE)
		e.message = failure;
	rmi_reply_exception(out, &e);
}

/* Stubs */

static void stub_write_utf(struct text *out, const char *text)
{
	java_write_u16(out, (uint16_t)strlen(text));
	text_puts(out, text);
}

/* The reference, as java.rmi.server.RemoteObject.writeObject() writes it. */
void rmi_reply_stub(struct text *out, const struct java_shape *class,
		    const char *host, uint16_t port, const struct jrmp_id *id)
{
	struct text data = { 0 };

	stub_write_utf(&data, "UnicastRef");
	stub_write_utf(&data, host);
	java_write_u32(&data, port);
	text_add(&data, id->bytes, sizeof(id->bytes));
	text_putc(&data, 0); /* the receiver need not acknowledge it */
	rmi_reply_value(out);
	java_write_object(out, class, JAVA_OF_RMI);
	java_write_block(out, (uint8_t)data.len);
	text_add(out, data.bytes, data.len);
	java_write_end(out);
	text_release(&data);
}

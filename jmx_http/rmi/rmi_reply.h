/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rmi_reply: writes the returns of RMI calls, values and exceptions.
 *
 * Java RMI Specification, 10.2.  Exceptions have no stack traces.
 */
#ifndef JMX_HTTP_RMI_RMI_REPLY_H
#define JMX_HTTP_RMI_RMI_REPLY_H

#include "core/base/text.h"
#include "jmx_http/java/java_shapes.h"
#include "jmx_http/java/java_writer.h"
#include "jmx_http/rmi/jrmp.h"

#include <stdint.h>

/* Begins the return of a value; the caller writes it to a fresh java_output. */
void rmi_reply_value(struct text *out);

/* Writes the return of a boolean. */
void rmi_reply_boolean(struct text *out, bool value);

/* An exception of a class; message may be NULL. */
struct rmi_exception {
	const struct java_shape *shape;
	const char *message;
	/*
	 * The exception in the field of its class: MBeanException.exception,
	 * RuntimeMBeanException.runtimeException.  NULL: none.
	 */
	const struct rmi_exception *cause;
};

/* Writes the return of an exception. */
void rmi_reply_exception(struct text *out, const struct rmi_exception *e);

/*
 * Writes the exception for a failure as in jmx_reply, "class: message".  An
 * MBean's exception of an unknown class becomes an MBeanException if the method
 * declares it, else an IOException.
 */
void rmi_reply_failure(struct text *out, const char *failure,
		       enum error_kind kind, bool declares_mbean_exception);

/* Writes a stub of the class that leads to an object. */
void rmi_reply_stub(struct text *out, const struct java_shape *class,
		    const char *host, uint16_t port, const struct jrmp_id *id);

/*
 * Each function replaces the contents of out by a return: void, a text, or one
 * whose value the caller writes; an exception of the class, an
 * UnsupportedOperationException (what: a noun), or the exception of a failed
 * connection, which clients check by getDefaultDomain().  The caller calls
 * java_output_release().
 */
void rmi_reply_void(struct text *out);
void rmi_reply_text(struct text *out, const char *text);
struct java_output rmi_reply_begin(struct text *out);
void rmi_reply_throw(struct text *out, const struct java_shape *shape,
		     const char *message);
void rmi_reply_unsupported(struct text *out, const char *what);
void rmi_reply_error(struct text *out, const struct error *err);

#endif

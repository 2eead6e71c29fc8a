/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx: a connection to a JVM's MBeans, whatever carries it.
 *
 * One call, jmx_run(), makes any number of requests in as few round trips as
 * the carrier allows: RMI sends many requests before it reads the first reply,
 * HTTP sends them in one body.  jmx_run() passes each reply to a callback when
 * it arrives, in the order of the requests, and keeps none.
 */
#ifndef JMX_HTTP_JMX_H
#define JMX_HTTP_JMX_H

#include "core/base/error.h"
#include "jmx_http/value/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jmx_verb {
	JMX_QUERY,  /* list the names that match .object; .value: array */
	JMX_INFO,   /* describe an MBean; .info */
	JMX_GET,    /* read the attributes .names; .value: composite */
	JMX_SET,    /* set the attribute .names[0] to .arguments[0]; no value */
	JMX_INVOKE, /* call the operation .names[0]; .value: its result */
	JMX_COUNT,  /* count the MBeans; .value: integer */
};

struct jmx_request {
	enum jmx_verb verb;
	const char *object; /* ObjectName, UTF-8; of JMX_QUERY, NULL: all */
	const char *const *names;
	size_t name_count;
	const struct value *const *arguments; /* of the types in .signature */
	const char *const *signature; /* "long", "[J", "java.lang.String" */
	/* The type of an operation's result, or NULL: JSON does not tell it. */
	const char *returns;
	size_t argument_count;
};

struct jmx_feature {
	const char *name, *type, *description; /* foreign; never NULL */
	bool readable, writable, is_getter;    /* of attributes */
	int impact; /* of operations: 0 info, 1 action, 2 both, 3 unknown */
	const struct jmx_feature *parameters; /* of operations */
	size_t parameter_count;
};

struct jmx_info {
	const char *class, *description;
	const struct jmx_feature *attributes, *operations, *notifications;
	size_t attribute_count, operation_count, notification_count;
};

/* Valid only while the callback that receives the reply runs. */
struct jmx_reply {
	/*
	 * The reason of a failure, "class: message <- class: message", foreign;
	 * NULL on success.  kind: ERROR_MISUSE if an argument does not have
	 * its type, else as jmx_failure_kind().  JMX_GET fails if the MBean
	 * does not exist; an unreadable attribute becomes a VALUE_ERROR.
	 */
	const char *failure;
	enum error_kind kind;
	/* JMX_GET returns one member for each name, in the same order. */
	const struct value *value;
	const struct jmx_info *info;
};

/*
 * Receives the reply to requests[index].  -1 and *err end the run.  Must not
 * make requests.
 */
typedef int jmx_reply_fn(void *self, size_t index,
			 const struct jmx_reply *reply, struct error *err);

struct jmx_notification {
	const char *object, *type, *message; /* foreign; never NULL */
	int64_t sequence, time_ms;
	const struct value *user_data;
};

typedef int jmx_notification_fn(void *self, const struct jmx_notification *n,
				struct error *err);

struct dialer;
struct jmx;

struct jmx_ops {
	const char *name; /* "rmi", "jolokia" */
	int (*run)(struct jmx *j, const struct jmx_request *requests,
		   size_t count, jmx_reply_fn *fn, void *self,
		   struct error *err);
	/* Both NULL for a carrier without notifications; object is no pattern.
	 */
	int (*listen)(struct jmx *j, const char *object, struct error *err);
	int (*fetch)(struct jmx *j, int64_t timeout_ns, jmx_notification_fn *fn,
		     void *self, struct error *err);
	void (*close)(struct jmx *j);
};

/* The first member of every carrier's own struct. */
struct jmx {
	const struct jmx_ops *ops;
	int64_t timeout_ns;  /* limit for one reply; may be changed */
	const char *title;   /* "10.0.0.7:9010"; owned by the carrier */
	const char *version; /* of the JVM, "17.0.15+6", or "" ; foreign */
	/* Set by jmx_open(), freed by jmx_close().  May be NULL. */
	struct dialer *dialer;
	/*
	 * Set by jmx.c: run() allocates replies in this arena, so that they
	 * outlive the run.  NULL: the carrier uses its own arena.
	 */
	struct arena *keep;
};

/*
 * Returns the kind of a failure by the exception classes in it: ERROR_NO_TARGET
 * if the MBean, attribute or operation does not exist, ERROR_PERMISSION if
 * access is denied, else ERROR_REFUSED.
 */
enum error_kind jmx_failure_kind(const char *failure);

/* As jmx_failure_kind(), of a VALUE_ERROR, whose type may be the exception's.
 */
enum error_kind jmx_value_error_kind(const struct value *v);

/*
 * Makes the requests and calls fn for each reply.  A failed request has a
 * reply, too, and the run continues.  The run fails if the connection fails:
 * ERROR_REFUSED, or ERROR_NO_TARGET if the JVM has exited; the next run
 * connects again.  A request that may change something (SET, INVOKE) is sent
 * only once: if its reply is lost, the request fails with that reason.
 */
int jmx_run(struct jmx *j, const struct jmx_request *requests, size_t count,
	    jmx_reply_fn *fn, void *self, struct error *err);

/*
 * Reads one attribute, or calls one operation.  Returns its value, allocated in
 * the arena; or NULL and *err, with the kind of the jmx_reply.
 */
const struct value *jmx_get(struct jmx *j, const char *object,
			    const char *attribute, struct arena *a,
			    struct error *err);
const struct value *jmx_invoke(struct jmx *j, const struct jmx_request *invoke,
			       struct arena *a, struct error *err);

/*
 * Lists the names of the MBeans that match a pattern, allocated in the arena.
 * -1 and *err on failure.
 */
int jmx_query(struct jmx *j, const char *pattern, struct arena *a,
	      const char *const **names, size_t *count, struct error *err);

/*
 * Subscribes jmx_fetch() to the notifications of an MBean, or of all MBeans
 * that currently match a pattern.  ERROR_UNAVAILABLE if the carrier has no
 * notifications.
 */
int jmx_listen(struct jmx *j, const char *object, struct error *err);

/*
 * Waits for notifications, for at most timeout_ns, and passes each to fn.  If
 * the JVM discarded some, fn receives a notification of type "sjkc.lost", whose
 * sequence is the number of discarded notifications; 0: unknown.
 */
int jmx_fetch(struct jmx *j, int64_t timeout_ns, jmx_notification_fn *fn,
	      void *self, struct error *err);

void jmx_close(struct jmx *j); /* NULL is fine */

#endif

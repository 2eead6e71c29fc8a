/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx: a connection to a JVM's MBeans, whatever carries it.
 *
 * One call, jmx_run(), makes any number of requests in as few round trips as
 * the carrier allows: RMI sends many before it reads the first reply, HTTP
 * sends them in one body.  Replies are handed over in the order of the requests
 * as they arrive, and are not kept.
 */
#ifndef JMX_HTTP_JMX_H
#define JMX_HTTP_JMX_H

#include "core/base/error.h"
#include "jmx_http/value/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jmx_verb {
	JMX_QUERY,  /* names that match .object; .value: an array of NAMEs */
	JMX_INFO,   /* the description of an MBean, in .info */
	JMX_GET,    /* the attributes .names; .value: a composite of them */
	JMX_SET,    /* set the attribute .names[0] to .arguments[0]; no value */
	JMX_INVOKE, /* call the operation .names[0]; .value: what it returned */
	JMX_COUNT,  /* the number of MBeans; .value: an integer */
};

struct jmx_request {
	enum jmx_verb verb;
	const char *object; /* ObjectName, UTF-8; for JMX_QUERY NULL is all */
	const char *const *names;
	size_t name_count;
	const struct value *const *arguments; /* types as in .signature */
	const char *const *signature; /* "long", "[J", "java.lang.String" */
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

/* Valid until the function that it is given to returns. */
struct jmx_reply {
	/*
	 * Why the request failed, "class: message <- class: message", foreign;
	 * NULL on success.  kind: ERROR_MISUSE when an argument does not have
	 * its type, else as jmx_failure_kind().  JMX_GET fails when there is no
	 * such MBean; an attribute that cannot be read is a VALUE_ERROR in its
	 * place.
	 */
	const char *failure;
	enum error_kind kind;
	/* Of JMX_GET: a member for each of .names, in their order. */
	const struct value *value;
	const struct jmx_info *info;
};

/* Receives a reply.  -1 and *err end the run.  Must not make requests. */
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
	/* Both NULL for a carrier without notifications. */
	int (*listen)(struct jmx *j, const char *object, struct error *err);
	int (*fetch)(struct jmx *j, int64_t timeout_ns, jmx_notification_fn *fn,
		     void *self, struct error *err);
	void (*close)(struct jmx *j);
};

/* The first member of every carrier's own struct. */
struct jmx {
	const struct jmx_ops *ops;
	int64_t timeout_ns;  /* of one reply; may be changed */
	const char *title;   /* "10.0.0.7:9010"; the carrier's */
	const char *version; /* of the JVM, "17.0.15+6", or "" ; foreign */
	/* jmx_open()'s; freed by jmx_close().  May be NULL. */
	struct dialer *dialer;
	/*
	 * Set by jmx.c: the arena in which run() makes its replies, so that
	 * they outlive the run; NULL: the carrier uses its own.
	 */
	struct arena *keep;
};

/*
 * The kind of a failure, or of the text of a VALUE_ERROR, by the classes that
 * it names: ERROR_NO_TARGET when there is no such MBean, attribute or
 * operation, ERROR_PERMISSION, else ERROR_REFUSED.
 */
enum error_kind jmx_failure_kind(const char *failure);

/*
 * Makes the requests and calls fn for each reply.  A request that fails has a
 * reply, too; the run goes on.  The run fails when the connection does:
 * ERROR_REFUSED, or ERROR_NO_TARGET when the JVM has exited; the next run
 * connects again.  A request that changes something (SET, INVOKE) is sent once:
 * when its reply is lost, it fails and says so.
 */
int jmx_run(struct jmx *j, const struct jmx_request *requests, size_t count,
	    jmx_reply_fn *fn, void *self, struct error *err);

/*
 * Reads one attribute, or calls one operation and returns its result, in the
 * arena; NULL and *err, whose kind is that of the jmx_reply.
 */
const struct value *jmx_get(struct jmx *j, const char *object,
			    const char *attribute, struct arena *a,
			    struct error *err);
const struct value *jmx_invoke(struct jmx *j, const struct jmx_request *invoke,
			       struct arena *a, struct error *err);

/* Lists the MBeans that match, by name, in the arena; -1 and *err. */
int jmx_query(struct jmx *j, const char *pattern, struct arena *a,
	      const char *const **names, size_t *count, struct error *err);

/*
 * Subscribes to the notifications of an MBean, or of the MBeans that match a
 * pattern now, for jmx_fetch().  ERROR_UNAVAILABLE for a carrier without
 * notifications.
 */
int jmx_listen(struct jmx *j, const char *object, struct error *err);

/*
 * Waits for notifications, for timeout_ns at most, and hands them to fn.
 * Notifications that the JVM discarded meanwhile become one of the type
 * "sjkc.lost", whose sequence is their number; 0: unknown.
 */
int jmx_fetch(struct jmx *j, int64_t timeout_ns, jmx_notification_fn *fn,
	      void *self, struct error *err);

void jmx_close(struct jmx *j); /* NULL is fine */

#endif

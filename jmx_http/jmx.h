/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx: a connection to a JVM's MBeans, whatever carries it.
 *
 * One call, jmx_run(), makes any number of requests in as few round trips as
 * the carrier can: RMI sends many before it reads the first answer, HTTP sends
 * them in one body.  Answers are given in the order of the requests, each as it
 * arrives, and not kept.
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
	JMX_INFO,   /* of one MBean: .info */
	JMX_GET,    /* .value: a composite of what .names asked for */
	JMX_SET,    /* the attribute .names[0] to .arguments[0]; no value */
	JMX_INVOKE, /* the operation .names[0]; .value is what it returned */
	JMX_COUNT,  /* how many MBeans there are; .value: an integer */
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
	 * NULL when it did not.  kind: ERROR_MISUSE when an argument is none of
	 * its type, else that of jmx_failure_kind().  That an attribute cannot
	 * be had is no failure of JMX_GET, but a VALUE_ERROR in its place; that
	 * the MBean is not there is one.
	 */
	const char *failure;
	enum error_kind kind;
	/* Of JMX_GET: each name that was asked for, in that order. */
	const struct value *value;
	const struct jmx_info *info;
};

/* -1 and *err end the run; it makes no requests itself. */
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
	int64_t timeout_ns;  /* of one answer; may be changed */
	const char *title;   /* "10.0.0.7:9010"; the carrier's */
	const char *version; /* of the JVM, "17.0.15+6", or "" ; foreign */
	/* jmx_open()'s; freed by jmx_close().  May be NULL. */
	struct dialer *dialer;
	/*
	 * jmx.c's: the arena in which run() is to make its replies, so that
	 * they outlive it; NULL: one of the carrier's.
	 */
	struct arena *keep;
};

/*
 * What a failure, or the text of a VALUE_ERROR, is by the classes that it
 * names: ERROR_NO_TARGET when there is no such MBean, attribute or operation,
 * ERROR_PERMISSION, else ERROR_REFUSED.
 */
enum error_kind jmx_failure_kind(const char *failure);

/*
 * Makes the requests, calls fn for each.  A request that fails is an answer,
 * and no failure of the run.  Fails with what the connection failed with:
 * ERROR_REFUSED, or ERROR_NO_TARGET when the JVM has gone; after that, a later
 * call connects anew.  What changes something (SET, INVOKE) is sent once: when
 * its answer is lost, that is a failure which says so.
 */
int jmx_run(struct jmx *j, const struct jmx_request *requests, size_t count,
	    jmx_reply_fn *fn, void *self, struct error *err);

/*
 * One attribute, or what one operation gives, made in the arena; NULL on
 * failure, its kind as jmx_reply has it.
 */
const struct value *jmx_get(struct jmx *j, const char *object,
			    const char *attribute, struct arena *a,
			    struct error *err);
const struct value *jmx_invoke(struct jmx *j, const struct jmx_request *invoke,
			       struct arena *a, struct error *err);

/* Names of MBeans, NUL-terminated, of the arena; -1 and *err. */
int jmx_query(struct jmx *j, const char *pattern, struct arena *a,
	      const char *const **names, size_t *count, struct error *err);

/*
 * Has notifications of an MBean kept for jmx_fetch(), from now on; of those
 * that a pattern means now.
 */
int jmx_listen(struct jmx *j, const char *object, struct error *err);

/*
 * Waits until there are notifications, or for timeout_ns, and hands on what
 * there is.  What the JVM threw away meanwhile is a notification of the type
 * "sjkc.lost", whose sequence is how many, 0 when that is not known.
 */
int jmx_fetch(struct jmx *j, int64_t timeout_ns, jmx_notification_fn *fn,
	      void *self, struct error *err);

void jmx_close(struct jmx *j); /* NULL is fine */

#endif

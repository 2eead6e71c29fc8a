/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dialer that connects to a JVM on this machine from within its network
 * namespace.  If the namespace is not that of sjkc, a child process enters it,
 * connects, and passes the socket back.
 */
#include "core/attach/helper_process.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"
#include "jmx_http/net/dialer.h"
#include "jmx_http/net/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limit for a child to enter the namespace when the dialer is created. */
#define TRIAL_NS (5 * CLOCK_NS_PER_S)
/* A child reports its own timeout; wait that much longer for the report. */
#define REPORT_NS (CLOCK_NS_PER_S / 4)

struct local_dialer {
	struct dialer dialer;
	struct jvm jvm; /* a copy with a duplicate of the pidfd */
	enum local_scope scope;
	bool is_elsewhere;       /* the JVM has another network namespace */
	struct dialer *loopback; /* for begin() in sjkc's own namespace */
};

/* A connection to make, in a child or in sjkc's own namespace. */
struct local_action {
	const struct jvm *jvm;
	const struct net_address *to; /* NULL: only enter the namespace */
	enum local_scope scope;
	int64_t deadline_ns;
};

static int local_fail_exited(const struct jvm *jvm, struct error *err)
{
	return fail(err, ERROR_NO_TARGET, "%d: the JVM has exited",
		    (int)jvm->pid);
}

/* Opens the JVM's network namespace; fails if its PID has been reused. */
static int local_open_namespace(const struct jvm *jvm, struct error *err)
{
	int fd = procfs_open(jvm->pid, "ns/net", O_RDONLY, err);

	if (!jvm_runs(jvm)) {
		if (fd >= 0)
			close(fd);
		return local_fail_exited(jvm, err);
	}
	if (fd < 0)
		return fail_in(err, "cannot open the JVM's network namespace");
	return fd;
}

/*
 * Entering requires CAP_SYS_ADMIN in the user namespace that owns the network
 * namespace.  The creator of that user namespace has the capability only after
 * entering it (setns(2)).
 */
static int local_enter(const struct jvm *jvm, struct error *err)
{
	int net = local_open_namespace(jvm, err);
	int user = -1, ret = 0;

	if (net < 0)
		return -1;
	if (setns(net, CLONE_NEWNET)) {
		user = ioctl(net, NS_GET_USERNS);
		if (user < 0 || setns(user, CLONE_NEWUSER) ||
		    setns(net, CLONE_NEWNET))
			ret = fail(err, ERROR_PERMISSION,
				   "%d: not permitted to enter the JVM's "
				   "network namespace; run as root, or in its "
				   "container",
				   (int)jvm->pid);
	}
	if (user >= 0)
		close(user);
	close(net);
	return ret;
}

static struct net_address local_loopback(int family, uint16_t port)
{
	struct net_address a = { .port = port, .count = 1 };
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&a.list[0];
	struct sockaddr_in *four = (struct sockaddr_in *)&a.list[0];

	a.list[0].ss_family = (sa_family_t)family;
	if (family == AF_INET6) {
		six->sin6_port = htons(port);
		six->sin6_addr = in6addr_loopback;
	} else {
		four->sin_port = htons(port);
		four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	}
	return a;
}

static int local_connect(const struct local_action *action, struct error *err)
{
	struct net_address four, six;
	int fd;

	if (action->scope == LOCAL_ANY_HOST)
		return tcp_connect(action->to, action->deadline_ns, err);
	four = local_loopback(AF_INET, action->to->port);
	six = local_loopback(AF_INET6, action->to->port);
	fd = tcp_connect(&four, action->deadline_ns, err);
	/* Report the error of IPv4: the namespace may lack IPv6. */
	if (fd < 0 && err->kind == ERROR_NO_TARGET)
		fd = tcp_connect(&six, action->deadline_ns, error_unused());
	return fd;
}

static int local_run_child(void *self, int channel, struct error *err)
{
	const struct local_action *action = self;

	(void)channel;
	if (local_enter(action->jvm, err))
		return -1;
	if (action->to)
		return local_connect(action, err);
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Returns the descriptor that the child passes by the deadline; -1 and *err. */
static int local_receive(struct child *child, const struct jvm *jvm,
			 int64_t deadline_ns, struct error *err)
{
	int fd = -1;

	if (helper_process_wait(child, deadline_ns, &fd, err) == CHILD_DONE &&
	    fd >= 0)
		return fd;
	if (err->sys == ETIMEDOUT && !jvm_runs(jvm))
		return local_fail_exited(jvm, err);
	return -1;
}

/* Runs the action in a child; returns the child's descriptor, or -1. */
static int local_send_child(struct local_action *action, struct error *err)
{
	struct child child;
	int fd;

	if (helper_process_start(&child, action->jvm, local_run_child, action,
				 err))
		return -1;
	fd = local_receive(&child, action->jvm, action->deadline_ns + REPORT_NS,
			   err);
	helper_process_end(&child);
	return fd;
}

static int local_dial(struct dialer *dialer, struct net_address *to,
		      int64_t deadline_ns, struct error *err)
{
	struct local_dialer *l = (struct local_dialer *)dialer;
	struct local_action action = { &l->jvm, to, l->scope, deadline_ns };
	socklen_t len = sizeof(to->list[0]);
	int fd;

	/* Another process may have the port of a JVM that has exited. */
	if (!jvm_runs(&l->jvm))
		return local_fail_exited(&l->jvm, err);
	if (l->scope == LOCAL_ANY_HOST &&
	    net_address_resolve(to, deadline_ns, err))
		return -1;
	fd = l->is_elsewhere ? local_send_child(&action, err)
			     : local_connect(&action, err);
	if (fd < 0)
		return -1;
	getpeername(fd, (struct sockaddr *)&to->list[0], &len);
	to->count = 1;
	return fd;
}

/* An attempt of begin(). */
struct local_dial {
	struct dial dial;
	struct local_dialer *dialer;
	/* Either a child or a connection attempt. */
	struct child child;
	struct dial *connecting;
	bool is_over; /* the child has reported */
};

static void local_dial_on_connected(void *self, evutil_socket_t fd,
				    const struct error *err)
{
	struct local_dial *d = self;

	d->connecting = NULL;
	dial_finish(&d->dial, fd, err);
}

/* The child has reported, or the deadline has passed. */
static void local_dial_on_child(evutil_socket_t channel, short what, void *self)
{
	struct local_dial *d = self;
	struct error err = { 0 };
	int fd = local_receive(&d->child, &d->dialer->jvm, clock_monotonic_ns(),
			       &err);

	(void)channel;
	d->is_over = what & EV_READ;
	dial_finish(&d->dial, fd, &err);
}

static void local_dial_by_child(struct local_dial *d, int64_t left_ns)
{
	struct timeval limit = socket_timeval(left_ns);
	struct net_address to = { .port = d->dial.port };
	struct local_action action = { &d->dialer->jvm, &to, LOCAL_LOOPBACK,
				       d->dial.deadline_ns };
	struct error err;

	if (helper_process_start(&d->child, &d->dialer->jvm, local_run_child,
				 &action, &err)) {
		dial_finish(&d->dial, -1, &err);
		return;
	}
	event_assign(d->dial.timer, d->dial.dialer->base, d->child.channel,
		     EV_READ, local_dial_on_child, d);
	event_add(d->dial.timer, &limit);
}

static void local_dial_on_begin(evutil_socket_t fd, short what, void *self)
{
	struct local_dial *d = self;
	struct dialer *to = d->dialer->loopback;
	int64_t left_ns = dial_left_ns(&d->dial);
	struct error err;

	(void)fd;
	(void)what;
	if (!jvm_runs(&d->dialer->jvm)) {
		local_fail_exited(&d->dialer->jvm, &err);
		dial_finish(&d->dial, -1, &err);
	} else if (to) {
		d->connecting = to->ops->begin(to, d->dial.port, left_ns,
					       local_dial_on_connected, d);
	} else {
		local_dial_by_child(d, left_ns);
	}
}

static struct dial *local_begin(struct dialer *dialer, uint16_t port,
				int64_t timeout_ns, dial_done_fn *done,
				void *self)
{
	struct local_dial *d = xcalloc(1, sizeof(*d));

	dial_begin(&d->dial, dialer, port, timeout_ns, done, self,
		   local_dial_on_begin);
	d->dialer = (struct local_dialer *)dialer;
	dial_wait(&d->dial, 0);
	return &d->dial;
}

static void local_cancel(struct dial *dial)
{
	struct local_dial *d = (struct local_dial *)dial;

	if (d->connecting)
		d->connecting->dialer->ops->cancel(d->connecting);
	event_free(dial->timer);
	/* Do not wait for a child that still works. */
	if (d->is_over)
		helper_process_end(&d->child);
	else
		child_end(&d->child, 0);
	free(d);
}

static void local_free(struct dialer *dialer)
{
	struct local_dialer *l = (struct local_dialer *)dialer;

	dialer_free(l->loopback);
	jvm_close(&l->jvm);
	free(l);
}

static const struct dialer_ops local_ops = {
	.dial = local_dial,
	.begin = local_begin,
	.cancel = local_cancel,
	.free = local_free,
	.goes_anywhere = true,
};

/* A JVM without IPv4 listens on ::1. */
static struct dialer *local_loopback_dialer(struct event_base *base)
{
	struct net_address here = local_loopback(AF_INET, 0);

	here.list[here.count++] = local_loopback(AF_INET6, 0).list[0];
	memcpy(here.host, "127.0.0.1", sizeof("127.0.0.1"));
	return tcp_dialer_new(base, &here);
}

/* Returns 1 if the JVM has another network namespace, else 0; -1 and *err. */
static int local_is_elsewhere(const struct jvm *jvm, struct error *err)
{
	struct stat ours, its;
	int net, ret;

	if (stat("/proc/self/ns/net", &ours))
		return fail_sys(err, ERROR_FAILED, "/proc/self/ns/net");
	net = local_open_namespace(jvm, err);
	if (net < 0)
		return -1;
	ret = fstat(net, &its)
		      ? fail_sys(err, ERROR_FAILED, "fstat")
		      : ours.st_dev != its.st_dev || ours.st_ino != its.st_ino;
	close(net);
	return ret;
}

/* As above; also fails if sjkc may not enter the namespace. */
static int local_check_namespace(const struct jvm *jvm, struct error *err)
{
	struct local_action trial = { .jvm = jvm };
	int elsewhere = local_is_elsewhere(jvm, err), fd;

	if (elsewhere <= 0)
		return elsewhere;
	trial.deadline_ns = clock_after(clock_monotonic_ns(), TRIAL_NS);
	fd = local_send_child(&trial, err);
	if (fd < 0)
		return -1;
	close(fd);
	return 1;
}

struct dialer *local_dialer_new(struct event_base *base, const struct jvm *jvm,
				enum local_scope scope, struct error *err)
{
	int elsewhere = local_check_namespace(jvm, err);
	struct local_dialer *l;

	if (elsewhere < 0)
		return NULL;
	l = xcalloc(1, sizeof(*l));
	l->dialer = (struct dialer){ .ops = &local_ops, .base = base };
	l->jvm = *jvm;
	if (jvm->pidfd >= 0)
		l->jvm.pidfd = fcntl(jvm->pidfd, F_DUPFD_CLOEXEC, 0);
	l->scope = scope;
	l->is_elsewhere = elsewhere;
	if (base && !elsewhere)
		l->loopback = local_loopback_dialer(base);
	return &l->dialer;
}

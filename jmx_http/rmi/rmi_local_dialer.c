/* SPDX-License-Identifier: Apache-2.0 */
#include "core/attach/attach_peer.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/jvm/procfs.h"
#include "jmx_http/rmi/rmi_local.h"

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

#define TRIAL_NS (5 * CLOCK_NS_PER_S)

struct local_dialer {
	struct rmi_dialer base;
	const struct jvm *jvm;
	bool is_elsewhere;  /* the JVM's network is not ours */
	bool goes_anywhere; /* not just to loopback */
};

/* What a child is to do. */
struct errand {
	const struct jvm *jvm;
	const struct rmi_address *to; /* NULL: to see whether it can be done */
	bool goes_anywhere;
	int64_t deadline_ns;
};

static int ended(const struct jvm *jvm, struct error *err)
{
	return fail(err, ERROR_NO_TARGET, "%d: the JVM has ended",
		    (int)jvm->pid);
}

/* The JVM's network namespace, held; not that of who has its pid next. */
static int hold_network(const struct jvm *jvm, struct error *err)
{
	int fd = procfs_open(jvm->pid, "ns/net", O_RDONLY, err);

	if (!jvm_runs(jvm)) {
		if (fd >= 0)
			close(fd);
		return ended(jvm, err);
	}
	if (fd < 0)
		return fail_in(err, "its network namespace cannot be seen");
	return fd;
}

/*
 * Enters it.  That takes CAP_SYS_ADMIN in the user namespace that it belongs
 * to; who made that one has it there, but only when inside (setns(2)).
 */
static int enter(const struct jvm *jvm, struct error *err)
{
	int net = hold_network(jvm, err);
	int user = -1, ret = 0;

	if (net < 0)
		return -1;
	if (setns(net, CLONE_NEWNET)) {
		user = ioctl(net, NS_GET_USERNS);
		if (user < 0 || setns(user, CLONE_NEWUSER) ||
		    setns(net, CLONE_NEWNET))
			ret = fail(err, ERROR_PERMISSION,
				   "%d: the JVM's network namespace may not be "
				   "entered; run as root, or in its container",
				   (int)jvm->pid);
	}
	if (user >= 0)
		close(user);
	close(net);
	return ret;
}

static void set_loopback(struct rmi_address *a, int family, uint16_t port)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&a->list[0];
	struct sockaddr_in *four = (struct sockaddr_in *)&a->list[0];

	memset(&a->list[0], 0, sizeof(a->list[0]));
	a->count = 1;
	if (family == AF_INET6) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons(port);
		six->sin6_addr = in6addr_loopback;
		return;
	}
	four->sin_family = AF_INET;
	four->sin_port = htons(port);
	four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
}

/* A socket connected to a port of the loopback interface; -1 and *err. */
static int connect_loopback(uint16_t port, int64_t deadline_ns,
			    struct error *err)
{
	struct rmi_address a = { .port = port };
	struct error four, six;
	int fd;

	set_loopback(&a, AF_INET, port);
	fd = rmi_tcp_socket(&a, deadline_ns, &four);
	if (fd < 0 && four.kind == ERROR_NO_TARGET) {
		set_loopback(&a, AF_INET6, port);
		fd = rmi_tcp_socket(&a, deadline_ns, &six);
	}
	/* Where there is no IPv6, that nothing listens there says nothing. */
	if (fd < 0)
		*err = four;
	return fd;
}

static int connect_to(const struct errand *e, struct error *err)
{
	if (e->goes_anywhere)
		return rmi_tcp_socket(e->to, e->deadline_ns, err);
	return connect_loopback(e->to->port, e->deadline_ns, err);
}

static int run_errand(void *self, int channel, struct error *err)
{
	const struct errand *e = self;

	(void)channel;
	if (enter(e->jvm, err))
		return -1;
	if (e->to)
		return connect_to(e, err);
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* What the child hands back by the deadline, or -1. */
static int take_back(struct attach_peer *child, const struct jvm *jvm,
		     int64_t deadline_ns, struct error *err)
{
	int fd = -1;

	if (attach_peer_wait(child, deadline_ns, &fd, err) == PEER_DONE &&
	    fd >= 0)
		return fd;
	if (err->sys == ETIMEDOUT && !jvm_runs(jvm))
		return ended(jvm, err);
	return -1;
}

/* Has a child do it; gives what it hands back, or -1. */
static int send_out(struct errand *e, struct error *err)
{
	struct attach_peer child;
	int fd;

	if (attach_peer_start(&child, run_errand, e, err))
		return -1;
	/* It is the child that knows why, when it comes to that. */
	fd = take_back(&child, e->jvm, e->deadline_ns + CLOCK_NS_PER_S / 4,
		       err);
	attach_peer_end(&child);
	return fd;
}

int rmi_local_begin(struct attach_peer *child, const struct jvm *jvm,
		    uint16_t port, int64_t deadline_ns, struct error *err)
{
	struct rmi_address to = { .port = port };
	struct errand e = { .jvm = jvm, .to = &to, .deadline_ns = deadline_ns };

	/* Another process may have the port of one that has ended. */
	if (!jvm_runs(jvm))
		return ended(jvm, err);
	return attach_peer_start(child, run_errand, &e, err);
}

int rmi_local_finish(struct attach_peer *child, const struct jvm *jvm,
		     struct error *err)
{
	return take_back(child, jvm, clock_monotonic_ns(), err);
}

static struct rmi_transport *local_dial(struct rmi_dialer *d,
					struct rmi_address *a,
					int64_t deadline_ns, struct error *err)
{
	const struct local_dialer *l = (const struct local_dialer *)d;
	struct errand e = { l->jvm, a, l->goes_anywhere, deadline_ns };
	struct rmi_transport *t;
	int fd;

	/* Another process may have the port of one that has ended. */
	if (!jvm_runs(l->jvm)) {
		ended(l->jvm, err);
		return NULL;
	}
	if (l->goes_anywhere && rmi_address_resolve(a, deadline_ns, err))
		return NULL;
	fd = l->is_elsewhere ? send_out(&e, err) : connect_to(&e, err);
	if (fd < 0)
		return NULL;
	t = rmi_tcp_over(fd);
	a->list[0] = t->peer;
	a->count = 1;
	return t;
}

/* Whether the JVM's network namespace is another than ours; -1 and *err. */
static int is_elsewhere(const struct jvm *jvm, struct error *err)
{
	struct stat ours, its;
	int net;

	if (stat("/proc/self/ns/net", &ours))
		return fail_sys(err, ERROR_FAILED, "/proc/self/ns/net");
	net = hold_network(jvm, err);
	if (net < 0)
		return -1;
	if (fstat(net, &its)) {
		close(net);
		return fail_sys(err, ERROR_FAILED, "fstat");
	}
	close(net);
	return ours.st_dev != its.st_dev || ours.st_ino != its.st_ino;
}

int rmi_local_is_elsewhere(const struct jvm *jvm, struct error *err)
{
	struct errand trial = { .jvm = jvm };
	int elsewhere = is_elsewhere(jvm, err), fd;

	if (elsewhere <= 0)
		return elsewhere;
	trial.deadline_ns = clock_after(clock_monotonic_ns(), TRIAL_NS);
	fd = send_out(&trial, err);
	if (fd < 0)
		return -1;
	close(fd);
	return 1;
}

static struct rmi_dialer *new_dialer(const struct jvm *jvm, bool goes_anywhere,
				     struct error *err)
{
	int elsewhere = rmi_local_is_elsewhere(jvm, err);
	struct local_dialer *l;

	if (elsewhere < 0)
		return NULL;
	l = xcalloc(1, sizeof(*l));
	l->base.dial = local_dial;
	l->jvm = jvm;
	l->is_elsewhere = elsewhere;
	l->goes_anywhere = goes_anywhere;
	return &l->base;
}

struct rmi_dialer *rmi_local_dialer(const struct jvm *jvm, struct error *err)
{
	return new_dialer(jvm, false, err);
}

struct rmi_dialer *rmi_network_dialer(const struct jvm *jvm, struct error *err)
{
	return new_dialer(jvm, true, err);
}

void rmi_local_dialer_free(struct rmi_dialer *d) { free(d); }

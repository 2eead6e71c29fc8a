/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/idle_method.h"

#include <string.h>

/*
 * Native methods in which JDK 8 to 28 and common libraries wait, taken from
 * thread dumps. "*" matches a package prefix added by shading. Reads are
 * included: a read from a socket, a pipe or a terminal waits, and reading a
 * cached file is rarely what keeps a program busy.
 */
static const struct {
	const char *class_name, *methods;
} idle[] = {
	{ "java.lang.ref.Reference", "waitForReferencePendingList" },
	{ "java.lang.Object", "wait wait0" },
	{ "java.lang.Thread", "sleep sleep0 sleepNanos0" },
	{ "java.lang.VirtualThread", "takeVirtualThreadListToUnblock" },
	{ "jdk.internal.misc.Unsafe", "park" },
	{ "sun.misc.Unsafe", "park" },
	{ "java.lang.UNIXProcess", "waitForProcessExit" },
	{ "java.lang.ProcessHandleImpl", "waitForProcessExit0" },
	{ "java.io.FileInputStream", "read read0 readBytes readBytes0" },
	{ "java.net.PlainSocketImpl", "socketAccept socketConnect" },
	{ "java.net.SocketInputStream", "socketRead0" },
	{ "java.net.PlainDatagramSocketImpl", "receive0 peek peekData" },
	{ "java.net.Inet4AddressImpl",
	  "lookupAllHostAddr getHostByAddr isReachable0" },
	{ "java.net.Inet6AddressImpl",
	  "lookupAllHostAddr getHostByAddr isReachable0" },
	{ "sun.nio.ch.Net", "accept connect connect0 poll" },
	{ "sun.nio.ch.ServerSocketChannelImpl", "accept0" },
	{ "sun.nio.ch.UnixAsynchronousServerSocketChannelImpl", "accept0" },
	{ "sun.nio.ch.UnixDomainSockets", "accept accept0 connect connect0" },
	{ "sun.nio.ch.EPoll", "wait epollWait" },
	{ "sun.nio.ch.EPollArrayWrapper", "epollWait" },
	{ "sun.nio.ch.PollArrayWrapper", "poll0" },
	{ "sun.nio.ch.PollSelectorImpl", "poll" },
	{ "sun.nio.ch.KQueue", "poll keventPoll" },
	{ "sun.nio.ch.KQueueArrayWrapper", "kevent0" },
	{ "sun.nio.ch.WEPoll", "wait" },
	{ "sun.nio.ch.WindowsSelectorImpl$SubSelector", "poll0" },
	{ "sun.nio.ch.Iocp", "getQueuedCompletionStatus" },
	{ "sun.nio.ch.FileDispatcherImpl", "read0 readv0" },
	{ "sun.nio.ch.UnixFileDispatcherImpl", "read0 readv0" },
	{ "sun.nio.ch.SocketDispatcher", "read0 readv0" },
	{ "sun.nio.ch.DatagramDispatcher", "read0 readv0" },
	{ "sun.nio.ch.DatagramChannelImpl", "receive0" },
	{ "sun.nio.fs.LinuxWatchService", "poll" },
	{ "*io.netty.channel.epoll.Native", "epollWait epollWait0" },
	{ "*io.netty.channel.kqueue.Native", "keventWait" },
	{ "*io.netty.channel.uring.Native", "ioUringEnter" },
	{ "org.apache.tomcat.jni.Socket", "accept acceptx recv recvbb" },
	{ "org.apache.tomcat.jni.Poll", "poll" },
};

static bool idle_is_class(const char *pattern, const char *name)
{
	size_t len = strlen(name);
	size_t wanted;

	if (pattern[0] != '*')
		return strcmp(pattern, name) == 0;
	wanted = strlen(++pattern);
	return len >= wanted && strcmp(name + len - wanted, pattern) == 0;
}

/* True if the method is in a list separated by spaces. */
static bool idle_is_listed(const char *list, const char *method)
{
	size_t len = strlen(method);

	for (;;) {
		size_t one = strcspn(list, " ");

		if (one == len && memcmp(list, method, len) == 0)
			return true;
		if (!list[one])
			return false;
		list += one + 1;
	}
}

bool idle_method_is(const struct profile *p, const struct frame *leaf)
{
	const char *class_name = profile_text(p, leaf->class_name);
	const char *method = profile_text(p, leaf->method);

	for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++) {
		if (idle_is_class(idle[i].class_name, class_name))
			return idle_is_listed(idle[i].methods, method);
	}
	return false;
}

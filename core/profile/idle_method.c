/* SPDX-License-Identifier: Apache-2.0 */
#include "core/profile/idle_method.h"

#include "core/base/ascii.h"

#include <string.h>

/*
 * Native methods in which JDK 8 to 28 and common libraries wait, taken from
 * thread dumps. "*" matches a package prefix added by shading. Reads are
 * included: a read from a socket, a pipe or a terminal waits, and reading a
 * cached file is rarely what keeps a program busy.
 */
static const struct method_call idle[] = {
	{ "java.lang.ref.Reference", "waitForReferencePendingList", 1 },
	{ "java.lang.Object", "wait wait0", 1 },
	{ "java.lang.Thread", "sleep sleep0 sleepNanos0", 1 },
	{ "java.lang.VirtualThread", "takeVirtualThreadListToUnblock", 1 },
	{ "jdk.internal.misc.Unsafe", "park", 1 },
	{ "sun.misc.Unsafe", "park", 1 },
	{ "java.lang.UNIXProcess", "waitForProcessExit", 1 },
	{ "java.lang.ProcessHandleImpl", "waitForProcessExit0", 1 },
	{ "java.io.FileInputStream", "read read0 readBytes readBytes0", 1 },
	{ "java.net.PlainSocketImpl", "socketAccept socketConnect", 1 },
	{ "java.net.SocketInputStream", "socketRead0", 1 },
	{ "java.net.PlainDatagramSocketImpl", "receive0 peek peekData", 1 },
	{ "java.net.Inet4AddressImpl",
	  "lookupAllHostAddr getHostByAddr isReachable0", 1 },
	{ "java.net.Inet6AddressImpl",
	  "lookupAllHostAddr getHostByAddr isReachable0", 1 },
	{ "sun.nio.ch.Net", "accept connect connect0 poll", 1 },
	{ "sun.nio.ch.ServerSocketChannelImpl", "accept0", 1 },
	{ "sun.nio.ch.UnixAsynchronousServerSocketChannelImpl", "accept0", 1 },
	{ "sun.nio.ch.UnixDomainSockets", "accept accept0 connect connect0",
	  1 },
	{ "sun.nio.ch.EPoll", "wait epollWait", 1 },
	{ "sun.nio.ch.EPollArrayWrapper", "epollWait", 1 },
	{ "sun.nio.ch.PollArrayWrapper", "poll0", 1 },
	{ "sun.nio.ch.PollSelectorImpl", "poll", 1 },
	{ "sun.nio.ch.KQueue", "poll keventPoll", 1 },
	{ "sun.nio.ch.KQueueArrayWrapper", "kevent0", 1 },
	{ "sun.nio.ch.WEPoll", "wait", 1 },
	{ "sun.nio.ch.WindowsSelectorImpl$SubSelector", "poll0", 1 },
	{ "sun.nio.ch.Iocp", "getQueuedCompletionStatus", 1 },
	{ "sun.nio.ch.FileDispatcherImpl", "read0 readv0", 1 },
	{ "sun.nio.ch.UnixFileDispatcherImpl", "read0 readv0", 1 },
	{ "sun.nio.ch.SocketDispatcher", "read0 readv0", 1 },
	{ "sun.nio.ch.DatagramDispatcher", "read0 readv0", 1 },
	{ "sun.nio.ch.DatagramChannelImpl", "receive0", 1 },
	{ "sun.nio.fs.LinuxWatchService", "poll", 1 },
	{ "*io.netty.channel.epoll.Native", "epollWait epollWait0", 1 },
	{ "*io.netty.channel.kqueue.Native", "keventWait", 1 },
	{ "*io.netty.channel.uring.Native", "ioUringEnter", 1 },
	{ "org.apache.tomcat.jni.Socket", "accept acceptx recv recvbb", 1 },
	{ "org.apache.tomcat.jni.Poll", "poll", 1 },
};

int method_call_find(const struct method_call *all, size_t count,
		     const struct profile *p, const struct frame *f, int other)
{
	const char *method = profile_text(p, f->method);
	const char *name = profile_text(p, f->class_name);
	size_t len = strlen(name), method_len = strlen(method);

	for (size_t i = 0; i < count; i++) {
		const char *pattern = all[i].class_name;
		size_t wanted = strlen(pattern) - 1;

		if (word_list_has(all[i].methods, ' ', method, method_len) &&
		    (*pattern == '*'
			     ? len >= wanted && strcmp(name + len - wanted,
						       pattern + 1) == 0
			     : strcmp(name, pattern) == 0))
			return all[i].value;
	}
	return other;
}

bool idle_method_is(const struct profile *p, const struct frame *leaf)
{
	return method_call_find(idle, sizeof(idle) / sizeof(*idle), p, leaf, 0);
}

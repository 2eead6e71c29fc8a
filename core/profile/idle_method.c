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

bool frame_is_call(const struct profile *p, const struct frame *f,
		   const char *class_name, const char *methods)
{
	const char *name = profile_text(p, f->class_name);
	size_t len = strlen(name), wanted = strlen(class_name) - 1;

	return list_has(methods, profile_text(p, f->method)) &&
	       (*class_name == '*'
			? len >= wanted && strcmp(name + len - wanted,
						  class_name + 1) == 0
			: strcmp(name, class_name) == 0);
}

bool idle_method_is(const struct profile *p, const struct frame *leaf)
{
	for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++)
		if (frame_is_call(p, leaf, idle[i].class_name, idle[i].methods))
			return true;
	return false;
}

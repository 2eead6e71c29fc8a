/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/idle_stack.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/profile/frame_name.h"
#include "core/profile/idle_method.h"
#include "core/threads/thread_names.h"

#include <stdlib.h>
#include <string.h>

/* The role of a method on the stack of a waiting thread. */
enum frame_role {
	FRAME_OTHER,
	FRAME_PARKS,    /* only waits, for its caller */
	FRAME_CONSUMES, /* waits for an element or a time: idle, unless in a
			   task */
	FRAME_IDLE,     /* waits for work: a pool's queue, a selector, accept */
	FRAME_LOOP,     /* idle if no other method waits; it runs tasks, too */
	FRAME_TASK,     /* runs a task, which therefore waits */
};

/* "*" matches the start of a class name. */
/* clang-format off */
static const struct method_call roles[] = {
	{ "java.lang.Object", "wait wait0", FRAME_PARKS },
	{ "jdk.internal.misc.Unsafe", "park", FRAME_PARKS },
	{ "sun.misc.Unsafe", "park", FRAME_PARKS },
	{ "java.util.concurrent.locks.LockSupport", "park parkNanos parkUntil", FRAME_PARKS },
	{ "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionNode", "block", FRAME_PARKS },
	{ "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject", "await awaitNanos", FRAME_PARKS },
	{ "java.util.concurrent.ForkJoinPool", "unmanagedBlock managedBlock", FRAME_PARKS },
	{ "java.lang.Thread", "sleep sleep0 sleepNanos sleepNanos0", FRAME_CONSUMES },
	{ "*ThreadPoolExecutor", "getTask", FRAME_IDLE },
	{ "*ThreadPoolExecutor", "runWorker", FRAME_TASK },
	{ "*ForkJoinPool", "awaitWork", FRAME_IDLE },
	{ "*ForkJoinPool", "runWorker scan", FRAME_TASK },
	{ "java.util.concurrent.ForkJoinPool$DelayScheduler", "loop run", FRAME_IDLE },
	{ "*EnhancedQueueExecutor$PoolThreadNode", "park", FRAME_IDLE },
	{ "*EnhancedQueueExecutor$Task", "run", FRAME_TASK },
	{ "*QueuedThreadPool", "idleJobPoll", FRAME_IDLE },
	{ "*QueuedThreadPool", "runJob", FRAME_TASK },
	{ "*SingleThreadEventExecutor", "takeTask", FRAME_IDLE },
	{ "*Queue", "take poll remove remove0", FRAME_CONSUMES },
	{ "*Deque", "take poll takeFirst takeLast pollFirst pollLast", FRAME_CONSUMES },
	/* Whoever wants a connection of a pool does not wait for work. */
	{ "com.zaxxer.hikari.pool.HikariPool", "getConnection", FRAME_TASK },
	{ "org.apache.tomcat.jdbc.pool.ConnectionPool", "borrowConnection", FRAME_TASK },
	{ "org.apache.commons.pool2.impl.GenericObjectPool", "borrowObject", FRAME_TASK },
	{ "org.apache.commons.pool2.impl.GenericKeyedObjectPool", "borrowObject", FRAME_TASK },
	{ "java.util.TimerThread", "mainLoop", FRAME_LOOP },
	{ "sun.nio.ch.EPollPort$EventHandlerTask", "run", FRAME_LOOP },
	{ "java.lang.ref.Finalizer", "runFinalizer", FRAME_TASK },
	{ "java.lang.ref.Reference", "waitForReferencePendingList", FRAME_IDLE },
	{ "java.lang.ref.Reference$ReferenceHandler", "run", FRAME_LOOP },
	{ "java.lang.VirtualThread", "unblockVirtualThreads takeVirtualThreadListToUnblock", FRAME_IDLE },
	{ "java.lang.VirtualThread", "run", FRAME_TASK },
	{ "java.lang.UNIXProcess", "waitForProcessExit", FRAME_IDLE },
	{ "java.lang.ProcessHandleImpl", "waitForProcessExit0", FRAME_IDLE },
	{ "sun.rmi.transport.GC$Daemon", "run", FRAME_LOOP },
	{ "sun.misc.GC$Daemon", "run", FRAME_LOOP },
	{ "com.sun.jmx.remote.internal.ServerCommunicatorAdmin$Timeout", "run", FRAME_LOOP },
	{ "sun.rmi.transport.Transport", "serviceCall", FRAME_TASK },
	{ "sun.rmi.transport.tcp.TCPTransport", "handleMessages", FRAME_IDLE },
	{ "java.net.ServerSocket", "accept implAccept", FRAME_IDLE },
	{ "java.net.PlainSocketImpl", "socketAccept", FRAME_IDLE },
	{ "sun.nio.ch.ServerSocketChannelImpl", "accept accept0", FRAME_IDLE },
	{ "sun.nio.ch.UnixAsynchronousServerSocketChannelImpl", "accept0", FRAME_IDLE },
	{ "sun.nio.ch.UnixDomainSockets", "accept accept0", FRAME_IDLE },
	{ "org.apache.tomcat.jni.Socket", "accept acceptx", FRAME_IDLE },
	{ "org.apache.tomcat.jni.Poll", "poll", FRAME_IDLE },
	{ "sun.nio.ch.EPoll", "wait epollWait", FRAME_IDLE },
	{ "sun.nio.ch.EPollArrayWrapper", "epollWait", FRAME_IDLE },
	{ "sun.nio.ch.PollArrayWrapper", "poll0", FRAME_IDLE },
	{ "sun.nio.ch.PollSelectorImpl", "poll", FRAME_IDLE },
	{ "sun.nio.ch.KQueue", "poll keventPoll", FRAME_IDLE },
	{ "sun.nio.ch.KQueueArrayWrapper", "kevent0", FRAME_IDLE },
	{ "sun.nio.ch.WEPoll", "wait", FRAME_IDLE },
	{ "sun.nio.ch.WindowsSelectorImpl$SubSelector", "poll0", FRAME_IDLE },
	{ "sun.nio.ch.Iocp", "getQueuedCompletionStatus", FRAME_IDLE },
	{ "sun.nio.fs.LinuxWatchService", "poll", FRAME_IDLE },
	{ "*io.netty.channel.epoll.Native", "epollWait epollWait0", FRAME_IDLE },
	{ "*io.netty.channel.kqueue.Native", "keventWait", FRAME_IDLE },
	{ "*io.netty.channel.uring.Native", "ioUringEnter", FRAME_IDLE },
};
/* clang-format on */

/*
 * The callers tell whether a waiting thread is idle, not the leaf: a pool's
 * queue, a selector and a request that waits for a reply have the same leaf.
 * Native and kernel functions below the Java frames only wait for these.
 */
bool idle_stack_waits(const struct profile *p, uint32_t stack)
{
	bool only_parks = true, consumes = false;

	for (uint32_t at = stack; at; at = p->stacks[at].caller) {
		const struct frame *f = &p->frames[p->stacks[at].frame];
		int role;

		if (!frame_is_java_call(f))
			continue;
		role = method_call_find(roles, sizeof(roles) / sizeof(*roles),
					p, f, FRAME_OTHER);
		if (role == FRAME_IDLE)
			return true;
		if (role == FRAME_TASK)
			return false;
		if (role == FRAME_LOOP)
			return only_parks;
		consumes |= role == FRAME_CONSUMES;
		only_parks &= role != FRAME_OTHER;
	}
	return consumes;
}

/* ---- samples of waits ---- */

/* Functions of libc in which a thread waits for another one. */
static bool frame_waits_in_libc(const struct profile *p, const struct frame *f)
{
	return f->kind == FRAME_NATIVE &&
	       has_any(profile_text(p, f->method),
		       "cond_wait|cond_timedwait|cond_clockwait|sem_wait|"
		       "sem_timedwait|sem_clockwait|futex_abstimed_wait|join|"
		       "accept",
		       false);
}

/* What a stack trace tells about a thread that is not running. */
enum stack_wait {
	STACK_UNKNOWN,
	STACK_OTHER,
	STACK_IDLE,       /* Java code waits for work */
	STACK_LAUNCHER,   /* the first thread of the launcher waits for main */
	STACK_NATIVE_WAIT /* idle if the thread belongs to the JVM */
};

static enum stack_wait stack_judge(const struct profile *p, uint32_t stack)
{
	bool waits = false, in_kernel = false, unnamed = false;

	for (uint32_t at = stack; at; at = p->stacks[at].caller) {
		const struct frame *f = &p->frames[p->stacks[at].frame];

		if (frame_is_java_call(f))
			return idle_method_is(p, f) && idle_stack_waits(p, at)
				       ? STACK_IDLE
				       : STACK_OTHER;
		/*
		 * Most libraries have exported symbols only: the function that
		 * waits has no name, but that of a mutex calls it by its own.
		 */
		waits |= frame_waits_in_libc(p, f) ||
			 (unnamed && !has_any(profile_text(p, f->method),
					      "mutex|rwlock", false));
		in_kernel |= f->kind == FRAME_KERNEL;
		/* A frame of libc without a symbol: "[libc.so.6+0x85e50]" */
		unnamed = in_kernel && f->kind == FRAME_NATIVE &&
			  has_any(profile_text(p, f->method), "[libc|[ld-musl",
				  true);
		if (waits &&
		    strcmp(profile_text(p, f->method), "JLI_Launch") == 0)
			return STACK_LAUNCHER;
	}
	return waits ? STACK_NATIVE_WAIT : STACK_OTHER;
}

/* Also of those threads of the JVM that JMX lists among those of Java. */
static bool thread_is_of_jvm(const struct profile *p, uint32_t thread)
{
	const char *name = profile_text(p, p->threads[thread].name);

	return thread_names_kind_of(name) != THREAD_UNKNOWN ||
	       has_any(name,
		       "Signal Dispatch|Attach Listener|Notification Th|"
		       "DestroyJavaVM",
		       true);
}

bool view_has_waits(const struct event_view *view)
{
	const char *dot = strrchr(view->name, '.');

	return word_list_has("offcpu wall", ' ', dot ? dot + 1 : view->name,
			     strlen(dot ? dot + 1 : view->name));
}

bool *idle_cells(const struct profile *p, const struct event_view *view)
{
	bool *idle, *in_view, has_any = false;
	uint8_t *judged;

	if (!view_has_waits(view))
		return NULL;
	idle = xcalloc(p->cell_count + 1, sizeof(*idle));
	judged = xcalloc(p->stack_count, 1);
	in_view = view_events(p, view);
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!in_view[c->event])
			continue;
		if (!judged[c->stack])
			judged[c->stack] = (uint8_t)stack_judge(p, c->stack);
		idle[i] = judged[c->stack] == STACK_IDLE ||
			  judged[c->stack] == STACK_LAUNCHER ||
			  (judged[c->stack] == STACK_NATIVE_WAIT &&
			   thread_is_of_jvm(p, c->thread));
		has_any |= idle[i];
	}
	free(in_view);
	free(judged);
	if (has_any)
		return idle;
	free(idle);
	return NULL;
}

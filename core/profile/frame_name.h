/* SPDX-License-Identifier: Apache-2.0 */
/* frame_name: the text of a frame, the same in all output formats. */
#ifndef CORE_PROFILE_FRAME_NAME_H
#define CORE_PROFILE_FRAME_NAME_H

#include "core/base/text.h"
#include "core/profile/profile.h"

#include <stdbool.h>

/* Options of all output formats that draw or report stack traces. */
struct style {
	/* Of each frame. */
	bool simple; /* Class.method instead of package.Class.method */
	bool lines;  /* append :LINE if known */
	/*
	 * Append the frame type as other tools do: _[0] interpreted, _[1] C1,
	 * _[j] JIT, _[i] inlined, _[k] kernel.
	 */
	bool annotate;
	/* Options of the whole output, which frame_name() ignores. */
	bool threads; /* the thread as root frame */
	bool reverse; /* from the leaf frame to the root */
	bool weights; /* weights instead of numbers of samples */
};

/*
 * Appends the name, made safe (core/base/safe_text.h): class and method
 * separated by a dot, as far as known, or "[unknown]". The class of an array
 * reads as in Java: byte[] for [B.
 */
void frame_name(struct text *out, const struct profile *p,
		const struct frame *f, const struct style *style);

/*
 * True for a Java class outside the JDK; False for frames without a class, such
 * as those of the kernel, of libraries and of the JVM.
 */
bool frame_is_application(const struct profile *p, const struct frame *f);

/* True for a Java method, which may be native. */
bool frame_is_java_call(const struct frame *f);

/* True for a Java class of the JDK, by its package. */
bool frame_is_jdk(const struct profile *p, const struct frame *f);

/*
 * Appends the frame as Throwable.printStackTrace() prints it, made safe:
 * "a.b.Class.method(Class.java:12)". Without keep_exact, a profile has no
 * names of files: the file is that of the outermost class.
 */
void frame_place_name(struct text *out, const struct profile *p,
		      const struct frame *f);

/*
 * Appends the parameters of a method descriptor (JVMS 4.3.3) as in Java:
 * "(long, String)" for "(JLjava/lang/String;)V", with the packages of classes
 * unless simple; made safe. Returns false, with nothing appended, when it is
 * not a descriptor.
 */
bool frame_parameters(struct text *out, const char *descriptor, size_t len,
		      bool simple);

/*
 * Appends "[name tid=12]", the root frame of a thread, with the kernel's id or
 * else Java's, if there is one.
 */
void thread_frame_name(struct text *out, const struct profile *p,
		       uint32_t thread);

#endif

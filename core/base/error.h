/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error: the reason of a failure as a value.
 *
 * Functions that can fail take a struct error as the last parameter and return
 * 0 or -1, a pointer or NULL. On failure *err has the reason; on success it is
 * untouched. Callers that know more prepend it with fail_in(). Only cmd/
 * prints.
 */
#ifndef CORE_BASE_ERROR_H
#define CORE_BASE_ERROR_H

/* Each kind is also the exit status of the process: EXIT STATUS in sjkc(1). */
enum error_kind {
	ERROR_NONE = 0,
	ERROR_FAILED = 1,
	ERROR_MISUSE = 2,
	ERROR_NO_TARGET = 3,
	ERROR_PERMISSION = 4,
	ERROR_REFUSED = 5,
	ERROR_INPUT = 6,
	ERROR_PARTIAL = 7,
	ERROR_UNAVAILABLE = 8,
	ERROR_OUTPUT = 9,
	ERROR_GATE = 10, /* the user's limit of a result is exceeded */
};

struct error {
	enum error_kind kind; /* with no text: the status of another program */
	int sys;              /* the errno behind the failure, or 0 */
	char text[512];
};

/* For callers that need no reason. */
#define error_unused() (&(struct error){ .kind = ERROR_NONE })

/* Each sets *err and returns -1, so that a caller may `return fail(...)`. */
int fail(struct error *err, enum error_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends ": " and the text of errno. */
int fail_sys(struct error *err, enum error_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Prepends context and ": " to an error already set. */
int fail_in(struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_options: the options that describe a backend, of commands that send
 * requests to it.
 */
#ifndef CMD_SHARED_PUSH_OPTIONS_H
#define CMD_SHARED_PUSH_OPTIONS_H

#include "cmd/shared/command.h"
#include "core/base/error.h"
#include "core/push/push.h"

/* Only the values of options; NULL: not given. */
struct push_options {
	const char *url; /* or "env" */
	const char *format;
	const char *header_file;
	const char *cacert, *cert, *key, *server_name;
};

/*
 * The rows of an option table, after that of --push. is_rare hides them from
 * --help.
 */
/* clang-format off */
#define OPT_PUSH(o, is_rare) \
	OPT_CHOICE(0, "push-format", &(o)->format, \
		   "otlp|grpc|pyroscope|parca", \
		   "with --push: set the protocol (default: by URL)", \
		   .rare = (is_rare)), \
	OPT_STRING(0, "header-file", &(o)->header_file, "<file>", \
		   "with --push: send the headers in this file", \
		   .rare = (is_rare)), \
	OPT_STRING(0, "cacert", &(o)->cacert, "<file>", \
		   "with --push: trust the certificates in a file", \
		   .rare = (is_rare)), \
	OPT_STRING(0, "cert", &(o)->cert, "<file>", \
		   "with --push: present this client certificate", \
		   .rare = (is_rare)), \
	OPT_STRING(0, "key", &(o)->key, "<file>", \
		   "with --push: use this private key", \
		   .rare = (is_rare)), \
	OPT_STRING(0, "server-name", &(o)->server_name, "<name>", \
		   "with --push: expect this name in the certificate", \
		   .rare = (is_rare))
/* clang-format on */

/* Returns the format of --push-format. */
enum push_format push_options_format(const struct push_options *o);

/*
 * Makes the settings of the URL, and prints which variables of the environment
 * are ignored. Checks the files. ERROR_MISUSE, ERROR_INPUT; release the
 * settings even then.
 */
int push_options_set(struct push_settings *s, const struct push_options *o,
		     struct error *err);

/* Prints a warning if headers, which may be secrets, leave this machine bare.
 */
void push_options_warn(const struct push_settings *s);

#endif

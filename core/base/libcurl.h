/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl: functions of libcurl, which is loaded when a command needs it: its
 * libraries would double the start of all others.
 */
#ifndef CORE_BASE_LIBCURL_H
#define CORE_BASE_LIBCURL_H

#include "core/base/error.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <limits.h>
/* Macros that count arguments do not work with pointers to functions. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

/* Valid after libcurl_load(). */
extern struct libcurl {
	void *library;
	CURLcode (*global_init)(long flags);
	CURL *(*easy_init)(void);
	void (*easy_cleanup)(CURL *easy);
	CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
	CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
	CURLcode (*easy_perform)(CURL *easy);
	const char *(*easy_strerror)(CURLcode code);
	struct curl_slist *(*slist_append)(struct curl_slist *list,
					   const char *text);
	void (*slist_free_all)(struct curl_slist *list);
} curl;

/*
 * Loads libcurl.so.4 once per process; the option that requires it is named in
 * messages. ERROR_UNAVAILABLE.
 */
int libcurl_load(const char *option, struct error *err);

/*
 * Finds the PEM file of the certificates that the system trusts: $SSL_CERT_FILE
 * or the first existing path of those that distributions use.  root precedes
 * these paths; it is "" except in tests.  Returns path, or NULL if there is no
 * such file.
 */
const char *trusted_find_bundle(char path[PATH_MAX], const char *root);

/*
 * Lets a handle trust the certificates that all TLS clients of sjkc trust:
 * libcurl knows only those of the distribution that built it, and ignores
 * $SSL_CERT_FILE and $SSL_CERT_DIR.
 */
void libcurl_trust_system(CURL *easy);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/libcurl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct libcurl curl;

int libcurl_load(const char *option, struct error *err)
{
	const struct {
		const char *name;
		void *at;
	} functions[] = {
		{ "curl_global_init", &curl.global_init },
		{ "curl_easy_init", &curl.easy_init },
		{ "curl_easy_cleanup", &curl.easy_cleanup },
		{ "curl_easy_setopt", &curl.easy_setopt },
		{ "curl_easy_getinfo", &curl.easy_getinfo },
		{ "curl_easy_perform", &curl.easy_perform },
		{ "curl_easy_strerror", &curl.easy_strerror },
		{ "curl_slist_append", &curl.slist_append },
		{ "curl_slist_free_all", &curl.slist_free_all },
	};
	void *library;

	if (curl.library)
		return 0;
	library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return fail(err, ERROR_UNAVAILABLE,
			    "cannot load libcurl.so.4, which %s requires: %s; "
			    "install the package libcurl4",
			    option, dlerror());
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function) {
			fail(err, ERROR_UNAVAILABLE,
			     "libcurl.so.4 has no %s; install a libcurl of "
			     "version 7.56 or later",
			     functions[i].name);
			dlclose(library);
			return -1;
		}
		memcpy(functions[i].at, &function, sizeof(function));
	}
	curl.global_init(CURL_GLOBAL_DEFAULT);
	curl.library = library;
	return 0;
}

/* The list of Go's crypto/x509, root_linux.go. */
static const char *const system_bundles[] = {
	"/etc/ssl/certs/ca-certificates.crt",                /* Debian */
	"/etc/pki/tls/certs/ca-bundle.crt",                  /* Fedora, RHEL */
	"/etc/ssl/ca-bundle.pem",                            /* SUSE */
	"/etc/pki/tls/cacert.pem",                           /* OpenELEC */
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* RHEL 7 */
	"/etc/ssl/cert.pem",                                 /* Alpine */
};

const char *trusted_find_bundle(char path[PATH_MAX], const char *root)
{
	const char *chosen = getenv("SSL_CERT_FILE");

	if (chosen && *chosen) {
		snprintf(path, PATH_MAX, "%s", chosen);
		return path;
	}
	for (size_t i = 0; i < sizeof(system_bundles) / sizeof(*system_bundles);
	     i++) {
		snprintf(path, PATH_MAX, "%s%s", root, system_bundles[i]);
		if (access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

void libcurl_trust_system(CURL *easy)
{
	const char *directory = getenv("SSL_CERT_DIR");
	char path[PATH_MAX];

	if (directory && *directory) {
		curl.easy_setopt(easy, CURLOPT_CAPATH, directory);
		curl.easy_setopt(easy, CURLOPT_CAINFO, getenv("SSL_CERT_FILE"));
	} else if (trusted_find_bundle(path, "")) {
		curl.easy_setopt(easy, CURLOPT_CAINFO, path);
	}
}

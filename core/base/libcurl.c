/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/libcurl.h"

#include <dlfcn.h>
#include <string.h>

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

/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/perfdata.h"

/* All since JDK 5; both are product flags. */
static const char *const reasons[] = {
	"-XX:-UsePerfData",
	"-XX:+PerfDisableSharedMem",
};

void perfdata_explain(const struct jvm *jvm, struct error *err)
{
	struct jvm_about about;
	struct error unused;

	if (err->kind != ERROR_UNAVAILABLE || jvm_about(jvm, &about, &unused))
		return;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (jvm_about_option(&about, reasons[i]))
			fail(err, ERROR_UNAVAILABLE,
			     "%d shows no counters: it was started with %s",
			     jvm->pid, reasons[i]);
	}
	jvm_about_release(&about);
}

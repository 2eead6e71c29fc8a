/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	connect_often TARGET COUNT
 *
 * Connects, reads the number of MBeans and an attribute, and closes, COUNT
 * times. Prints its open files and its memory, after the first connections and
 * at the end: "files 4 4", "kB 3000 3000".
 */
#include "jmx_http/rmi/rmi_client.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static unsigned long memory_kb(void)
{
	char text[64] = "";
	FILE *f = fopen("/proc/self/statm", "re");
	size_t len = fread(text, 1, sizeof(text) - 1, f);
	const char *resident = strchr(text, ' ');

	fclose(f);
	return len && resident ? strtoul(resident, NULL, 10) *
					 (unsigned long)(getpagesize() / 1024)
			       : 0;
}

static int take(void *self, size_t index, const struct jmx_reply *reply,
		struct error *err)
{
	(void)index;
	if (reply->failure)
		return fail(err, reply->kind, "%s", reply->failure);
	++*(unsigned *)self;
	return 0;
}

static int connect_once(const char *target, struct error *err)
{
	static const char *const names[] = { "VmName", "SystemProperties" };
	static const struct jmx_request requests[] = {
		{ .verb = JMX_COUNT },
		{ .verb = JMX_GET,
		  .object = "java.lang:type=Runtime",
		  .names = names,
		  .name_count = 2 },
	};
	struct jmx_target options = { .address = target };
	struct jmx *jmx = rmi_client_open(&options, err);
	unsigned replies = 0;
	int ret = -1;

	if (jmx)
		ret = jmx_run(jmx, requests, 2, take, &replies, err);
	jmx_close(jmx);
	return ret ? ret : replies == 2 ? 0 : -1;
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long kb = 0;
	unsigned open = 0;
	struct error err = { 0 };

	for (unsigned long i = 0; i < count; i++) {
		if (connect_once(argv[1], &err)) {
			fprintf(stderr, "%lu: %s\n", i, err.text);
			return (int)err.kind;
		}
		if (i == count / 10) {
			open = files();
			kb = memory_kb();
		}
	}
	printf("files %u %u\nkB %lu %lu\n", open, files(), kb, memory_kb());
	return 0;
}

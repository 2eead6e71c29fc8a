/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/listeners.h"

#include "core/base/alloc.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/net_table.h"
#include "core/jvm/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* The kernel prints listening sockets before all others. */
	TABLE_MAX = 4 << 20,
	FILES_MAX = 1 << 20,
};

void listeners_parse(struct listeners *l, const char *text, size_t len)
{
	struct lines lines = lines_over(text, len);
	struct line line;
	struct net_socket one;

	while (lines_next(&lines, &line)) {
		struct listener found = { 0 };

		if (!net_table_parse(line, &one) || one.state != NET_LISTEN)
			continue;
		found.inode = one.inode;
		memcpy(&found.address, &one.local, sizeof(one.local));
		array_add(l->list, l->count, l->cap, found);
	}
}

/* Moves the listener of this inode to the front, to those of the process. */
static void listeners_claim(struct listeners *l, size_t *own, uint64_t inode)
{
	for (size_t i = *own; i < l->count; i++) {
		struct listener found = l->list[i];

		if (found.inode != inode)
			continue;
		l->list[i] = l->list[*own];
		l->list[(*own)++] = found;
		return;
	}
}

/* Keeps the listeners whose sockets the process has open. */
static int listeners_keep_own(struct listeners *l, pid_t pid, struct error *err)
{
	int fd = procfs_open(pid, "fd", O_RDONLY | O_DIRECTORY, err);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	size_t own = 0, files = 0;
	char to[64];

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (files++ < FILES_MAX && own < l->count &&
	       (entry = readdir(dir))) {
		ssize_t len = readlinkat(fd, entry->d_name, to, sizeof(to));
		uint64_t inode;

		if (len > 0 &&
		    net_link_parse(to, (size_t)len, "socket:", &inode))
			listeners_claim(l, &own, inode);
	}
	closedir(dir);
	l->count = own;
	return 0;
}

int listeners_read(struct listeners *l, pid_t pid, struct error *err)
{
	struct text table = { 0 };
	struct error no_ipv6;
	int ret;

	*l = (struct listeners){ 0 };
	ret = procfs_read(pid, "net/tcp", TABLE_MAX, &table, err);
	listeners_parse(l, table.bytes, table.len);
	if (ret == 0 &&
	    procfs_read(pid, "net/tcp6", TABLE_MAX, &table, &no_ipv6) == 0)
		listeners_parse(l, table.bytes, table.len);
	if (ret == 0)
		ret = listeners_keep_own(l, pid, err);
	text_release(&table);
	return ret;
}

/* The port of an IPv4 or IPv6 address; 0 for other families. */
static uint16_t listener_port(const struct listener *l)
{
	if (l->address.ss_family == AF_INET6)
		return ntohs(
			((const struct sockaddr_in6 *)&l->address)->sin6_port);
	return ntohs(((const struct sockaddr_in *)&l->address)->sin_port);
}

bool listener_is_loopback(const struct listener *l)
{
	const struct sockaddr_in6 *six;
	const struct sockaddr_in *four;

	if (l->address.ss_family == AF_INET6) {
		six = (const struct sockaddr_in6 *)&l->address;
		return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
	}
	four = (const struct sockaddr_in *)&l->address;
	return ntohl(four->sin_addr.s_addr) >> 24 == 127;
}

const struct listener *listeners_next(const struct listeners *l, uint16_t port,
				      size_t *at)
{
	while (*at < l->count) {
		const struct listener *one = &l->list[(*at)++];

		if (listener_port(one) == port)
			return one;
	}
	return NULL;
}

void listeners_release(struct listeners *l)
{
	free(l->list);
	*l = (struct listeners){ 0 };
}

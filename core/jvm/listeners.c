/* SPDX-License-Identifier: Apache-2.0 */
#include "core/jvm/listeners.h"

#include "core/base/alloc.h"
#include "core/base/lines.h"
#include "core/base/text.h"
#include "core/jvm/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* The kernel prints listening sockets before all others. */
	TABLE_MAX = 4 << 20,
	STATE_LISTEN = 0x0a, /* TCP_LISTEN in the kernel's tcp_states.h */
	FILES_MAX = 1 << 20,
};

/* Parses a word of digits; false for other words. */
static bool listener_read_number(const char *word, size_t len, int base,
				 unsigned long long *value)
{
	char digits[24], *end;

	if (len == 0 || len >= sizeof(digits) || !isxdigit((uint8_t)*word))
		return false;
	memcpy(digits, word, len);
	digits[len] = '\0';
	errno = 0;
	*value = strtoull(digits, &end, base);
	return errno == 0 && *end == '\0';
}

/* Each word of an address is in host byte order. */
static bool listener_read_address(const char *hex, uint8_t *bytes, size_t words)
{
	for (size_t i = 0; i < words; i++) {
		unsigned long long value;
		uint32_t word;

		if (!listener_read_number(hex + 8 * i, 8, 16, &value))
			return false;
		word = (uint32_t)value;
		memcpy(bytes + 4 * i, &word, 4);
	}
	return true;
}

/* hex has len digits, followed by the rest of the line. */
static bool listener_set_address(struct listener *l, const char *hex,
				 size_t len, uint16_t port)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&l->address;
	struct sockaddr_in *four = (struct sockaddr_in *)&l->address;
	struct in6_addr address;

	if (len == 32) {
		if (!listener_read_address(hex, address.s6_addr, 4))
			return false;
		if (!IN6_IS_ADDR_V4MAPPED(&address)) {
			six->sin6_family = AF_INET6;
			six->sin6_port = htons(port);
			six->sin6_addr = address;
			return true;
		}
		memcpy(&four->sin_addr, address.s6_addr + 12, 4);
	} else if (len != 8 ||
		   !listener_read_address(hex, (uint8_t *)&four->sin_addr, 1)) {
		return false;
	}
	four->sin_family = AF_INET;
	four->sin_port = htons(port);
	return true;
}

/* Indices of the words that are used. */
enum { COLUMN_LOCAL = 1, COLUMN_STATE = 3, COLUMN_INODE = 9, COLUMN_COUNT };

/*
 * A line reads "0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000
 * 00000000 0 0 12345 …": slot, local and remote address, state, queues, timer,
 * retries, uid, timeout, inode. Returns false for others, such as the heading.
 */
static bool listener_read_line(struct line line, struct listener *l)
{
	struct line words[COLUMN_COUNT] = { { "", 0 } };
	unsigned long long port, state, inode;
	const char *colon;

	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		line = line_trimmed(line);
		words[i].text = line.text;
		while (line.len && *line.text != ' ') {
			line.text++;
			line.len--;
			words[i].len++;
		}
	}
	colon = memchr(words[COLUMN_LOCAL].text, ':', words[COLUMN_LOCAL].len);
	if (!colon ||
	    words[COLUMN_LOCAL].text + words[COLUMN_LOCAL].len - colon != 5)
		return false;
	if (!listener_read_number(colon + 1, 4, 16, &port) ||
	    !listener_read_number(words[COLUMN_STATE].text,
				  words[COLUMN_STATE].len, 16, &state) ||
	    !listener_read_number(words[COLUMN_INODE].text,
				  words[COLUMN_INODE].len, 10, &inode))
		return false;
	*l = (struct listener){ .inode = inode };
	return state == STATE_LISTEN &&
	       listener_set_address(l, words[COLUMN_LOCAL].text,
				    (size_t)(colon - words[COLUMN_LOCAL].text),
				    (uint16_t)port);
}

void listeners_parse(struct listeners *l, const char *text, size_t len)
{
	struct lines lines = lines_over(text, len);
	struct line line;
	struct listener one;

	while (lines_next(&lines, &line)) {
		if (!listener_read_line(line, &one))
			continue;
		array_add(l->list, l->count, l->cap, one);
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
	const size_t prefix = sizeof("socket:[") - 1;
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
		unsigned long long inode;

		if (len > (ssize_t)prefix && to[len - 1] == ']' &&
		    memcmp(to, "socket:[", prefix) == 0 &&
		    listener_read_number(to + prefix, (size_t)len - prefix - 1,
					 10, &inode))
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

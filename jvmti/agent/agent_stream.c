/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/agent/agent_stream.h"

#include "jvmti/agent/agent_system.h"

#define BUFFER ((size_t)256 << 10)

/* The lock protects all fields but the counts of losses, and reads of fd. */
static struct {
	int lock;
	int fd; /* descriptor + 1; 0 = none */
	uint8_t *buffer;
	size_t used;
	uint64_t buffered; /* number of records in the buffer */
	struct agent_orders orders;
	struct agent_report report;
	uint64_t lost, delayed, cut;
} stream;

static long stream_call_at(long number, const void *bytes, size_t len,
			   uint64_t offset)
{
	long done;

	do
		done = system_call(number, stream.fd - 1, (long)bytes,
				   (long)len, (long)offset, 0, 0);
	while (done == -SYSTEM_EINTR);
	return done;
}

static bool stream_write_all(const uint8_t *bytes, size_t len, uint64_t offset)
{
	while (len) {
		long done = stream_call_at(SYSTEM_PWRITE, bytes, len, offset);

		if (done <= 0)
			return false;
		bytes += done;
		len -= (size_t)done;
		offset += (uint64_t)done;
	}
	return true;
}

static bool stream_is_open(void)
{
	return __atomic_load_n(&stream.fd, __ATOMIC_ACQUIRE) != 0;
}

static void stream_count_lost(uint64_t records)
{
	__atomic_fetch_add(&stream.lost, records, __ATOMIC_RELAXED);
}

void stream_lose(void) { stream_count_lost(1); }

static void stream_count_delayed(uint64_t records)
{
	__atomic_fetch_add(&stream.delayed, records, __ATOMIC_RELAXED);
}

void stream_delay(void) { stream_count_delayed(1); }

void stream_cut(void) { __atomic_fetch_add(&stream.cut, 1, __ATOMIC_RELAXED); }

uint64_t stream_losses(void)
{
	return __atomic_load_n(&stream.lost, __ATOMIC_RELAXED) +
	       __atomic_load_n(&stream.delayed, __ATOMIC_RELAXED);
}

/* Writes the report.  The lock must be held. */
static void stream_write_report(void)
{
	struct agent_report *r = &stream.report;

	r->not_produced = ~r->produced;
	r->lost = __atomic_load_n(&stream.lost, __ATOMIC_RELAXED);
	r->delayed = __atomic_load_n(&stream.delayed, __ATOMIC_RELAXED);
	r->cut = __atomic_load_n(&stream.cut, __ATOMIC_RELAXED);
	stream_write_all((const uint8_t *)r, sizeof(*r), AGENT_REPORT_AT);
}

/*
 * Returns true when the ring has room for len bytes; reads the client's
 * position if needed.
 */
static bool stream_has_room(size_t len)
{
	struct agent_orders now = { 0 };
	uint64_t left = stream.report.produced - stream.orders.consumed;

	if (left + len <= AGENT_RING)
		return true;
	if (stream_call_at(SYSTEM_PREAD, &now, sizeof(now), 0) == sizeof(now) &&
	    now.consumed == ~now.not_consumed &&
	    now.consumed <= stream.report.produced)
		stream.orders.consumed = now.consumed;
	left = stream.report.produced - stream.orders.consumed;
	return left + len <= AGENT_RING;
}

/*
 * Writes into the ring.  Returns false when nothing or only a part was written.
 */
static bool stream_write_ring(const uint8_t *bytes, size_t len)
{
	uint64_t at = stream.report.produced % AGENT_RING;
	size_t first = len;

	if (!stream_has_room(len))
		return false;
	if (first > AGENT_RING - at)
		first = (size_t)(AGENT_RING - at);
	if (!stream_write_all(bytes, first, AGENT_HEADER + at) ||
	    !stream_write_all(bytes + first, len - first, AGENT_HEADER))
		return false;
	stream.report.produced += len;
	return true;
}

/* Writes the buffer to the ring.  The lock must be held. */
static bool stream_flush(void)
{
	bool is_kept = !stream.used ||
		       stream_write_ring(stream.buffer, stream.used);

	if (!is_kept)
		stream_count_lost(stream.buffered);
	stream.used = 0;
	stream.buffered = 0;
	stream_write_report();
	return is_kept;
}

static long stream_open_file(const char *path)
{
	return system_call(SYSTEM_OPENAT, SYSTEM_AT_FDCWD, (long)path,
			   SYSTEM_O_RDWR | SYSTEM_O_NOFOLLOW | SYSTEM_O_CLOEXEC,
			   0, 0, 0);
}

void stream_report_busy(const char *path)
{
	struct agent_report busy = { .not_produced = ~UINT64_C(0),
				     .state = AGENT_BUSY };
	long fd = stream_open_file(path);

	if (fd < 0)
		return;
	system_call(SYSTEM_PWRITE, fd, (long)&busy, sizeof(busy),
		    AGENT_REPORT_AT, 0, 0);
	system_call(SYSTEM_CLOSE, fd, 0, 0, 0, 0, 0);
}

/* Begins a stream.  The lock must be held.  Returns 0 or the errno. */
static int stream_begin(int fd)
{
	int code = 0;

	if (!stream.buffer)
		stream.buffer = system_map(BUFFER, &code);
	if (code)
		return code;
	stream.used = 0;
	stream.buffered = 0;
	stream.lost = 0;
	stream.delayed = 0;
	stream.cut = 0;
	memset(&stream.report, 0, sizeof(stream.report));
	memset(&stream.orders, 0, sizeof(stream.orders));
	__atomic_store_n(&stream.fd, fd + 1, __ATOMIC_RELEASE);
	stream_call_at(SYSTEM_PREAD, &stream.orders, sizeof(stream.orders), 0);
	return 0;
}

int stream_open(const char *path)
{
	int code = SYSTEM_EBUSY;
	long fd = stream_open_file(path);

	if (fd < 0)
		return (int)fd;
	if (system_wait(&stream.lock)) {
		code = stream_is_open() ? SYSTEM_EBUSY : stream_begin((int)fd);
		system_unlock(&stream.lock);
	}
	if (code)
		system_call(SYSTEM_CLOSE, fd, 0, 0, 0, 0, 0);
	return -code;
}

const struct agent_orders *stream_orders(void) { return &stream.orders; }

bool stream_is_watched(void)
{
	struct system_flock lock = { .type = SYSTEM_F_WRLCK };
	int fd = __atomic_load_n(&stream.fd, __ATOMIC_ACQUIRE);

	return fd &&
	       system_call(SYSTEM_FCNTL, fd - 1, SYSTEM_F_OFD_GETLK,
			   (long)&lock, 0, 0, 0) == 0 &&
	       lock.type != SYSTEM_F_UNLCK;
}

static void stream_count_record(enum stream_count count, unsigned methods)
{
	uint64_t *counts[STREAM_COUNTS] = {
		[STREAM_LOADS] = &stream.report.loads,
		[STREAM_UNLOADS] = &stream.report.unloads,
		[STREAM_GENERATED] = &stream.report.generated,
	};

	if (counts[count])
		++*counts[count];
	stream.report.methods += methods;
}

/* Adds records to the buffer.  The lock must be held. */
static bool stream_buffer(const void *bytes, size_t len, unsigned methods)
{
	if (len > BUFFER - stream.used)
		stream_flush();
	if (len > BUFFER)
		return stream_write_ring(bytes, len);
	memcpy(stream.buffer + stream.used, bytes, len);
	stream.used += len;
	stream.buffered += methods + 1;
	return true;
}

bool stream_add(const void *bytes, size_t len, enum stream_count kind,
		unsigned methods, bool later)
{
	bool is_added = false, is_kept = true;

	if (!stream_is_open()) {
		stream_count_lost(methods + 1);
		return false;
	}
	if (!(kind == STREAM_PROBES ? system_try(&stream.lock)
				    : system_wait(&stream.lock))) {
		stream_count_delayed(methods + 1);
		return false;
	}
	if (stream_is_open()) {
		is_added = stream_buffer(bytes, len, methods);
		if (is_added)
			stream_count_record(kind, methods);
		if (!later)
			is_kept = stream_flush();
	}
	system_unlock(&stream.lock);
	if (!is_added)
		stream_count_lost(methods + 1);
	return is_added && is_kept;
}

void stream_report_probes(int fd)
{
	if (!system_wait(&stream.lock))
		return;
	stream.report.probes_fd = (uint32_t)(fd + 1);
	system_unlock(&stream.lock);
}

void stream_report(enum agent_state state, enum agent_step step, int code,
		   uint64_t replay_ns, const void *jni)
{
	if (!system_wait(&stream.lock))
		return;
	stream.report.state = state;
	stream.report.step = step;
	stream.report.code = code;
	if (replay_ns)
		stream.report.replay_ns = replay_ns;
	if (jni)
		stream.report.jni = (uintptr_t)jni;
	if (stream_is_open())
		stream_flush();
	system_unlock(&stream.lock);
}

bool stream_close(void)
{
	int fd;

	if (!system_wait(&stream.lock))
		return false;
	fd = stream.fd;
	__atomic_store_n(&stream.fd, 0, __ATOMIC_RELEASE);
	if (fd)
		system_call(SYSTEM_CLOSE, fd - 1, 0, 0, 0, 0, 0);
	system_unmap(stream.buffer, BUFFER);
	stream.buffer = NULL;
	system_unlock(&stream.lock);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * sampler_memory: the sampler's programs for native memory and page faults, a
 * part of sampler.bpf.c.
 *
 * A function that allocates is probed at its entry.  Only if the block is
 * chosen, the return is observed, too, which has the address: by the same
 * program (a session, Linux 6.13) or by another one, which runs at each return.
 *
 * Mappings are all sent, in the order in which they change; the reader keeps
 * them.
 */
#ifndef BPF_KERNEL_SAMPLER_MEMORY_BPF_H
#define BPF_KERNEL_SAMPLER_MEMORY_BPF_H

/* Set before loading: the mean number of bytes between two samples. */
const volatile __u64 block_interval;

/* The time of allocation of sampled blocks that are not freed. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLER_BLOCKS);
	__type(key, struct sampler_block);
	__type(value, __u64);
} blocks SEC(".maps");

/*
 * By the TID in the initial PID namespace, with a bit for mappings: a function
 * that allocates calls mmap().
 */
#define PENDING_MAP (1U << 31)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SAMPLER_PENDING);
	__type(key, __u32);
	__type(value, struct pending_block);
} pending SEC(".maps");

/* The places of the arguments of USDT probes, by the cookie of the probe. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SAMPLER_USDTS);
	__type(key, __u32);
	__type(value, struct usdt_arguments);
} usdts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct block_calls);
} block_calls SEC(".maps");

struct area fault_areas SEC(".maps");

static __always_inline struct block_calls *block_calls_here(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&block_calls, &key);
}

/*
 * Returns a random number of bytes until the next sample, exponentially
 * distributed: then a block's chance does not depend on the blocks before it.
 * The binary logarithm of a random number is the number of its leading zeros
 * and a fraction f, as 16-bit fixed point; log2(1 + f) is about
 * f + 0.3438 f (1 - f), with the right mean.
 */
static __always_inline __s64 block_next(void)
{
	__u32 random = bpf_get_prandom_u32() | 1, zeros = 0;
	__u64 fraction, log2, bytes;

	for (int i = 0; i < 31 && !(random >> 31); i++) {
		random <<= 1;
		zeros++;
	}
	fraction = (random & 0x7fffffff) >> 15;
	fraction += (fraction * (65536 - fraction) >> 16) * 22531 >> 16;
	log2 = (zeros + 1) * 65536ULL - fraction;
	bytes = (log2 * 45426 >> 16) * block_interval >> 16; /* ln 2 */
	return bytes ? (__s64)bytes : 1;
}

/* Larger blocks do not exist, and the function fails. */
#define ADDRESS_BITS 47

/*
 * Counts a call; returns true if the block is chosen.  If another thread of the
 * CPU interrupts this, one of the two counts is lost.
 */
static __always_inline bool block_is_chosen(__u64 size)
{
	struct block_calls *calls = block_calls_here();
	__s64 left;

	if (!calls)
		return false;
	calls->allocations++;
	if (!started_ns || size >> ADDRESS_BITS)
		return false;
	left = calls->left ? calls->left : block_next();
	left -= (__s64)size;
	calls->left = left > 0 ? left : block_next();
	return left <= 0;
}

static __always_inline bool block_is_live(const struct sampler_block *key)
{
	return bpf_map_lookup_elem(&blocks, key) != NULL;
}

static __always_inline struct sampler_block block_key(__u64 address)
{
	return (struct sampler_block){
		.address = address,
		.tgid = bpf_get_current_pid_tgid() >> 32,
	};
}

/* Removes a block that is freed. */
static __always_inline void block_end(__u64 address)
{
	struct sampler_block key = block_key(address);

	if (started_ns && address && block_is_live(&key))
		bpf_map_delete_elem(&blocks, &key);
}

/*
 * Sends a sample of a block, which exists now and represents a number of bytes;
 * 0 = by its size.
 */
static __noinline void block_send(struct pt_regs *ctx, __u64 size,
				  __u64 address, __u64 bytes)
{
	struct task_struct *task = task_current();
	struct identity id = task_identify(task);
	struct sampler_block block = block_key(address);
	struct scratch *s;
	__u32 key;

	if (!target_since(id, task))
		return;
	s = probe_reserve_area(&key);
	if (!s)
		return;
	sample_begin(&s->event, id, SAMPLE_BLOCK, size);
	s->event.object[0] = block.address;
	s->event.object[1] = block.tgid;
	s->event.owner = bytes;
	registers_copy(&s->event, ctx);
	if (bpf_map_update_elem(&blocks, &block, &s->event.time_ns, BPF_ANY))
		__sync_fetch_and_add(&lost, 1);
	else if (sample_send(ctx, s))
		bpf_map_delete_elem(&blocks, &block);
	bpf_map_delete_elem(&probe_busy, &key);
}

/*
 * Ends a pending call if the function returns now: the return address has been
 * popped.  Another function that it calls or jumps to has a lower or the same
 * SP.
 */
static __always_inline bool pending_returns(struct pt_regs *ctx, __u32 bit,
					    struct pending_block *out)
{
	__u32 key = (__u32)bpf_get_current_pid_tgid() | bit;
	struct pending_block *p = bpf_map_lookup_elem(&pending, &key);

	if (!p || ctx->rsp != p->sp + 8 || ctx->rip == p->ip)
		return false;
	*out = *p;
	bpf_map_delete_elem(&pending, &key);
	return true;
}

/* Returns 1 if the return of the function will not be observed. */
static __always_inline int pending_add(struct pt_regs *ctx, __u32 bit,
				       __u64 size, __u64 out)
{
	__u32 key = (__u32)bpf_get_current_pid_tgid() | bit;
	struct pending_block p = {
		.size = size, .out = out, .ip = ctx->rip, .sp = ctx->rsp
	};

	if (bpf_map_update_elem(&pending, &key, &p, BPF_ANY) == 0)
		return 0;
	__sync_fetch_and_add(&lost, 1);
	return 1;
}

static __always_inline bool block_returns(struct pt_regs *ctx)
{
	struct pending_block block;
	__u64 address = ctx->rax;

	if (!pending_returns(ctx, 0, &block))
		return false;
	/* posix_memalign() returns 0 and stores the address. */
	if (block.out &&
	    (address ||
	     bpf_probe_read_user(&address, sizeof(address), (void *)block.out)))
		address = 0;
	if (started_ns && address)
		block_send(ctx, block.size, address, 0);
	return true;
}

/* Returns 1 if the return of the function need not be observed. */
static __always_inline int block_begins(struct pt_regs *ctx, __u64 size,
					__u64 out)
{
	return block_is_chosen(size) ? pending_add(ctx, 0, size, out) : 1;
}

SEC("uprobe")
int on_malloc(struct pt_regs *ctx)
{
	return block_returns(ctx) ? 0 : block_begins(ctx, ctx->rdi, 0);
}

SEC("uprobe")
int on_calloc(struct pt_regs *ctx)
{
	return block_returns(ctx) ? 0
				  : block_begins(ctx, ctx->rdi * ctx->rsi, 0);
}

/* A block that cannot be enlarged stays, but counts as freed: this is rare. */
SEC("uprobe")
int on_realloc(struct pt_regs *ctx)
{
	if (block_returns(ctx))
		return 0;
	block_end(ctx->rdi);
	return block_begins(ctx, ctx->rsi, 0);
}

/* A realloc() that calls malloc() if there is no block. */
SEC("uprobe")
int on_realloc_block(struct pt_regs *ctx)
{
	if (block_returns(ctx))
		return 0;
	block_end(ctx->rdi);
	return ctx->rdi ? block_begins(ctx, ctx->rsi, 0) : 1;
}

/*
 * glibc calls malloc() for an alignment that malloc() has
 * (_mid_memalign in malloc/malloc.c).
 */
#define MALLOC_ALIGNMENT 16

SEC("uprobe")
int on_memalign(struct pt_regs *ctx)
{
	if (block_returns(ctx))
		return 0;
	return ctx->rdi <= MALLOC_ALIGNMENT ? 1
					    : block_begins(ctx, ctx->rsi, 0);
}

SEC("uprobe")
int on_posix_memalign(struct pt_regs *ctx)
{
	if (block_returns(ctx))
		return 0;
	return ctx->rsi <= MALLOC_ALIGNMENT
		       ? 1
		       : block_begins(ctx, ctx->rdx, ctx->rdi);
}

/* ---- mappings ---- */

/* Sends a change of the mappings. */
static __noinline void map_send(struct pt_regs *ctx, __u64 address, __u64 size,
				__u64 change)
{
	struct task_struct *task = task_current();
	struct identity id = task_identify(task);
	struct scratch *s;
	__u32 key;

	if (!started_ns || !target_since(id, task))
		return;
	s = probe_reserve_area(&key);
	if (!s)
		return;
	sample_begin(&s->event, id, SAMPLE_MAP, size);
	s->event.object[0] = address;
	s->event.object[1] = change;
	registers_copy(&s->event, ctx);
	/* Reports have no stack traces of munmap(). */
	if (change == SAMPLE_MAP_REMOVE)
		s->event.flags |= SAMPLE_NO_USER;
	sample_send(ctx, s);
	bpf_map_delete_elem(&probe_busy, &key);
}

static __always_inline void map_count(void)
{
	struct block_calls *calls = block_calls_here();

	if (calls)
		calls->maps++;
}

/* The return value of mmap() is an address, or an error from -4095 to -1. */
static __always_inline bool map_returns(struct pt_regs *ctx)
{
	struct pending_block map;

	if (!pending_returns(ctx, PENDING_MAP, &map))
		return false;
	if (ctx->rax < -4095ULL)
		map_send(ctx, ctx->rax, map.size, map.out);
	return true;
}

/* <sys/mman.h> of x86-64. */
#define MMAP_PROT_ANY   0x7
#define MMAP_ANONYMOUS  0x20
#define MMAP_STACK      0x20000
#define MMAP_FIXED      0x10
#define MMAP_NO_REPLACE 0x100000

/*
 * A mapping that replaces memory, and that is no accessible anonymous memory,
 * frees the memory.
 */
SEC("uprobe")
int on_mmap(struct pt_regs *ctx)
{
	__u64 flags = ctx->rcx;

	if (map_returns(ctx))
		return 0;
	map_count();
	if (!(flags & MMAP_ANONYMOUS) ||
	    !(flags & MMAP_STACK || ctx->rdx & MMAP_PROT_ANY)) {
		if (flags & MMAP_FIXED && !(flags & MMAP_NO_REPLACE))
			map_send(ctx, ctx->rdi, ctx->rsi, SAMPLE_MAP_REMOVE);
		return 1;
	}
	return pending_add(ctx, PENDING_MAP, ctx->rsi,
			   flags & MMAP_STACK ? SAMPLE_MAP_STACK
					      : SAMPLE_MAP_ADD);
}

SEC("uprobe")
int on_munmap(struct pt_regs *ctx)
{
	map_count();
	map_send(ctx, ctx->rdi, ctx->rsi, SAMPLE_MAP_REMOVE);
	return 0;
}

SEC("uprobe")
int on_mprotect(struct pt_regs *ctx)
{
	map_count();
	map_send(ctx, ctx->rdi, ctx->rsi,
		 ctx->rdx & MMAP_PROT_ANY ? SAMPLE_MAP_FILL
					  : SAMPLE_MAP_REMOVE);
	return 0;
}

SEC("uprobe")
int on_brk(struct pt_regs *ctx)
{
	map_count();
	map_send(ctx, ctx->rdi, 0, SAMPLE_MAP_BREAK);
	return 0;
}

/* Without sessions, at the return of each of these functions. */
SEC("uretprobe")
int on_block_return(struct pt_regs *ctx)
{
	if (!map_returns(ctx))
		block_returns(ctx);
	return 0;
}

/* ---- USDT probes of a process that samples its allocations itself ---- */

/* Returns an argument; 0 if its memory cannot be read. */
static __always_inline __u64 usdt_read(struct pt_regs *ctx,
				       const struct usdt_argument *a)
{
	__u64 value = (__u64)a->offset;
	__u32 shift = (64 - 8 * a->bytes) & 63;

	/* A context can only be read at constant offsets. */
	if (!a->is_constant)
		bpf_probe_read_kernel(&value, sizeof(value),
				      (void *)ctx + a->reg);
	if (a->is_memory && bpf_probe_read_user(&value, sizeof(value),
						(void *)(value + a->offset)))
		return 0;
	value <<= shift;
	return a->is_signed ? (__u64)((__s64)value >> shift) : value >> shift;
}

static __always_inline const struct usdt_arguments *usdt_here(void *ctx)
{
	__u32 key = 0;

	if (HAS_COOKIES)
		key = (__u32)bpf_get_attach_cookie(ctx);
	return bpf_map_lookup_elem(&usdts, &key);
}

SEC("uprobe")
int on_sampled(struct pt_regs *ctx)
{
	const struct usdt_arguments *a = usdt_here(ctx);
	struct block_calls *calls = block_calls_here();
	__u64 address;

	if (!a || !calls)
		return 0;
	calls->allocations++;
	address = usdt_read(ctx, &a->all[0]);
	if (started_ns && address)
		block_send(ctx, usdt_read(ctx, &a->all[1]), address,
			   usdt_read(ctx, &a->all[2]));
	return 0;
}

SEC("uprobe")
int on_sampled_free(struct pt_regs *ctx)
{
	const struct usdt_arguments *a = usdt_here(ctx);
	struct block_calls *calls = block_calls_here();

	if (!a || !calls)
		return 0;
	calls->frees++;
	block_end(usdt_read(ctx, &a->all[0]));
	return 0;
}

SEC("uprobe")
int on_free(struct pt_regs *ctx)
{
	struct block_calls *calls = block_calls_here();

	if (calls)
		calls->frees++;
	block_end(ctx->rdi);
	return 0;
}

/* Decides whether a page fault is sampled, at random if there are many. */
static __always_inline bool pace_takes_fault(struct pace *p)
{
	__u64 now = bpf_ktime_get_ns();

	if (now - p->began_ns >= SAMPLER_PACE_NS) {
		p->stride = p->count / SAMPLER_PACE_FAULTS + 1;
		p->count = 0;
		p->began_ns = now;
	}
	p->count++;
	p->omitted++;
	return p->stride <= 1 || bpf_get_prandom_u32() % p->stride == 0;
}

SEC("perf_event")
int on_fault(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = task_current();
	struct identity id = task_identify(task);
	struct scratch *s = area_of_cpu(&fault_areas, id, task);

	if (!s || !pace_takes_fault(&s->pace))
		return 0;
	sample_begin(&s->event, id, SAMPLE_FAULT, s->pace.omitted);
	s->event.object[0] = ctx->addr;
	/* A lost sample's faults are part of the next. */
	if (sample_interrupt(ctx, task, s) == 0)
		s->pace.omitted = 0;
	return 0;
}

#endif

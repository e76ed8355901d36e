/* SPDX-License-Identifier: Apache-2.0 */
/* rank_world_internal: what rank_world.c, rank_network.c and rank_route.c share. */
#ifndef NX_RUNTIME_NRT_RANKS_RANK_WORLD_INTERNAL_H
#define NX_RUNTIME_NRT_RANKS_RANK_WORLD_INTERNAL_H

#include "base/map.h"
#include "base/thread.h"
#include "runtime/nrt/ranks/rank_world.h"

#define NX_RANK_HOST_MAX 256

/*
 * The header that precedes each piece of data between processes of a job: 32 bytes,
 * little-endian: magic u32, kind u32, from u32, to u32, tag u64, len u64; then len bytes.
 * Only processes of the same version talk to each other: the magic changes with the layout.
 */
#define NX_RANK_FRAME_BYTES 32u
#define NX_RANK_FRAME_MAGIC 0x314b4e52u /* "RNK1" */

enum nx_rank_frame_kind {
	NX_RANK_HELLO = 1, /* first of a process; tag is the number of ranks */
	NX_RANK_JOIN,	   /* rank `from` has joined */
	NX_RANK_LEAVE,	   /* it has left */
	NX_RANK_GONE,	   /* its process died */
	NX_RANK_DATA,
};

struct nx_rank_frame {
	uint32_t kind, from, to;
	uint64_t tag, len;
};

void nx_rank_frame_put(const struct nx_rank_frame *frame, uint8_t out[NX_RANK_FRAME_BYTES]);
/* FORMAT if it is not a frame of a world with rank_count ranks, MISMATCH if counts differ. */
NX_MUST_CHECK enum nx_status nx_rank_frame_get(const uint8_t bytes[NX_RANK_FRAME_BYTES],
					       uint32_t rank_count, struct nx_rank_frame *out,
					       struct nx_error *err);

/* A connection to another process. Kept until the world ends, open or not. */
struct nx_rank_route {
	struct nx_rank_route *next;
	struct nx_rank_world *world;
	int fd;
	bool is_open;		    /* under the world's lock */
	pthread_mutex_t write_lock; /* frames are written whole; never held with the world's */
	struct nx_thread reader;
	bool has_greeted; /* the reader's */
};

struct nx_rank {
	uint32_t join_count;	     /* in this process */
	struct nx_rank_route *route; /* NULL: in this process, or unknown */
	bool is_present, is_gone;
	pthread_cond_t arrived;
	struct nx_rank_message *first, **last;
};

struct nx_rank_world {
	struct nx_rank_world *next; /* in the list of all */
	char name[NX_RANK_HOST_MAX + 16];
	uint32_t count;
	uint32_t timeout_s;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a rank joined or left */
	struct nx_map tags;
	struct nx_rank *ranks;
	/* --- the network, when there is one --- */
	char host[NX_RANK_HOST_MAX], port[8];
	bool has_root, is_ending;
	struct nx_error trouble; /* ends all waiting */
	struct nx_thread caller, listener;
	bool is_root; /* it listens, or did until its end; under the lock */
	int listen_fd;
	struct nx_rank_route *routes;
};

/* rank_network.c; without a root both do nothing. Called without the lock. */
void nx_rank_network_joined(struct nx_rank_world *world, uint32_t rank);
void nx_rank_network_left(struct nx_rank_world *world, uint32_t rank);
void nx_rank_network_end(struct nx_rank_world *world);
/* rank_route.c; all without the lock. NULL without memory, and the descriptor is closed. */
struct nx_rank_route *nx_rank_route_add(struct nx_rank_world *world, int fd);
NX_MUST_CHECK enum nx_status nx_rank_route_send(struct nx_rank_route *route,
						const struct nx_rank_frame *frame,
						const void *bytes, struct nx_error *err);
/* Tells all connections except one (or NULL) that a rank joined or left. */
void nx_rank_route_tell_all(struct nx_rank_world *world, const struct nx_rank_route *but,
			    enum nx_rank_frame_kind kind, uint32_t rank);
/* Tells a new connection which ranks have joined; a process other than the root, its own. */
void nx_rank_route_tell_present(struct nx_rank_route *route, bool is_root);
/* Reads frames until the connection is lost, then marks its ranks as gone. */
void nx_rank_route_read(struct nx_rank_route *route);

/* Under the lock. Takes ownership of the message. */
void nx_rank_world_deliver(struct nx_rank_world *world, uint32_t to,
			   struct nx_rank_message *message);
/* Under the lock. Wakes all waiting threads. */
void nx_rank_world_wake(struct nx_rank_world *world);
/* Without the lock: is_root or is_ending. */
bool nx_rank_world_flag(struct nx_rank_world *world, const bool *flag);

#endif

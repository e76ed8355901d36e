/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handles: what the host holds instead of our pointers.
 *
 * A handle is a number that looks like a pointer: an index and the generation of
 * its entry. It is looked up, never followed, so a handle that was freed, or
 * never was one, is recognised for certain and cannot make us touch foreign
 * memory. Objects count their references; closing a handle makes it invalid at
 * once, and the object goes when the last call that uses it is done.
 */
#ifndef NX_RUNTIME_NRT_HANDLES_H
#define NX_RUNTIME_NRT_HANDLES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum nx_handle_kind {
	NX_HANDLE_NONE,
	NX_HANDLE_MODEL,
	NX_HANDLE_TENSOR,
	NX_HANDLE_TENSOR_SET,
	NX_HANDLE_TRACKER,
	NX_HANDLE_COLLECTIVE,
	NX_HANDLE_COMM,
	NX_HANDLE_REQUEST,
};

/* First member of every object. */
struct nx_object {
	enum nx_handle_kind kind;
	_Atomic uint32_t reference_count;
	void (*destroy)(struct nx_object *object);
	void *handle; /* the host's name for it */
};

/* Gives the object its first reference and a handle; NULL when there are too many. */
void *nx_handle_new(struct nx_object *object, enum nx_handle_kind kind,
		    void (*destroy)(struct nx_object *object));
/* The object with a reference more, or NULL. */
void *nx_handle_acquire(const void *handle, enum nx_handle_kind kind);
/* Takes the handle out of use; the caller gets its reference. NULL when it is none. */
void *nx_handle_close(const void *handle, enum nx_handle_kind kind);
void nx_handle_close_all(void);
/* Calls fn for the objects of a kind, each with a reference held during the call. */
void nx_handle_each(enum nx_handle_kind kind, void (*fn)(void *context, struct nx_object *object),
		    void *context);

/* Take and drop a reference; object is any struct that starts with a struct nx_object. */
void nx_object_hold(void *object);
/* Destroys the object with its last reference; NULL is allowed. */
void nx_object_drop(void *object);

#endif

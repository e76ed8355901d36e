/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handles: the host gets handles instead of pointers to our objects.
 *
 * A handle is the index of a table entry and its generation. It is looked up, never
 * dereferenced, so an invalid or freed handle is always detected. Objects are
 * reference-counted: a closed handle is invalid at once, and the object is destroyed
 * when the last call that uses it has finished.
 */
#ifndef NX_RUNTIME_NRT_HANDLES_H
#define NX_RUNTIME_NRT_HANDLES_H

#include <stdatomic.h>
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
	void *handle; /* NULL: none */
};

/* Gives the object its first reference and a handle; NULL if there are too many handles. */
void *nx_handle_new(struct nx_object *object, enum nx_handle_kind kind,
		    void (*destroy)(struct nx_object *object));
/* Returns the object with an additional reference, or NULL if the handle is not valid. */
void *nx_handle_acquire(const void *handle, enum nx_handle_kind kind);
/* Invalidates the handle and passes its reference to the caller; NULL if it is not valid. */
void *nx_handle_close(const void *handle, enum nx_handle_kind kind);
void nx_handle_close_all(void);
/* Calls fn for the objects of a kind, each with a reference held during the call. */
void nx_handle_each(enum nx_handle_kind kind, void (*fn)(void *context, struct nx_object *object),
		    void *context);

/* Take and drop a reference; opaque is any struct that starts with a struct nx_object. */
void nx_object_hold(void *opaque);
/* Destroys the object with its last reference; NULL is allowed. */
void nx_object_drop(void *opaque);

/* In the child after a fork: a thread of the parent may hold the lock. */
void nx_handles_abandon(void);

#endif

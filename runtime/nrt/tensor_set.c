/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_set: tensors by name, the inputs or outputs of an execution. */
#include <assert.h>
#include <pthread.h>

#include "base/arena.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/tensor.h"

struct member {
	struct member *next;
	struct nx_nrt_tensor *tensor;
	char name[256];
};

struct nx_tensor_set {
	struct nx_object object;
	pthread_mutex_t lock;
	struct member *members; /* sets are small: a list is fast enough */
};
static_assert(offsetof(struct nx_tensor_set, object) == 0, "nx_object_drop takes a set");

static void destroy_set(struct nx_object *object)
{
	struct nx_tensor_set *set = (struct nx_tensor_set *)object;

	while (set->members) {
		struct member *member = set->members;

		set->members = member->next;
		nx_object_drop(member->tensor);
		nx_heap_free(member);
	}
	pthread_mutex_destroy(&set->lock);
	nx_heap_free(set);
}

NX_EXPORT NRT_STATUS nrt_allocate_tensor_set(nrt_tensor_set_t **result)
{
	struct nx_tensor_set *set;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!result)
		return NRT_INVALID;
	*result = NULL;
	set = nx_heap_try_alloc(sizeof(*set));
	if (!set)
		return NRT_FAIL_HOST_MEM_ALLOC;
	pthread_mutex_init(&set->lock, NULL);
	*result = nx_handle_new(&set->object, NX_HANDLE_TENSOR_SET, destroy_set);
	if (*result)
		return NRT_SUCCESS;
	destroy_set(&set->object);
	return NRT_RESOURCE;
}

NX_EXPORT void nrt_destroy_tensor_set(nrt_tensor_set_t **tensor_set)
{
	struct nx_object *set;

	if (!tensor_set || !*tensor_set)
		return;
	set = nx_handle_close(*tensor_set, NX_HANDLE_TENSOR_SET);
	*tensor_set = NULL;
	if (!set)
		nx_log_error(__func__, "not a valid tensor set");
	nx_object_drop(set);
}

/* Under the lock. */
static struct member *find_member(struct nx_tensor_set *set, const char *name)
{
	struct member *member = set->members;

	while (member && strcmp(member->name, name) != 0)
		member = member->next;
	return member;
}

struct nx_nrt_tensor *nx_tensor_set_find(struct nx_tensor_set *set, const char *name)
{
	struct nx_nrt_tensor *tensor = NULL;
	struct member *member;

	pthread_mutex_lock(&set->lock);
	member = find_member(set, name);
	if (member) {
		tensor = member->tensor;
		nx_object_hold(tensor);
	}
	pthread_mutex_unlock(&set->lock);
	return tensor;
}

/* Takes ownership of the reference to the tensor, even if it fails. */
static NRT_STATUS put_member(struct nx_tensor_set *set, const char *name,
			     struct nx_nrt_tensor *tensor)
{
	struct nx_nrt_tensor *old = NULL;
	struct member *member, *made = nx_heap_try_alloc(sizeof(*made));

	if (!made) {
		nx_object_drop(tensor);
		return NRT_FAIL_HOST_MEM_ALLOC;
	}
	memcpy(made->name, name, strlen(name) + 1);
	made->tensor = tensor;
	pthread_mutex_lock(&set->lock);
	member = find_member(set, name);
	if (member) {
		old = member->tensor;
		member->tensor = tensor;
	} else {
		made->next = set->members;
		set->members = made;
		made = NULL;
	}
	pthread_mutex_unlock(&set->lock);
	nx_heap_free(made);
	nx_object_drop(old);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_add_tensor_to_tensor_set(nrt_tensor_set_t *tensor_set,
						  const char *tensor_name, nrt_tensor_t *tensor)
{
	struct nx_tensor_set *set;
	struct nx_nrt_tensor *member;
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_tensor_set_acquire(tensor_set, &set));
	if (!tensor_name || strlen(tensor_name) >= sizeof(((struct member *)0)->name))
		st = NRT_INVALID;
	else
		st = nx_tensor_acquire(tensor, &member);
	if (st == NRT_SUCCESS)
		st = put_member(set, tensor_name, member);
	nx_object_drop(set);
	return st;
}

NX_EXPORT NRT_STATUS nrt_get_tensor_from_tensor_set(nrt_tensor_set_t *tensor_set,
						    const char *tensor_name, nrt_tensor_t **tensor)
{
	struct nx_nrt_tensor *found, *open = NULL;
	struct nx_tensor_set *set;
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_tensor_set_acquire(tensor_set, &set));
	found = tensor_name && tensor ? nx_tensor_set_find(set, tensor_name) : NULL;
	if (found)
		open = nx_handle_acquire(found->object.handle, NX_HANDLE_TENSOR);
	if (tensor)
		*tensor = open ? open->object.handle : NULL;
	st = open ? NRT_SUCCESS : found ? NRT_INVALID_HANDLE : NRT_INVALID;
	nx_object_drop(open);
	nx_object_drop(found);
	nx_object_drop(set);
	return st;
}

void nx_tensor_set_abandon(struct nx_tensor_set *set)
{
	pthread_mutex_init(&set->lock, NULL);
}

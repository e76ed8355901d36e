/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_host: what XLA's PluginTracer does with a profiler extension, and what else hosts do.
 * usage: plugin_host LIBRARY CASE [NEFF] [OUT]
 *
 * The structs are written down here once more, from the published API: the plugin's own header must
 * agree with them.
 */
#include <dlfcn.h>
#include <nx/profiler.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/clients/client.h"

typedef struct Base {
	size_t struct_size;
	int type;
	struct Base *next;
} Base;

typedef struct Api {
	size_t struct_size;
	void *priv;
	void (*error_destroy)(void *);
	void (*error_message)(void *);
	void *(*error_get_code)(void *);
	void *(*create)(void *);
	void *(*destroy)(void *);
	void *(*start)(void *);
	void *(*stop)(void *);
	void *(*collect_data)(void *);
	void *(*consume)(void *);
	void (*consume_result_destroy)(void *);
	void *(*serialize)(void *);
} Api;

typedef struct {
	Base base;
	Api *api;
	int64_t traceme_context_id;
} Extension;

typedef struct {
	size_t struct_size;
	Base *extension_start;
} PjrtApi;

typedef struct {
	size_t struct_size;
	const char *options;
	size_t options_size;
	void *profiler;
} CreateArgs;

typedef struct {
	size_t struct_size;
	void *profiler;
} ProfilerArgs;

typedef struct {
	size_t struct_size;
	void *profiler;
	uint8_t *buffer;
	size_t buffer_size_in_bytes;
} CollectArgs;

typedef struct {
	size_t struct_size;
	void *profiler;
	void *result;
} ConsumeArgs;

typedef struct {
	size_t struct_size;
	void *profiler;
	void *result;
	const uint8_t *bytes;
	size_t size;
} SerializeArgs;

typedef struct {
	size_t struct_size;
	void *priv, *error;
	const char *message;
	size_t message_size;
} MessageArgs;

typedef struct {
	size_t struct_size;
	void *priv, *error;
	int code;
} CodeArgs;

static Api *api;

static void find_api(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	const PjrtApi *(*get)(void);
	Base *at;

	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	EXPECT(handle);
	*(void **)&get = dlsym(handle, "GetPjrtApi");
	EXPECT(get);
	for (at = get()->extension_start; at && at->type != 1; at = at->next)
		;
	EXPECT(at && at->struct_size >= sizeof(Extension));
	api = ((Extension *)at)->api;
	EXPECT(api && api->struct_size >= 80);
}

/* 0, or the code of the error, whose message goes to standard output. */
static int told(void *error)
{
	MessageArgs message = {sizeof(message), NULL, error, NULL, 0};
	CodeArgs code = {sizeof(code), NULL, error, -1};
	struct {
		size_t struct_size;
		void *priv, *error;
	} destroy = {sizeof(destroy), NULL, error};

	if (!error)
		return 0;
	EXPECT(!api->error_get_code(&code));
	api->error_message(&message);
	printf("error %d: %.*s\n", code.code, (int)message.message_size, message.message);
	api->error_destroy(&destroy);
	destroy.error = NULL;
	api->error_destroy(&destroy);
	EXPECT(code.code > 0);
	return code.code;
}

/* Real hosts leave their stack as it is. */
#define GARBAGE ((size_t)0xdeadbeefcafef00d)

static void *create(const char *options, size_t size)
{
	CreateArgs args = {GARBAGE, options, size, (void *)GARBAGE};

	EXPECT(!told(api->create(&args)));
	return args.profiler;
}

static int call(void *(*function)(void *), void *profiler)
{
	ProfilerArgs args = {GARBAGE, profiler};

	return told(function(&args));
}

static void save(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	EXPECT(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

/* --- the traced program ------------------------------------------------------ */

static void *work(void *context)
{
	nx_span span;

	nx_profiler_thread_name("loader");
	span = nx_profiler_begin_text("load batch", 10);
	nx_profiler_flow_in(*(uint64_t *)context);
	nx_profiler_end(span);
	return NULL;
}

static void train(struct client_model *loaded, int64_t step_num)
{
	nx_span step = nx_profiler_step_begin(nx_profiler_name("train"), step_num);
	nx_attribute size = nx_attribute_i64(nx_profiler_name("batch_size"), -32);
	nx_span span = nx_profiler_begin_with(nx_profiler_name("forward"), &size, 1);
	uint64_t flow = nx_profiler_new_flow();
	pthread_t thread;

	nx_profiler_flow_out(flow);
	if (loaded)
		SUCCEED(nrt_execute(loaded->model, loaded->inputs, loaded->outputs));
	EXPECT(!pthread_create(&thread, NULL, work, &flow));
	EXPECT(!pthread_join(thread, NULL));
	nx_profiler_counter(nx_profiler_name("loss"), 0.5);
	nx_profiler_end(span);
	nx_profiler_step_end(step);
}

/* --- cases --------------------------------------------------------------------- */

/* create, start, stop, collect once, destroy */
static void session(struct client_model *loaded, const char *out)
{
	static const char defaults[] =
		"\x08\x01\x10\x02\x18\x01\x28\x01"; /* version 1, levels 2 and 1 */
	char *options = strdup(defaults);
	void *profiler = create(options, sizeof(defaults) - 1);
	CollectArgs collect = {GARBAGE, profiler, NULL, 0};
	CollectArgs again;

	memset(options, 0xff, sizeof(defaults) - 1); /* valid during create only */
	free(options);
	EXPECT(!call(api->start, profiler));
	EXPECT(nx_profiler_is_on());
	train(loaded, 41);
	train(loaded, 42);
	EXPECT(!call(api->stop, profiler));
	EXPECT(!nx_profiler_is_on());
	EXPECT(!told(api->collect_data(&collect)));
	EXPECT(collect.buffer && collect.buffer_size_in_bytes);
	save(out, collect.buffer, collect.buffer_size_in_bytes);
	/* a host that follows the comment asks again, with a buffer of its own */
	again = (CollectArgs){GARBAGE, profiler, malloc(collect.buffer_size_in_bytes),
			      collect.buffer_size_in_bytes};
	EXPECT(!told(api->collect_data(&again)));
	EXPECT(!memcmp(again.buffer, collect.buffer, collect.buffer_size_in_bytes));
	free(again.buffer);
	EXPECT(!call(api->destroy, profiler));
}

/* chunks while it runs, and one after */
static void chunks(const char *out)
{
	void *profiler = create(NULL, 0);
	char path[512];

	EXPECT(api->struct_size >= 104 && api->consume && api->serialize);
	EXPECT(!call(api->start, profiler));
	for (int i = 0; i < 3; i++) {
		ConsumeArgs consume = {sizeof(consume), profiler, NULL};
		SerializeArgs serialize = {sizeof(serialize), profiler, NULL, NULL, 0};
		ProfilerArgs destroy = {sizeof(destroy), NULL};

		if (i < 2)
			train(NULL, i);
		else
			EXPECT(!call(api->stop, profiler));
		EXPECT(!told(api->consume(&consume)) && consume.result);
		serialize.result = consume.result;
		EXPECT(!told(api->serialize(&serialize)));
		snprintf(path, sizeof(path), "%s.%d", out, i);
		save(path, serialize.bytes, serialize.size);
		destroy.profiler = consume.result;
		api->consume_result_destroy(&destroy);
	}
	EXPECT(!call(api->destroy, profiler));
}

/* calls in the wrong order are errors, never crashes */
static void mistakes(void)
{
	void *one = create("\xff\xff\xff", 3), *two = create(NULL, 0);
	CollectArgs collect = {GARBAGE, one, NULL, GARBAGE};

	EXPECT(call(api->stop, one) == 9);
	EXPECT(told(api->collect_data(&collect)) == 9);
	EXPECT(!collect.buffer_size_in_bytes);
	EXPECT(!call(api->start, one));
	EXPECT(call(api->start, one) == 9);
	EXPECT(call(api->start, two) == 9); /* one session per process; only destroy follows */
	EXPECT(!call(api->destroy, two));
	EXPECT(nx_profiler_is_on());
	EXPECT(!call(api->destroy, one)); /* without stop */
	EXPECT(!nx_profiler_is_on());
	EXPECT(!call(api->destroy, NULL));
	EXPECT(call(api->start, NULL) == 8); /* create was out of memory */
	setenv("TMPDIR", "/nonexistent", 1);
	one = create(NULL, 0);
	EXPECT(call(api->start, one) == 9);
	EXPECT(!call(api->destroy, one));
}

int main(int argc, char **argv)
{
	struct client_model loaded;

	if (argc < 3)
		return 2;
	find_api(argv[1]);
	if (!strcmp(argv[2], "mistakes")) {
		mistakes();
	} else if (!strcmp(argv[2], "chunks")) {
		chunks(argv[3]);
	} else {
		SUCCEED(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""));
		loaded = client_load(argv[3], 0);
		session(&loaded, argv[4]);
		session(&loaded, argv[4]); /* and once more */
		nrt_close();
	}
	puts("done");
	return 0;
}

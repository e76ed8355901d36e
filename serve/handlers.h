/* SPDX-License-Identifier: Apache-2.0 */
/* handlers: one line for each resource; serve/routes.c maps URLs to them. */
#ifndef NX_SERVE_HANDLERS_H
#define NX_SERVE_HANDLERS_H

#include "serve/reply.h"
#include "serve/request.h"
#include "serve/server.h"
#include "store/catalogue.h"

#define NX_HANDLER(name)                                                                           \
	enum nx_status nx_handle_##name(struct nx_server *server, struct nx_request *request,      \
					struct nx_reply *reply, struct nx_error *err)

/* serve/handle_server.c */
NX_HANDLER(health);
NX_HANDLER(openapi);
NX_HANDLER(events);
/* serve/handle_profiles.c */
NX_HANDLER(profiles);
NX_HANDLER(profile);
NX_HANDLER(profile_change);
NX_HANDLER(profile_delete);
/* serve/handle_related.c */
NX_HANDLER(ranks);
/* The member "devices" of an open object: the device profiles of a system profile. */
void nx_put_devices(struct nx_json_writer *w, struct nx_server *server,
		    const struct nx_catalogue *catalogue, const struct nx_profile_record *system);
/* serve/handle_tracks.c */
NX_HANDLER(tracks);
NX_HANDLER(names);
/* serve/handle_window.c */
NX_HANDLER(window);
void nx_forget_csv(struct nx_request *request);
void nx_forget_window(struct nx_request *request);
NX_HANDLER(colours);
/* serve/handle_at.c */
NX_HANDLER(at);
/* serve/handle_tables.c, handle_row.c */
NX_HANDLER(tables);
NX_HANDLER(table);
NX_HANDLER(row);
/* serve/handle_db.c */
NX_HANDLER(db_search);
NX_HANDLER(profiles_search);
/* serve/handle_queries.c */
NX_HANDLER(sql);
NX_HANDLER(queries);
NX_HANDLER(query);
NX_HANDLER(values);
/* serve/handle_bandwidth.c */
NX_HANDLER(bandwidth);
/* serve/handle_statistics.c */
NX_HANDLER(statistics);
/* serve/handle_search.c, handle_marks.c */
NX_HANDLER(search);
NX_HANDLER(marks);
/* serve/handle_dependencies.c */
NX_HANDLER(dependencies);
/* serve/handle_insights.c */
NX_HANDLER(insights);
/* serve/handle_why.c */
NX_HANDLER(why);
NX_HANDLER(why_gap);
/* serve/handle_csv.c */
NX_HANDLER(csv);
/* serve/handle_documents.c */
NX_HANDLER(documents);
NX_HANDLER(document);
NX_HANDLER(document_write);
NX_HANDLER(document_delete);
/* serve/handle_uploads.c */
NX_HANDLER(upload_begin);
NX_HANDLER(upload);
NX_HANDLER(upload_finish);
NX_HANDLER(upload_delete);
/* serve/handle_tasks.c */
NX_HANDLER(jobs);
NX_HANDLER(tasks);
NX_HANDLER(capture);
NX_HANDLER(profile_fetch);
NX_HANDLER(task_delete);
/* serve/upload_receive.c: takes a file's bytes as they come */
NX_HANDLER(upload_file);
enum nx_status nx_receive_upload_file(struct nx_server *server, struct nx_request *request,
				      struct nx_slice piece, struct nx_error *err);
void nx_forget_upload_file(struct nx_request *request);
/* serve/handle_source.c */
NX_HANDLER(sources);
NX_HANDLER(source);
/* serve/handle_xprof.c: as XProf's pages ask */
NX_HANDLER(xprof_runs);
NX_HANDLER(xprof_run_tools);
NX_HANDLER(xprof_hosts);
NX_HANDLER(xprof_data);
NX_HANDLER(xprof_data_csv);
NX_HANDLER(xprof_module_list);
NX_HANDLER(xprof_config);
NX_HANDLER(xprof_version);
NX_HANDLER(xprof_capture);
NX_HANDLER(xprof_generate_cache);
/* serve/handle_page.c */
NX_HANDLER(page);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* sendrecv: what nrt_close needs of it. */
#ifndef NX_RUNTIME_NRT_SENDRECV_H
#define NX_RUNTIME_NRT_SENDRECV_H

/* Drops all communicators and requests. */
void nx_sendrecv_end(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_footer_internal: field numbers of the footer, for its writer and reader only. */
#ifndef NX_FORMAT_PARQUET_PARQUET_FOOTER_INTERNAL_H
#define NX_FORMAT_PARQUET_PARQUET_FOOTER_INTERNAL_H

enum nx_parquet_file_field {
	NX_FILE_VERSION = 1,
	NX_FILE_SCHEMA = 2,
	NX_FILE_ROWS = 3,
	NX_FILE_GROUPS = 4,
	NX_FILE_PAIRS = 5,
	NX_FILE_CREATED_BY = 6,
	NX_FILE_COLUMN_ORDERS = 7,
};

enum nx_parquet_element_field {
	NX_ELEMENT_TYPE = 1,
	NX_ELEMENT_REPETITION = 3,
	NX_ELEMENT_NAME = 4,
	NX_ELEMENT_CHILDREN = 5,
	NX_ELEMENT_CONVERTED = 6,
	NX_ELEMENT_LOGICAL = 10,
};

enum nx_parquet_repetition { NX_REQUIRED = 0, NX_OPTIONAL = 1, NX_REPEATED = 2 };
enum nx_parquet_converted {
	NX_CONVERTED_UTF8 = 0,
	NX_CONVERTED_LIST = 3,
	NX_CONVERTED_DECIMAL = 5,
	NX_CONVERTED_UINT32 = 13,
	NX_CONVERTED_INT32 = 17,
};
/* Fields of the union LogicalType. */
enum nx_parquet_logical {
	NX_LOGICAL_STRING = 1,
	NX_LOGICAL_LIST = 3,
	NX_LOGICAL_DECIMAL = 5,
	NX_LOGICAL_INTEGER = 10,
};
enum nx_parquet_integer_field { NX_INTEGER_BITS = 1, NX_INTEGER_SIGNED = 2 };

enum nx_parquet_group_field {
	NX_GROUP_COLUMNS = 1,
	NX_GROUP_PLAIN_BYTES = 2,
	NX_GROUP_ROWS = 3,
	NX_GROUP_ORDERS = 4,
	NX_GROUP_OFFSET = 5,
	NX_GROUP_STORED_BYTES = 6,
	NX_GROUP_ORDINAL = 7,
};

enum nx_parquet_order_field { NX_ORDER_COLUMN = 1, NX_ORDER_DESCENDING = 2, NX_ORDER_NULLS = 3 };

enum nx_parquet_column_field { NX_COLUMN_OFFSET = 2, NX_COLUMN_CHUNK = 3 };

enum nx_parquet_chunk_field {
	NX_CHUNK_TYPE = 1,
	NX_CHUNK_ENCODINGS = 2,
	NX_CHUNK_PATH = 3,
	NX_CHUNK_CODEC = 4,
	NX_CHUNK_LEVELS = 5,
	NX_CHUNK_PLAIN_BYTES = 6,
	NX_CHUNK_STORED_BYTES = 7,
	NX_CHUNK_DATA_OFFSET = 9,
	NX_CHUNK_DICTIONARY_OFFSET = 11,
	NX_CHUNK_STATS = 12,
};

enum nx_parquet_stats_field {
	NX_STATS_NULLS = 3,
	NX_STATS_DISTINCT = 4,
	NX_STATS_MAX = 5,
	NX_STATS_MIN = 6,
	NX_STATS_MAX_EXACT = 7,
	NX_STATS_MIN_EXACT = 8,
};

enum nx_parquet_pair_field { NX_PAIR_KEY = 1, NX_PAIR_VALUE = 2 };

#endif

/* The SQL of what is kept. */
#include "store/sql_keep.h"

const struct sealed_table sealed_tables[] = {
    {"body headers", "body bytes",
     "SELECT correlation_id, part, body_key FROM hookonce_body"
     " WHERE correlation_id >= ? AND (correlation_id > ? OR part > ?)"
     " ORDER BY correlation_id, part LIMIT ?",
     "SELECT correlation_id, headers, bytes, body_key FROM hookonce_body"
     " WHERE correlation_id = ? AND part = ? FOR UPDATE",
     "UPDATE hookonce_body SET headers = ?, bytes = ?, body_key = ?"
     " WHERE correlation_id = ? AND part = ?"},
    {"conflict headers", "conflict body",
     "SELECT '-', id, body_key FROM hookonce_conflict WHERE ? = ? AND id > ? ORDER BY id LIMIT ?",
     "SELECT correlation_id, headers, body, body_key FROM hookonce_conflict"
     " WHERE ? <> '' AND id = ? FOR UPDATE",
     "UPDATE hookonce_conflict SET headers = ?, body = ?, body_key = ? WHERE ? <> '' AND id = ?"},
    {"", "answer body",
     "SELECT correlation_id, 0, body_key FROM hookonce_answer"
     " WHERE correlation_id > ? AND correlation_id > ? AND ? >= 0 ORDER BY correlation_id LIMIT ?",
     "SELECT correlation_id, NULL, body, body_key FROM hookonce_answer"
     " WHERE correlation_id = ? AND ? = 0 FOR UPDATE",
     "UPDATE hookonce_answer SET status = IF(? IS NULL, status, status), body = ?, body_key = ?"
     " WHERE correlation_id = ? AND ? = 0"},
};
const size_t sealed_tables_n = sizeof sealed_tables / sizeof sealed_tables[0];

/* The form of a spool file, for the one that writes it and the one that reads it. */
#ifndef HO_STORE_SPOOL_FORM_H
#define HO_STORE_SPOOL_FORM_H

/* A file: SPOOL_LINE, the field `seal`, the field `content`, SHA-256, HMAC-SHA-256. The HMAC is
 * over all before it, and no other MAC of ours is over bytes that begin with SPOOL_LINE.
 * A field: its length as 8 bytes, big-endian, and so many bytes; an absent one has SPOOL_ABSENT
 * for a length. Numbers are fields of 8 bytes, big-endian.
 * The content: received_us, number of events, headers, body, and of each event cid, provider,
 * source, id, type, object, document, occurred_us, same, guard, secret_no. */
#define SPOOL_LINE "hookonce spool 1\n"
#define SPOOL_ABSENT UINT64_MAX
#define SPOOL_LENGTH 8                     /* bytes of a field's length */
#define SPOOL_TAIL (2 * SHA256_LEN)        /* digest and MAC */

#endif

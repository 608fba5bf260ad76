/* Leases of lanes, places and probes in SQL. */
#ifndef HO_STORE_SQL_LEASE_H
#define HO_STORE_SQL_LEASE_H

/* Whether the lease in these two columns lasts. One that ends further ahead than twice its own length
 * was written before the clock was set back, and is over: else it would last for as long as the clock
 * went back. Twice, for the hosts of a cluster need not agree to the second. */
#define LEASE_LASTS(from, until)                                                                  \
    "(" until " > UTC_TIMESTAMP(6) AND COALESCE(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), "     \
    until ") <= 2 * TIMESTAMPDIFF(MICROSECOND, " from ", " until "), TRUE))"

#endif

/* The receiver: request -> accepted events -> receipts and jobs -> answer, as FastCGI or plain CGI.
 * A 2xx leaves here only when the events are durable. Anything that is not verified writes nothing
 * but a counter and a log line (and, where an operator asked for it, a kept request). What is
 * answered is in the log already. */
#ifndef HO_RECEIVER_RECEIVER_H
#define HO_RECEIVER_RECEIVER_H

/* Serves requests until the web server ends it, or the only one of plain CGI.
 * in:  n_arguments - how many the web server gave it; none is ever read
 * returns the program's exit status. */
int receiver_run(int n_arguments);

#endif

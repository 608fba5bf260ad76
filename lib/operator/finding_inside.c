/* The table of findings, second part: what is seen from inside the host. */
#include "operator/finding_parts.h"

#define ROW(id) [FINDING_##id - FINDING_WEB_N]

const struct finding_row findings_inside[FINDING_N - FINDING_WEB_N] = {
    ROW(REMOTE_DISK) = {"remote-disk", FOUND_WARN, "the state folder is on a disk of another machine",
        "counters, alarms, locks and the wake-up work badly or not over a network; what is spooled "
        "may be lost when that machine fails",
        {[HOST_ANY] = "name a folder on this host's own disk with state and spool_dir under "
                      "[hookonce], if the account has one; else spool = off is the honest setting"}},
    ROW(NOEXEC) = {"noexec", FOUND_FAIL, "a program lies where nothing can be run (noexec)",
        "it cannot be started",
        {[HOST_ANY] = "move it into the home folder, and change the path in the config"}},
    ROW(PROGRAM_MODE) = {"program-mode", FOUND_WARN,
        "hookonce.fcgi or its folder has a mode or owner that suEXEC refuses",
        "the web server answers with error 500, and says why only in suexec.log",
        {[HOST_ANY] = "chmod 755 hookonce.fcgi and its folder, both owned by your account; a copy, "
                      "no symlink"}},
    ROW(CRON_NEVER) = {"cron-never", FOUND_WARN, "no processor has run within a day",
        "events are recorded, and nothing is done for them",
        {[HOST_ANY] = "add the cron line of the README, every minute if the host allows it; where "
                      "cron can only fetch a URL: `hookonce tick-url`"}},
    ROW(CRON_RARE) = {"cron-rare", FOUND_WARN, "cron starts the processor rarely",
        "an event waits so long for its handler, and the watch takes the processor for dead",
        {[HOST_ANY] = "ask cron for every minute; where the host does not allow it set "
                      "processor_every under [watch] to what it does, and let `hookonce tick-url` "
                      "be fetched, or the receiver work on after its answer"}},
    ROW(SOCKET) = {"socket", FOUND_NOTE, "a database socket of the list cannot be used",
        "each new connection tries it first",
        {[HOST_ANY] = "take it out of socket under [database], or put the one that works first"}},
    ROW(CONNECTIONS) = {"connections", FOUND_WARN,
        "the database user may have few connections at once",
        "every receiver process takes one and a processor two, without which it runs nothing: more "
        "deliveries at once go to the spool, or are answered busy",
        {[HOST_ANY] = "run fewer receivers than that, keep spool = on, or ask the host for more",
         [HOST_FCGID] = "FcgidMaxProcessesPerClass below that number, keep spool = on, or ask the "
                        "host for more",
         [HOST_LIGHTTPD] = "max-procs (var.hookonce_procs) below that number, keep spool = on",
         [HOST_NGINX] = "`hookonce serve --receivers N` below that number, keep spool = on"}},
    ROW(QUOTA) = {"quota", FOUND_WARN, "the database user has an hourly quota",
        "when it is used up nothing is recorded or run until the hour is over; deliveries go to "
        "the spool, or are answered busy",
        {[HOST_ANY] = "keep spool = on; leave poll under [processor] out, or let cron run "
                      "`process --once`; or ask the host for more"}},
    ROW(WAIT_TIMEOUT) = {"wait-timeout", FOUND_NOTE,
        "the database closes idle connections after a short time",
        "a receiver that waited longer connects again, which costs the next delivery some "
        "milliseconds",
        {[HOST_ANY] = "nothing; idle_close under [database] below it saves a try"}},
    ROW(PACKET) = {"packet", FOUND_NOTE,
        "max_allowed_packet is smaller than the largest event a source may get",
        "such an event is stored in many parts, and its handler cannot be given the body as one "
        "value",
        {[HOST_ANY] = "ask the host for max_allowed_packet = 64M"}},
    ROW(ENGINE) = {"engine", FOUND_NOTE, "new tables are not InnoDB unless they say so",
        "what a handler writes into MyISAM or Aria is not undone when it fails, so it is refused",
        {[HOST_ANY] = "write ENGINE=InnoDB into CREATE TABLE of your own tables; hookonce's do"}},
    ROW(DATABASE_PLAIN) = {"database-plain", FOUND_WARN,
        "the connection to the database goes to another machine without TLS",
        "events and what handlers write can be read on the way",
        {[HOST_ANY] = "use the database's socket if it is on this machine; else write tls = "
                      "verify under [database], or tls = on where its certificate is not good"}},
    ROW(OUTBOUND) = {"outbound", FOUND_WARN, "an address that the config names cannot be reached",
        "keys are not fetched, handlers and alerts not delivered",
        {[HOST_ANY] = "does the host allow connections to the outside (port 443), does it resolve "
                      "names, and has it certificates (else set ca_file under [hookonce])"}},
    ROW(SENDMAIL) = {"sendmail", FOUND_WARN, "there is no program that takes the mail of an alert",
        "nobody is told when something is wrong",
        {[HOST_ANY] = "name it with sendmail in the [alert], or use url or command there; cron's own "
                      "mail (MAILTO) of `hookonce watch` is the other way"}},
};

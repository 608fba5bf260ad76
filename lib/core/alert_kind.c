/* The table of alerts. */
#include "core/alert_kind.h"

#define SEE(title) "\"" title "\" in the runbook"

const struct alert_about alert_about[ALERT_KINDS] = {
    [ALERT_DATABASE] = {"database", "database away",
        "this host can't reach the database: deliveries are spooled or answered busy, no job runs",
        "`hookonce check` says why; " SEE("The database is away"), true},
    [ALERT_DEAD] = {"dead-letters", "dead letters", "jobs were given up and wait for a person",
        "mend the cause, then `hookonce retry` or a row with command 'retry' in hookonce_command (it "
        "leaves `outcome unknown` alone: find out what was done, then release or discard it); "
        "`hookonce list dead` or the view hookonce_dead_letters shows them", false},
    [ALERT_QUEUE_AGE] = {"queue-age", "old jobs",
        "the oldest job that is due has waited longer than `queue_age`",
        "`hookonce list jobs` or hookonce_queue: is a handler slow, or are too few workers at it "
        "(`hookonce process --workers 4`)?", false},
    [ALERT_RETRIES] = {"retries", "many retries",
        "far more jobs than usual failed and wait for another try",
        "`hookonce list jobs` or hookonce_queue shows their errors: is the other side away?",
        false},
    [ALERT_DUPLICATES] = {"duplicates", "many duplicates",
        "far more deliveries than usual came again: the sender may not get our answers in time",
        "compare the times of our answers (hookonce_latency) with the sender's limit; look at the "
        "provider's own delivery log", false},
    [ALERT_CONFLICTS] = {"conflicts", "conflicts",
        "genuine deliveries contradict what is stored, and were kept aside",
        "`hookonce list conflicts` or hookonce_conflicts; " SEE("Conflicts"), false},
    [ALERT_REJECTED] = {"rejected", "rejected deliveries",
        "deliveries of a source are refused: our secret is not the sender's, it does not sign, a "
        "clock is wrong, an address has no source, or somebody tries",
        "compare secret and address with the provider's page; `hookonce capture SOURCE`, then `hookonce "
        "explain --last SOURCE` says what does not fit", true},
    [ALERT_NO_SECRET] = {"no-secret", "no usable secret",
        "a source has no usable secret: its deliveries are answered 503",
        "`hookonce check` says why; " SEE("Changing a secret"), true},
    [ALERT_WINDOW] = {"retry-window", "deliveries about to be lost",
        "deliveries were answered busy or refused, and the sender stops trying within two hours, or "
        "never tries again",
        "mend the cause now, then have the provider send them again by hand", true},
    [ALERT_SILENCE] = {"silence", "silence", "events that are expected do not come",
        "look at the provider's delivery log: did it stop, disable us, or change the address? "
        SEE("Nothing arrives"), false},
    [ALERT_UNANSWERED] = {"unanswered", "questions without an answer",
        "a source in reply mode answered with a failure within a day",
        "`hookonce list dead` or hookonce_dead_letters; " SEE("A question gets no answer"), false},
    [ALERT_PROCESSOR] = {"processor", "no processor", "no processor was seen for a long time",
        "does cron run `hookonce process` (`crontab -l`)? " SEE("Nothing is being processed"),
        false},
    [ALERT_SPOOL] = {"spool", "spool not empty",
        "deliveries that were accepted wait in this host's spool for the database",
        "`hookonce check`; when the database is there, `hookonce import` brings them in", true},
    [ALERT_QUARANTINE] = {"quarantine", "quarantined spool files",
        "files of the spool could not be imported: not genuine, or they fit no table",
        "`hookonce check` says why; " SEE("The spool"), true},
    [ALERT_SPOOL_LEFT] = {"spool-host", "a spool that nobody imports",
        "a host has accepted deliveries in its spool and was not seen for a long time",
        "run `hookonce import` on that host, or copy its spool's files to another one", false},
    [ALERT_DISK] = {"disk", "disk nearly full", "the disk, or the quota, of this host's folder is "
        "nearly used up", "delete what is not needed; `df -h`, `quota`", true},
    [ALERT_CLOCK] = {"clock", "clocks differ",
        "this host's clock and the database's differ: fresh signatures may look stale",
        "set the clock (`timedatectl`, or ask the host's owner)", true},
    [ALERT_CONFIG] = {"config", "config refused",
        "the config, a recipe or a secret file is refused; receivers that run go on with what "
        "they read before", "`hookonce check` names file and line", true},
    [ALERT_FETCH] = {"fetch", "keys not fetched",
        "a provider's public key could not be fetched, or a URL not visited",
        "`hookonce check` says which and why", true},
    [ALERT_FORGED] = {"forged", "forged rows",
        "rows that this installation did not write were found; nothing of them was run",
        "who else writes to this database? " SEE("Forged rows"), true},
    [ALERT_HANDLER] = {"handler", "a handler that cannot work",
        "a handler's SQL ends the transaction, is invalid, or writes to a table without "
        "transactions; its jobs wait or were given up",
        "`hookonce check` names handler and statement; mend it, then `hookonce retry`", false},
    [ALERT_BREAKER] = {"breaker", "a breaker is open",
        "a handler failed so often in a row that its jobs wait",
        "is the other side away, or a token spoiled? The next try closes it when it succeeds",
        false},
    [ALERT_LOG] = {"log", "log lines lost", "log lines could not be written where they belong",
        "`hookonce check`: rights, a full disk, or a syslog that does not listen", true},
    [ALERT_PAUSED] = {"paused", "paused for long", "something is paused for more than a day",
        "`hookonce resume`, or a row with command 'resume' in hookonce_command, if that is over",
        false},
};

enum alert_kind alert_kind_of(struct span word)
{
    for (size_t i = 0; i < ALERT_KINDS; i++) {
        if (span_is(word, alert_about[i].word)) {
            return (enum alert_kind)i;
        }
    }
    return ALERT_KINDS;
}

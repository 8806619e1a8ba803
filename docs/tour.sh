#!/bin/sh
# A short tour of duly. Needs `duly` on the PATH and nothing else: no network, no database.
set -eu

show() {
    printf '\n%s\n' "$1"
}

# Prints a command as one would type it, then runs it.
try() {
    printf '$ duly'
    for word in "$@"; do
        case $word in
            *[!A-Za-z0-9_/:+.-]*) printf ' "%s"' "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    duly "$@"
}

try --version

show 'When does it run next? In UTC, in local time, and in how long.'
try next '30 9 * * mon-fri' --tz Europe/Berlin

show 'Days that have to be looked up: the last working day of each quarter.'
try next '0 17 LW 3,6,9,12 *' --tz America/New_York --count 3

show 'What does it mean, and what will the clock changes do to it?'
try explain '30 2 * * *' --tz Europe/Berlin --from 2027-01-01

show 'For programs:'
try next @hourly --tz UTC --count 1 --json

show 'A mistake is shown where it is:'
try next '0 25 * * *' 2>&1 || printf '(exit code %s)\n' "$?"

printf '\nEvery command, every option: docs/cli.md\n'

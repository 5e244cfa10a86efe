#!/usr/bin/env bash
# Finds a Chromium or Chrome for the browser tests and installs Debian's where there is none.
#
# Prints the browser's path on standard output and everything meant for a person on standard error.
# CHROMIUM_PATH names a browser to use instead of looking for one.
# Without a browser: the reason, no path, and success, so that the other tests still run; with CI=true, failure.
set -euo pipefail

say() { printf 'browser tests: %s\n' "$*" >&2; }

fail() {
    say "$*"
    if [[ "${CI:-}" == "true" ]]; then
        exit 1
    fi
    say "they will be skipped. Install Chromium or Chrome, or set CHROMIUM_PATH to one."
    exit 0
}

# Some systems ship a command that only tells how to install the browser, so each candidate has to start.
works() { "$1" --version >/dev/null 2>&1; }

find_browser() {
    local name path
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        if path="$(command -v "$name")" && works "$path"; then
            printf '%s\n' "$path"
            return 0
        fi
    done
    for path in "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
                "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
        if [[ -x "$path" ]] && works "$path"; then
            printf '%s\n' "$path"
            return 0
        fi
    done
    return 1
}

if [[ -n "${CHROMIUM_PATH:-}" ]]; then
    works "$CHROMIUM_PATH" || fail "CHROMIUM_PATH is '$CHROMIUM_PATH', which does not start."
    printf '%s\n' "$CHROMIUM_PATH"
    exit 0
fi

if find_browser; then
    exit 0
fi

command -v apt-get >/dev/null || fail "no Chromium or Chrome found, and no apt-get to install one with."

as_root=()
if [[ "$(id -u)" -ne 0 ]]; then
    command -v sudo >/dev/null || fail "no Chromium or Chrome found; installing one needs root or sudo."
    as_root=(sudo)
    # Without a terminal nobody can type a password: fail instead of waiting.
    [[ -t 0 ]] || as_root=(sudo -n)
fi
as_root+=(env DEBIAN_FRONTEND=noninteractive)

say "installing Chromium with apt-get (about a minute) ..."
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends chromium; } \
    >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "apt-get could not install chromium (its last lines are above)."
fi

find_browser || fail "apt-get installed the package 'chromium', but no browser starts."

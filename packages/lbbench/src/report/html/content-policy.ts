import { SCRIPT_HASH, STYLE_HASH } from "#report-page";

/**
 * Returns the Content-Security-Policy of the page: it runs its own script and style and nothing else, and loads nothing. A page that
 * shows a run while it goes on may also talk to the server that it came from.
 */
export function contentPolicy(isLive: boolean): string {
  return [
    "default-src 'none'",
    `script-src '${SCRIPT_HASH}'`,
    `style-src '${STYLE_HASH}'`,
    "img-src data:",
    `connect-src ${isLive ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

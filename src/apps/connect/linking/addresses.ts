// What cannot be a session has no pages below it.
const SESSION_ROUTE = '/link/sessions/:session(^[0-9A-Za-z]{43}$)';
export const FORM_ROUTE = `${SESSION_ROUTE}/:vendor(^[a-z][a-z0-9_]{0,39}$)`;
export const DONE_ROUTE = `${SESSION_ROUTE}/done`;

/** The page of a link session. */
export const sessionPath = (session: string): string => `/link/sessions/${encodeURIComponent(session)}`;

/** The form for a vendor's credentials. */
export const formPath = (session: string, vendor: string): string => `${sessionPath(session)}/${vendor}`;

/** What was found; no vendor may be called so. */
export const donePath = (session: string): string => `${sessionPath(session)}/done`;

/** The app's own address with what came of it, or null where it has none. */
export function backToApp(
  redirectUri: string | null,
  status: 'linked' | 'failed',
  reason?: string,
): string | null {
  if (redirectUri === null) return null;
  const url = new URL(redirectUri);
  url.searchParams.set('status', status);
  if (reason !== undefined) url.searchParams.set('reason', reason);
  return url.href;
}

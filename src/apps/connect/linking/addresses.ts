// What cannot be a session has no pages below it.
const SESSION_ROUTE = '/link/sessions/:session(^[0-9A-Za-z]{43}$)';
export const FORM_ROUTE = `${SESSION_ROUTE}/:vendor(^[a-z][a-z0-9_]{0,39}$)`;
export const DONE_ROUTE = `${SESSION_ROUTE}/done`;

/** The way back to the app of a user who does not want to link. */
export const CANCEL_ROUTE = `${SESSION_ROUTE}/cancel`;

/** The page of a link session. */
export const sessionPath = (session: string): string => `/link/sessions/${encodeURIComponent(session)}`;

/** The form for a vendor's credentials; `brand` is the one that the user chose, where the vendor connects several. */
export const formPath = (session: string, vendor: string, brand?: string): string =>
  `${sessionPath(session)}/${vendor}${brand === undefined ? '' : `?brand=${encodeURIComponent(brand)}`}`;

/** What was found; no vendor may be called so. */
export const donePath = (session: string): string => `${sessionPath(session)}/done`;

/** What leads back without linking, or null where there is no app to go back to; no vendor may be called so. */
export const cancelPath = (redirectUri: string | null, session: string): string | null =>
  redirectUri === null ? null : `${sessionPath(session)}/cancel`;

/** What came of a session, as its app is told it. */
export type Outcome =
  | { readonly status: 'linked'; readonly session: string; readonly link: string }
  | { readonly status: 'failed'; readonly session: string; readonly reason: string };

/** The app's own address with what came of it, or null where it has none. */
export function backToApp(redirectUri: string | null, outcome: Outcome): string | null {
  if (redirectUri === null) return null;
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value);
  return url.href;
}

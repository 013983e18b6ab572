/** More than a day is not believed. */
const MOST_SECONDS = 86_400;

/**
 * Seconds that a `Retry-After` asks for: digits or an HTTP date (RFC 9110, 10.2.3). At most a day; undefined where it says
 * neither.
 */
export function retryAfterSeconds(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Math.min(Number(text), MOST_SECONDS);
  // Date.parse takes much more than HTTP dates, "-5" for one, and reads what has no zone as local time.
  const at = /^[A-Z][a-z]{2,8}, .{1,30} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(Math.ceil((at - now) / 1000), 0), MOST_SECONDS);
}

/**
 * Seconds until a call that was one too many (429) is allowed: `Retry-After`, else the longest of the `RateLimit-Reset` or
 * `RateLimit-<name>-Reset` whose `-Remaining` is used up (draft-ietf-httpapi-ratelimit-headers-07), as seconds or as the moment itself.
 * At most a day; undefined where nothing is said.
 * @param headers names in lower case
 */
export function limitedSeconds(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const asked = retryAfterSeconds(headers['retry-after'], now);
  if (asked !== undefined) return asked;
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const limit = /^(ratelimit-(?:[a-z_-]{1,40}-)?)reset$/.exec(name)?.[1];
    if (limit === undefined || Number(headers[`${limit}remaining`] ?? 0) > 0) return [];
    return secondsOrMoment(value, now) ?? [];
  });
  return resets.length === 0 ? undefined : Math.max(...resets);
}

/** Digits, as seconds from now, or as the moment in seconds since 1970. At most a day; undefined for anything else. */
export function secondsOrMoment(value: unknown, now: number): number | undefined {
  const digits = String(value ?? '').trim();
  if (!/^\d{1,12}$/.test(digits)) return undefined;
  const stated = Number(digits);
  const seconds = stated > 1_000_000_000 ? stated - Math.floor(now / 1000) : stated;
  return seconds < 0 ? undefined : Math.min(seconds, MOST_SECONDS);
}

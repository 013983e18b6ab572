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

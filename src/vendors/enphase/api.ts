import { HttpFailure } from '../../adapter/http.ts';
import { detailsOf, gone, jsonIn, objectIn, vendorCalls } from '../../adapter/kit/index.ts';
import { ListOutdated } from '../../adapter/list-outdated.ts';
import { limitedSeconds, secondsOrMoment } from '../../adapter/retry-after.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import * as translate from './translate.ts';

/** The system has reported nothing in the time that was asked for. */
class NothingReported extends AppError {}
const WRONG_KEY =
  'Enphase rejected the API key of this server; the operator must check ELNAV_ENPHASE_API_KEY';
const NOT_GRANTED = 'its owner has not granted it, or the access controls of the app do not include it';

/**
 * The status decides what an error is. What a body says differs from call to call: `code` is a number or a text, `message` a text or a
 * list, and a system that the account does not have is "Not Authorized" with 404.
 */
export const api = vendorCalls('Enphase', {
  failure: (cause) =>
    cause instanceof HttpFailure && cause.status === 401 && isKeyRefused(cause.bodyText())
      ? new AppError('oauth.not_configured', WRONG_KEY, { cause })
      : undefined,
  refusals: {
    statuses: [403, 404, 422, 429],
    error({ status, headers, bytes }, { what, now }) {
      const { details, period, period_end } = objectIn(jsonIn(Buffer.from(bytes).toString()));
      if (status === 429) {
        const stated = limitedSeconds(headers, now) ?? secondsOrMoment(period_end, now);
        return new AppError('vendor.rate_limited', 'the limit of the plan at Enphase is exceeded', {
          retryAfterSeconds: stated ?? (period === 'month' ? 86_400 : 60),
        });
      }
      if (status === 404) return new ListOutdated('vendor.refused', `Enphase does not have ${what}`);
      if (status === 422 && /date range/i.test(String(details)))
        return new NothingReported('vendor.refused', `Enphase has no data of ${what} of that time`);
      const reason = status === 403 ? NOT_GRANTED : 'the request is not possible for this system';
      return new AppError('vendor.refused', `Enphase refused to read ${what} (${status}): ${reason}`);
    },
  },
});

/** A 401 is a lost token, except where it is the key of the app that is wrong: then no user can renew anything. */
export const isTokenRefused = ({ status, body }: { readonly status: number; readonly body: string }) =>
  status === 401 && !isKeyRefused(body);
const isKeyRefused = (body: string) => /\bAPI key\b/i.test(body);

export const summaryOf = (system: string) => `/api/v4/systems/${system}/summary`;
const about = ({ id, site }: DeviceRef) => ({ device: id, site, what: id });

/** Two calls: what the system has produced, and the telemetry of its meter or its microinverters. */
export async function readSolar(session: Session, device: DeviceRef): Promise<translate.Reading> {
  const { system } = detailsOf(translate.Details, device);
  const summary = await api.get(session, summaryOf(system), translate.Summary, about(device));
  if (translate.isReporting(summary) === false) return { summary, newest: null };
  const measured = summary.source === 'meter' ? 'production_meter' : 'production_micro';
  const { intervals } = await readTelemetry(session, device, measured);
  return { summary, newest: translate.newestIn(intervals, measured) };
}

/** One call about all batteries of the system. */
export async function readBattery(session: Session, device: DeviceRef): Promise<translate.Reading> {
  const { intervals, total_devices: count } = await readTelemetry(session, device, 'battery');
  if (count === 0) throw gone('Enphase', device);
  return { newest: translate.newestIn(intervals, 'battery') };
}

async function readTelemetry(session: Session, device: DeviceRef, measured: translate.Measured) {
  const { system, is_cellular } = detailsOf(translate.Details, device);
  // A gateway on a mobile network reports every six hours, others every 15 minutes; both may be late.
  const from = Math.floor(session.clock.now() / 1_000) - (is_cellular ? 8 : 2) * 3_600;
  // Without a start the list begins at midnight, and is empty for a while after.
  const more = { query: { start_at: String(from), granularity: 'day' }, ...about(device) };
  const path = `/api/v4/systems/${system}/telemetry/${measured}`;
  try {
    return await api.get(session, path, translate.Telemetry, more);
  } catch (error) {
    if (error instanceof NothingReported) return { intervals: [] };
    throw error;
  }
}

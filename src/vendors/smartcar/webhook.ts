import { createHmac } from 'node:crypto';
import type { DeviceState } from '../../adapter/device.ts';
import { fits, hmacHexIn, objectIn, PlainId, word } from '../../adapter/kit/index.ts';
import type { DeviceChange, Webhook } from '../../adapter/webhook.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { isConsentLost, problemIn } from './failures.ts';
import { fieldsOf, momentIn, readingIn } from './translate.ts';

/**
 * Words, UUIDs, base64. The response is the HMAC of the challenge with the key that also signs deliveries, and anybody may post a
 * challenge: one that could be read as a delivery would get a signature for it.
 */
const CHALLENGE = /^[\w.~+/=-]{1,256}$/;

/** `triggers` stands in the body or in its data, as objects of either form. */
const isFirst = ({ triggers, data }: JsonObject): boolean =>
  [triggers, objectIn(data).triggers]
    .flatMap((one) => (Array.isArray(one) ? one.map(objectIn) : []))
    .some(({ type, code }) => type === 'FIRST_DELIVERY' || code === 'FIRST_DELIVERY');

/** A delivery has all signals that are subscribed to, each of its own time. */
function statesIn(signals: Json | undefined): Pick<DeviceChange, 'at' | 'state'>[] {
  const reported = Object.entries(fieldsOf(readingIn(signals))).filter(([, { value }]) => value !== null);
  return [...Map.groupBy(reported, ([, { at }]) => at)].map(([at, fields]) => ({
    ...(at === null ? {} : { at }),
    state: Object.fromEntries(fields.map(([field, { value }]) => [field, value])) as Partial<DeviceState>,
  }));
}

function read(body: Json): readonly DeviceChange[] {
  const { eventType, data, meta } = objectIn(body);
  const { user, vehicle, signals, errors } = objectIn(data);
  const { mode, deliveredAt } = objectIn(meta);
  const [{ id: vendorAccount }, { id: device }] = [objectIn(user), objectIn(vehicle)];
  // The cars of a test of Smartcar's dashboard do not exist.
  if (mode === 'TEST' || !fits(PlainId, vendorAccount) || !fits(PlainId, device)) return [];
  const subject = { vendorAccount, device };
  if (eventType === 'VEHICLE_STATE') {
    const states = statesIn(signals).map((one) => ({ ...subject, ...one }));
    // Only now does Smartcar store what the car can do.
    return isFirst(objectIn(body)) ? [{ vendorAccount, isListChanged: true }, ...states] : states;
  }
  if (eventType !== 'VEHICLE_ERROR' || !Array.isArray(errors)) return [];
  const at = momentIn(deliveredAt);
  return errors.map(objectIn).flatMap((error): DeviceChange[] => {
    const problem = problemIn(error);
    if (problem.type === 'PERMISSION') return [{ vendorAccount, isListChanged: true }];
    if (!isConsentLost(problem)) return [];
    if (error.state === 'RESOLVED') return [subject];
    return [{ vendorAccount, isLoginLost: true, ...(at === null ? {} : { at }) }];
  });
}

export const webhook = {
  trust: 'signed',
  secret: 'management_token',
  verify: hmacHexIn('sc-signature'),
  challenge(body, secret) {
    const { eventType, data } = objectIn(body);
    const { challenge } = objectIn(data);
    if (eventType !== 'VERIFY' || typeof challenge !== 'string' || !CHALLENGE.test(challenge))
      return undefined;
    return { challenge: createHmac('sha256', secret).update(challenge).digest('hex') };
  },
  /** Retries of an event have ids of their own as deliveries, and the one of the event. */
  idOf: (_delivery, body) => word(objectIn(body).eventId, 200) ?? undefined,
  read,
} satisfies Webhook;

import { createHmac } from 'node:crypto';
import { type Adapter, kind } from '../../adapter/adapter.ts';
import type { DeviceState } from '../../adapter/device.ts';
import { fits, hmacHexIn, limit, oauth2, objectIn, PlainId, word } from '../../adapter/kit/index.ts';
import type { DeviceChange, Webhook } from '../../adapter/webhook.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  link,
  list,
  readCar,
  setChargeLimit,
  startCharge,
  stopCharge,
  unlink,
  withheldFrom,
} from './client.ts';
import { isConsentLost, problemIn } from './failures.ts';
import { login, TOKEN_PATH, withoutCode } from './sign-in.ts';
import * as translate from './translate.ts';
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
    if (
      eventType !== 'VERIFY' ||
      typeof challenge !== 'string' ||
      // control: nobody gets a signature for a delivery of theirs as a challenge [smartcar/webhook]
      !CHALLENGE.test(challenge)
    )
      return undefined;
    return { challenge: createHmac('sha256', secret).update(challenge).digest('hex') };
  },
  /** Retries of an event have ids of their own as deliveries, and the one of the event. */
  idOf: (_delivery, body) => word(objectIn(body).eventId, 200) ?? undefined,
  read,
} satisfies Webhook;

/** What each of a car's limits counts: lists are counted as far as they are about a car. */
const ofCar = { of: 'device', for: ['list', 'read', 'command'] } as const;
const source = 'smartcar.com/docs/help/api-limits; both can be raised by Smartcar';

/** Cars of some forty makers over Smartcar's API, version 3. */
export const smartcar = {
  slug: 'smartcar',
  name: 'Smartcar',
  // Makers whose cars Smartcar connects in Europe (smartcar.com/docs/help/frequencies).
  brands: {
    names: [
      'Volkswagen',
      'Audi',
      'Škoda',
      'BMW',
      'Kia',
      'Polestar',
      'Hyundai',
      'Mercedes-Benz',
      'Nissan',
      'MG',
      'Peugeot',
      'Renault',
      'Ford',
      'Opel',
      'Cupra',
      'BYD',
      'MINI',
      'Porsche',
      'Mazda',
      'Citroën',
      'Fiat',
      'DS',
      'Jeep',
      'Jaguar',
      'Land Rover',
      'Dacia',
      'Alfa Romeo',
      'Tesla',
      'Volvo',
    ],
    also: { Volkswagen: ['VW'], 'Mercedes-Benz': ['Mercedes'] },
    account: 'brand',
  },
  hosts: { api: 'https://vehicle.api.smartcar.com' },
  ...oauth2({
    authorizeUrl: 'https://connect.smartcar.com/oauth/authorize',
    tokenUrl: `https://iam.smartcar.com${TOKEN_PATH}`,
    scopes: ['read_vehicle_info'],
    pkce: false,
    // A user who links again may grant more, or another car.
    authorizeParameters: { mode: 'live', approval_prompt: 'force' },
    withoutCode,
  }),
  login,
  partnerSettings: [
    {
      name: 'application_id',
      description: 'Application ID of your app at Smartcar, which its sign-in page is opened with',
      isSecret: false,
      isRequired: true,
    },
    {
      name: 'management_token',
      description:
        'Application Management Token of your app at Smartcar, which signs its webhooks; without it they are refused',
      isSecret: true,
      isRequired: false,
    },
  ],
  budgets: [
    limit('vehicle_month', {
      ...ofCar,
      calls: 500,
      seconds: 30 * 86_400,
      setting: {
        name: 'ELNAV_SMARTCAR_MONTHLY_CALLS',
        times: 1,
        description: 'Calls about one car that your plan at Smartcar allows in a month',
      },
      source,
    }),
    limit('vehicle_hour', {
      ...ofCar,
      calls: 20,
      seconds: 3_600,
      source: 'Smartcar recommends fewer than 20 calls about a car in an hour; its limits differ by make',
    }),
    limit('app_hour', {
      of: 'app',
      calls: 120,
      seconds: 3_600,
      reserve: 0.3,
      share: 4,
      setting: {
        name: 'ELNAV_SMARTCAR_HOURLY_CALLS',
        times: 1,
        description: 'Calls for all cars together that Smartcar allows your app in an hour',
      },
      source,
    }),
  ],
  // Webhooks cost nothing, and a car without them is updated once a day: background reads find what was missed.
  pace: { active: 3_600, idle: 21_600, asleep: 43_200 },
  pushes: true,
  // Smartcar recommends this for all makes.
  pollSeconds: 1_800,
  // A list costs a call for each car; what changes sooner comes by webhook.
  listSeconds: 7 * 86_400,
  webhook,
  simulator: () => import('./simulator.ts'),
  link,
  list,
  unlink,
  kinds: {
    vehicle: kind<translate.Reading>({
      read: readCar,
      status: translate.statusOf,
      observedAt: translate.observedAt,
      unrecognized: translate.unrecognizedIn,
      reads: {
        read_battery_soc: (reading) => translate.socOf(reading).value,
        read_power: (reading) => translate.powerOf(reading).value,
        read_energy: (reading) => translate.energyOf(reading).value,
      },
      energyOfSession: true,
      controls: {
        charge_control: { start_charge: startCharge, stop_charge: stopCharge },
        charge_limit: { set_charge_limit: setChargeLimit },
      },
      ranges: { min_percent: 50, max_percent: 100 },
      needs: {
        read_battery_soc: ['read_battery'],
        read_power: ['read_charge'],
        read_energy: ['read_charge'],
        charge_control: ['control_charge'],
        charge_limit: ['control_charge'],
      },
      withholds: withheldFrom,
    }),
  },
} satisfies Adapter;

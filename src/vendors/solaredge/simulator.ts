import type {
  SimulatedAnswer,
  SimulatedRequest,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { SWEDISH_ZONE } from '../../core/swedish-days.ts';
import { byKey, type Refusal, type SimulatedCall, simulatedVendor } from '../../proof/simulation/index.ts';
import {
  dayOf,
  heardAt,
  metricsOf,
  newDevice,
  newSite,
  type SimulatedDevice,
  type SimulatedSite,
  siteValues,
  timestampOf,
  windowIn,
} from './simulated-site.ts';

type Home = readonly SimulatedSite[];
type Call = SimulatedCall<Home>;

/** Calls of a key. The free plan has 2,000 credits a month. */
const A_MINUTE = 10;
const FREE_CREDITS = 2_000;
const MONTH_MS = 30 * DAY_MS;
/** How long a device that is out of reach has been so. */
const LOST_MS = 3 * HOUR_MS;

/** More than the contract asks of a simulator, for tests of what is peculiar to SolarEdge. */
export interface SolarEdgeSimulator extends VendorSimulator {
  readonly device: (serial: string) => SimulatedDevice;
  /** Uses up the credits of the month of every key. */
  spendCredits(): void;
}

/** A device of ours: the inverters of a site, or a battery. */
interface Found {
  readonly site: SimulatedSite;
  readonly devices: readonly SimulatedDevice[];
}

/** SolarEdge's Monitoring API, version 2: keys, credits, sites whose inverters and batteries report each quarter. */
export function createSimulator(options: SimulatorOptions): SolarEdgeSimulator {
  const { clock } = options;
  const users = usersAt(clock.now());
  const called = new Map<string, number[]>();
  let isSpent = false;

  /** The limits of a key: 429 of the minute says when to come back, 429 of the month does not. */
  const within =
    (answer: (call: Call) => SimulatedAnswer | undefined) =>
    (call: Call): SimulatedAnswer | undefined => {
      const now = clock.now();
      const times = (called.get(call.user) ?? []).filter((at) => at > now - MONTH_MS);
      const inMinute = times.filter((at) => at > now - MINUTE_MS).length;
      // The users of checks are on a larger plan than `home`.
      const credits = call.user === 'free' ? FREE_CREDITS : Number.POSITIVE_INFINITY;
      const headers = (left: number) => ({
        'x-ratelimit-limit-minute': String(A_MINUTE),
        'x-ratelimit-remaining-minute': String(left),
      });
      if (inMinute >= A_MINUTE)
        return { ...refusal(429, 'Rate limit exceeded'), headers: { ...headers(0), 'retry-after': '60' } };
      if (isSpent || times.length >= credits)
        return { ...refusal(429, 'Monthly credit limit exceeded'), headers: headers(A_MINUTE - inMinute) };
      called.set(call.user, [...times, now]);
      const answered = answer(call);
      return (
        answered && { ...answered, headers: { ...headers(A_MINUTE - inMinute - 1), ...answered.headers } }
      );
    };

  const atSite = (answer: (site: SimulatedSite, call: Call) => SimulatedAnswer) =>
    within((call) => {
      const site = call.home.find(({ id }) => String(id) === call.params.site);
      return site === undefined ? refusal(403, 'No access to the site') : answer(site, call);
    });

  /** What only keys may ask: a token of OAuth is for one site. */
  const byKeyAlone = (answer: (call: Call) => SimulatedAnswer) =>
    within((call) =>
      call.request.headers['x-api-key'] === undefined ? refusal(403, 'An API key is required') : answer(call),
    );

  const telemetry = (family: string, type: SimulatedDevice['type']) =>
    atSite((site, { query }) => {
      const now = clock.now();
      const window = windowIn(query, now);
      if (typeof window === 'string') return refusal(400, window);
      const devices = site.devices.filter((device) => device.type === type && device.active);
      const metrics = devices.map((device) => [device.serial, metricsOf(site, device, { window, now })]);
      const period = { from: timestampOf(window.from), to: timestampOf(window.to) };
      return ok({
        period,
        resolution: window.resolution,
        [family]: Object.fromEntries(metrics) as JsonObject,
      });
    });

  const ofSite = (kind: 'power' | 'energy', unit: string) =>
    atSite((site, { query }) => {
      const now = clock.now();
      const window = windowIn(query, now);
      if (typeof window === 'string') return refusal(400, window);
      const period = { from: timestampOf(window.from), to: timestampOf(window.to) };
      const values = siteValues(site, { window, now }, kind);
      return ok({ period, unit, resolution: window.resolution, values });
    });

  const vendor = simulatedVendor<Home, Found>(options, {
    vendor: 'SolarEdge',
    users,
    refusal,
    signIn: (context) => {
      const inner = byKey({ keyOf })(context);
      return {
        ...inner,
        credentialsOf: (user) => ({
          ...inner.credentialsOf(user),
          site_ids: (users[user as keyof typeof users] ?? []).map(({ id }) => id).join(', '),
        }),
      };
    },
    routes: {
      'GET /v2/sites': byKeyAlone(({ home, query }) => {
        const size = Number(query.get('sites-in-page') ?? 100);
        const start = (Number(query.get('page') ?? 1) - 1) * size;
        const site = home
          .slice(start, start + size)
          .map(({ id, name }) => ({ siteId: id, name, activationStatus: 'ACTIVE' }));
        return ok({ sites: { count: home.length, site } });
      }),
      'GET /v2/alerts': byKeyAlone(() => ok([])),
      'GET /v2/sites/:site': atSite((site) =>
        ok({
          siteId: site.id,
          name: site.name,
          peakPower: site.devices.reduce((sum, { peakW }) => sum + peakW, 0) / 1_000,
          installationDate: '2022-06-01T00:00:00+02:00',
          lastUpdateTime: timestampOf(heardAt(site, clock.now())),
          location: { city: 'Stockholm', country: 'Sweden', timezone: SWEDISH_ZONE },
          activationStatus: 'ACTIVE',
        }),
      ),
      'GET /v2/sites/:site/overview': atSite((site) => {
        const now = clock.now();
        const values = siteValues(site, { window: dayOf(now), now }, 'energy');
        const total = values.reduce((sum, { value }) => sum + Number(value), 0);
        const without = { toSelfConsumption: null, toStorage: null, toGrid: null };
        const consumption = { total: null, unit: 'WH', fromPv: null, fromStorage: null, fromGrid: null };
        return ok({
          siteId: site.id,
          production: { total: total / 1_000, unit: 'KWH', ...without },
          consumption,
        });
      }),
      'GET /v2/sites/:site/power': ofSite('power', 'W'),
      'GET /v2/sites/:site/energy': ofSite('energy', 'WH'),
      'GET /v2/sites/:site/devices': atSite(({ devices }, { query }) => {
        const types = query.has('types') ? query.getAll('types') : ['INVERTER'];
        return ok(devices.filter(({ type }) => types.includes(type)).map(deviceJson));
      }),
      'GET /v2/sites/:site/alerts': atSite(() => ok([])),
      'GET /v2/sites/:site/inverters/telemetry': telemetry('inverters', 'INVERTER'),
      'GET /v2/sites/:site/storage/telemetry': telemetry('storage', 'BATTERY'),
      'GET /v2/sites/:site/meters/telemetry': telemetry('meters', 'METER'),
    },
    devices: {
      find(home, { id }) {
        for (const site of home) {
          const isSite = id === String(site.id);
          const devices = site.devices.filter(({ serial, type }) =>
            isSite ? type === 'INVERTER' : serial === id,
          );
          if (devices.length > 0) return { site, devices };
        }
        return undefined;
      },
      arrange: () => {},
      reach({ devices }, isReachable) {
        for (const device of devices) device.lostAt = isReachable ? null : clock.now() - LOST_MS;
      },
      remove(_home, { site, devices }) {
        site.devices = site.devices.filter((one) => !devices.includes(one));
      },
      add: (_home, { site, devices }) => void site.devices.push(...devices),
    },
  });

  return {
    ...vendor,
    async handle(request) {
      if (request.path.startsWith('/v2/')) return vendor.handle(request);
      return refusal(410, 'The Monitoring API V1 has ended');
    },
    device(serial) {
      const devices = Object.values<Home>(users).flatMap((home) => home.flatMap((site) => site.devices));
      const found = devices.find((device) => device.serial === serial);
      if (found === undefined) throw new Error(`the simulator has no device ${serial}`);
      return found;
    },
    spendCredits() {
      isSpent = true;
    },
  };
}

const ok = (json: Json): SimulatedAnswer => ({ status: 200, json });

/** Problem details, RFC 9457. */
const refusal: Refusal = (status, detail) => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  json: {
    type: 'https://se-api.stoplight.io/docs/monitoring',
    title: status === 404 ? 'Not Found' : 'Error',
    status,
    detail: status === 404 ? 'Unknown endpoint' : detail,
    traceId: 'simulated',
  },
});

/** A token of OAuth stands for a user as their key does; how it is got is not simulated. */
const keyOf = ({ headers }: SimulatedRequest): string | undefined =>
  headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');

const deviceJson = ({ serial, type, name, active, inverter }: SimulatedDevice): JsonObject => ({
  type,
  serialNumber: serial,
  manufacturer: 'SolarEdge',
  partNumber: 'SIMULATED',
  firmwareVersion: '4.25.13',
  active,
  name,
  connectedTo: inverter,
});

function usersAt(now: number): Readonly<Record<'home' | 'none' | 'large' | 'free', Home>> {
  const battery = (serial: string, inverter: string) => newDevice(serial, 'BATTERY', { inverter });
  const villa = [
    newDevice('7E100001-01', 'INVERTER', { name: 'Roof (simulated)' }),
    battery('BATT-0001', '7E100001-01'),
    newDevice('METER-0001', 'METER'),
    newDevice('7E100000-00', 'INVERTER', { name: 'Replaced (simulated)', active: false }),
  ];
  const barn = [
    newDevice('7E200001-01', 'INVERTER', { name: 'South (simulated)' }),
    newDevice('7E200002-02', 'INVERTER', { name: 'West (simulated)', peakW: 5_000 }),
    battery('BATT-2001', '7E200001-01'),
    battery('BATT-2002', '7E200002-02'),
  ];
  const number = (index: number) => String(index).padStart(4, '0');
  return {
    home: [
      newSite(1_000_001, 'Villa (simulated)', villa, now),
      newSite(1_000_002, 'Barn (simulated)', barn, now),
    ],
    none: [newSite(1_000_004, 'Plot (simulated)', [], now)],
    large: [0, 1].map((site) => {
      const inverter = newDevice(`7F${site}00000-00`, 'INVERTER');
      const batteries = Array.from({ length: 249 }, (_, index) =>
        battery(`BATT-${site}${number(index)}`, inverter.serial),
      );
      return newSite(2_000_001 + site, `Field ${site + 1} (simulated)`, [inverter, ...batteries], now);
    }),
    free: [newSite(1_000_005, 'Stable (simulated)', [newDevice('7E500001-01', 'INVERTER')], now)],
  };
}

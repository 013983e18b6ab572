import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import { DAY_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { midnight } from '../../core/swedish-days.ts';
import { byOAuth, type Refusal, type SimulatedCall, simulatedVendor } from '../../proof/simulation/index.ts';
import {
  importedBetween,
  powersOf,
  QUARTER_MS,
  reportedAt,
  type SimulatedSystem,
  statusOf,
  summaryOf,
  TELEMETRY,
  usersAt,
} from './simulated-system.ts';

/** A page of the systems of an owner. */
export function systemsPage(
  home: readonly SimulatedSystem[],
  query: URLSearchParams,
  now: number,
): JsonObject {
  const page = Number(query.get('page') ?? 1);
  const size = Math.min(100, Number(query.get('size') ?? 10));
  const systems = home.slice((page - 1) * size, page * size).map(
    (system): Json => ({
      system_id: system.id,
      name: system.name,
      public_name: 'Residential System',
      timezone: 'Europe/Stockholm',
      address: { city: 'Stockholm', state: null, country: 'SE', postal_code: null },
      connection_type: system.isCellular ? 'cellular' : 'ethernet',
      energy_lifetime: -1,
      energy_today: -1,
      system_size: -1,
      status: statusOf(system),
      last_report_at: Math.floor(reportedAt(system, now) / 1_000),
      last_energy_at: Math.floor(reportedAt(system, now) / 1_000),
      operational_at: 1_704_063_600,
      attachment_type: null,
      interconnect_date: null,
    }),
  );
  return { total: home.length, current_page: page, size, count: systems.length, items: 'systems', systems };
}

/** What a battery gives is positive here and in the live data, and the mode says which it is. */
export function latestOf(system: SimulatedSystem, now: number): JsonObject {
  const { end, pv, load, stored } = powersOf(system, now);
  const last_report_at = Math.floor(end / 1_000);
  const meter = (id: number, name: string, power: number) => ({
    id,
    name,
    channel: 1,
    last_report_at,
    power,
  });
  const mode = stored === 0 ? 'Idle' : stored > 0 ? 'Charging' : 'Discharging';
  const battery = {
    ...meter(system.id + 3, `Encharge ${system.id}`, 0 - stored),
    operational_mode: mode,
  };
  const meters = [meter(system.id + 1, 'production', pv), meter(system.id + 2, 'consumption', load + stored)];
  return {
    system_id: system.id,
    items: 'devices',
    devices: {
      meters: system.isMetered ? meters : [],
      ...(system.hasBattery ? { encharges: [battery] } : {}),
    },
  };
}

/** What the stream of live data says. */
function liveOf(system: SimulatedSystem, now: number): JsonObject {
  const { pv, load, stored, soc } = powersOf(system, now);
  return {
    data: {
      battery_mode: system.settings.battery_mode,
      battery_power: 0 - stored,
      battery_soc: soc,
      consumption_power: load,
      envoy_serial_number: [String(system.id)],
      generator_power: 0,
      grid_power: load + stored - pv,
      grid_status: 'On Grid',
      pv_power: pv,
      system_id: system.id,
    },
    timestamp_epoch: now,
    timestamp_utc: new Date(now).toISOString().replace('T', ' ').replace('Z', ''),
    type: 'response',
  };
}

export const settingsOf = ({ id, settings }: SimulatedSystem): JsonObject => ({
  system_id: id,
  ...settings,
  energy_independence: 'enabled',
  charge_from_grid: 'disabled',
  battery_shutdown_level: 5,
});

type Home = SimulatedSystem[];
type Call = SimulatedCall<Home>;

/** A device of ours: the cells of a system, or its batteries. */
interface Part {
  readonly system: SimulatedSystem;
  readonly isBattery: boolean;
}

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'Not Authorized',
  403: 'Forbidden',
  404: 'Not Found',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};
const said = (status: number, details: string, message = MESSAGES[status] ?? 'Error'): SimulatedAnswer => ({
  status,
  json: { message, details, code: status },
});
const refusal: Refusal = (status, reason) =>
  status === 405 || status === 501
    ? { status, json: { reason: String(status), message: [reason] } }
    : said(status, reason);
const WRONG_KEY = said(
  401,
  'API Key and Client ID of the access token do not match',
  'API Key -Client mismatch',
);
const MINUTE = 60;
const MONTH = 31 * 86_400;

/** How far a request of telemetry reaches, ms. */
const GRANULARITIES: Readonly<Record<string, number>> = {
  '5mins': QUARTER_MS / 3,
  '15mins': QUARTER_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};
const MODES = ['Savings Mode', 'Self-consumption', 'Self - Consumption', 'Full Backup'];

/** Enphase's cloud: the systems of an owner, telemetry in intervals, and the limits of the plan Kilowatt. */
export function createSimulator(options: SimulatorOptions): VendorSimulator {
  const { clock, partner } = options;
  const { now } = clock;

  /** About the system that the path names. Some calls say "Not Authorized" of one that is not there. */
  const ofSystem =
    (answer: (system: SimulatedSystem, call: Call) => SimulatedAnswer, missing = 'Not Found') =>
    (call: Call): SimulatedAnswer => {
      const system = call.home.find(({ id }) => String(id) === call.params.system);
      return system === undefined
        ? said(404, `System not found for {:id=>"${call.params.system}"}`, missing)
        : answer(system, call);
    };
  const inSpan = (
    answer: (system: SimulatedSystem, span: { readonly from: number; readonly to: number }) => JsonObject,
  ) =>
    ofSystem((system, { query }) => {
      const granularity = query.get('granularity') ?? 'day';
      const from = query.has('start_at') ? Number(query.get('start_at')) * 1_000 : midnight(now());
      const length = GRANULARITIES[granularity];
      if (length === undefined || Number.isNaN(from)) return said(422, 'Invalid request');
      if (from > now()) return said(422, 'Requested date is in the future');
      const last = reportedAt(system, now());
      if (from - last > 7 * DAY_MS)
        return said(422, "Invalid request because of 'Requested date range is invalid for this system.'");
      const json = answer(system, { from, to: Math.min(last, from + length) });
      const end_at = Math.floor(Math.min(now(), from + length) / 1_000);
      return {
        status: 200,
        json: { system_id: system.id, granularity, start_at: from / 1_000, end_at, ...json },
      };
    }, 'Not Authorized');
  const telemetry = (measured: string) =>
    inSpan((system, span) => {
      const isThere = measured === 'battery' ? system.hasBattery : system.isMetered;
      const { soc } = powersOf(system, now());
      return {
        total_devices: measured === 'production_micro' ? 25 : Number(isThere),
        items: 'intervals',
        intervals: [...(TELEMETRY[measured]?.(system, span) ?? [])],
        ...(measured === 'battery' && soc !== null ? { last_reported_aggregate_soc: `${soc}%` } : {}),
      };
    });
  const NO_BATTERY = said(422, "System doesn't have encharge");

  const vendor = simulatedVendor<Home, Part>(options, {
    vendor: 'Enphase',
    users: usersAt(now()),
    signIn: byOAuth({
      authorizePath: '/oauth/authorize',
      tokenPath: '/oauth/token',
      accessSeconds: 86_393,
      extra: (user) => ({ scope: 'read write', enl_uid: `uid-${user}`, app_type: 'system' }),
      claims: (user) => ({ enl_uid: `uid-${user}`, scope: ['read', 'write'], app_type: 'system' }),
    }),
    refusal,
    tokenRefused: said(401, 'User is not authorized'),
    limits: [
      { calls: 50, seconds: MINUTE, of: 'app' },
      { calls: 50_000, seconds: MONTH, of: 'app' },
    ],
    limited: ({ calls, seconds, resetSeconds }) => {
      const period_end = Math.floor(now() / 1_000) + resetSeconds;
      return {
        status: 429,
        json: {
          message: 'Too Many Requests',
          details: 'Usage limit exceeded for plan Kilowatt',
          code: 429,
          period: seconds === MINUTE ? 'minute' : 'month',
          period_start: period_end - seconds,
          period_end,
          limit: calls,
        },
      };
    },
    routes: {
      'GET /api/v4/systems': ({ home, query }) => ({ status: 200, json: systemsPage(home, query, now()) }),
      'GET /api/v4/systems/:system/summary': ofSystem((system) => ({
        status: 200,
        json: summaryOf(system, now()),
      })),
      'GET /api/v4/systems/:system/latest_telemetry': ofSystem((system) => ({
        status: 200,
        json: latestOf(system, now()),
      })),
      'GET /api/v4/systems/:system/telemetry/production_micro': telemetry('production_micro'),
      'GET /api/v4/systems/:system/telemetry/production_meter': telemetry('production_meter'),
      'GET /api/v4/systems/:system/telemetry/consumption_meter': telemetry('consumption_meter'),
      'GET /api/v4/systems/:system/telemetry/battery': telemetry('battery'),
      // A list of lists, unlike the others.
      'GET /api/v4/systems/:system/energy_import_telemetry': inSpan((system, span) => ({
        total_devices: Number(system.isMetered),
        items: 'intervals',
        intervals: [[...importedBetween(system, span)]],
      })),
      'GET /api/v4/systems/config/:system/battery_settings': ofSystem((system) =>
        system.hasBattery ? { status: 200, json: settingsOf(system) } : NO_BATTERY,
      ),
      'PUT /api/v4/systems/config/:system/battery_settings': ofSystem((system, { body }) => {
        const { battery_mode = system.settings.battery_mode, reserve_soc = system.settings.reserve_soc } =
          body;
        if (!system.hasBattery) return NO_BATTERY;
        if (typeof reserve_soc !== 'number' || reserve_soc < 5 || reserve_soc > 100)
          return said(422, 'reserve_soc is not valid');
        if (!MODES.includes(String(battery_mode))) return said(422, 'battery_mode is not valid');
        Object.assign(system.settings, { battery_mode, reserve_soc });
        return { status: 200, json: settingsOf(system) };
      }),
      'GET /api/v4/systems/:system/live_data': ofSystem((system, { request }) => {
        const duration = Number(request.headers.duration ?? 30);
        if (!Number.isInteger(duration)) return live(463, 'INVALID_DURATION');
        if (duration < 30) return live(461, 'INVALID_DURATION');
        if (duration > 300) return live(462, 'INVALID_DURATION');
        if (system.silentSince !== null) return live(473, 'IQ_GATEWAY_NOT_REPORTING');
        return {
          status: 200,
          events(stream) {
            stream.write(`data: ${JSON.stringify(liveOf(system, now()))}\n\n`);
            stream.onClose(clock.after(duration * 1_000, () => stream.end()));
          },
        };
      }),
    },
    devices: {
      find(home, { id }) {
        const system = home.find((one) => id === String(one.id) || id === `${one.id}-battery`);
        return system === undefined ? undefined : { system, isBattery: id.endsWith('-battery') };
      },
      // Nothing is commanded.
      arrange() {},
      reach({ system }, isReachable) {
        system.silentSince = isReachable ? null : now() - DAY_MS;
      },
      remove(home, { system, isBattery }) {
        if (isBattery) system.hasBattery = false;
        else home.splice(home.indexOf(system), 1);
      },
      add(home, { system, isBattery }) {
        if (isBattery) system.hasBattery = true;
        else home.push(system);
      },
    },
  });
  return {
    ...vendor,
    async handle(request) {
      const key = request.headers.key ?? request.query.get('key');
      const isOfApi = request.path.startsWith('/api/');
      if (isOfApi && partner?.apiKey !== undefined && key !== partner.apiKey) return WRONG_KEY;
      // The reference has the parameters of tokens in the query, and takes them in the body too.
      const isInQuery = request.path === '/oauth/token' && request.body.length === 0;
      return vendor.handle(isInQuery ? { ...request, body: Buffer.from(request.query.toString()) } : request);
    },
  };
}

const live = (status: number, name: string): SimulatedAnswer => ({
  status,
  json: { error: { code: status, details: [{}], message: name, status: name }, type: 'validation_error' },
});

import type { Adapter, Found } from '../src/adapter/adapter.ts';
import { simulatedSettings } from '../src/adapter/login.ts';
import type { DeviceRef } from '../src/adapter/session.ts';
import type { SimulatedAnswer, SimulatedRequest, VendorSimulator } from '../src/adapter/simulator.ts';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/ids.ts';
import type { JsonObject } from '../src/core/json.ts';
import { moreSettings, vendorSettingNames } from '../src/core/settings/vendors.ts';
import { bodyAndHeaders, serveSimulated } from '../src/simulation/serve.ts';
import { makeVendorWorld, refOf } from '../test/kit/vendor-world.ts';

/** A vendor's cloud of the bench, and what links a user of it. */
export interface VendorCloud {
  readonly slug: string;
  readonly isOAuth: boolean;
  /** Settings with which elnav calls it. */
  readonly env: Readonly<Record<string, string>>;
  readonly user: { readonly name: string; readonly password: string; readonly credentials: JsonObject };
}

/** In the tokens of links whose cars charge. */
export const BUSY_MARK = 'BenchBusy';

const PARTNER = { clientId: 'elnav-bench', clientSecret: 'no-secret', apiKey: 'no-key' };
/** Devices that are read in one call, of a link. */
const MOST_TOGETHER = 3;
/** Points in time in addresses and bodies: a response to one is replayed for all. */
const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?|\b1\d{9}(?:\d{3})?\b/g;
const TOKENS = /("(?:access_?token|refresh_?token)"\s*:\s*"[^"]+)"/gi;

/**
 * The vendor's simulator on a port. It knows one user, and every link of the bench is that user: what it once responded to a request
 * is replayed for all links. What it was not asked before, sign-ins and streams it responds to itself. Its clock stands still, except that
 * it goes on when a limit of the one user is used up.
 */
export async function openVendorCloud(adapter: Adapter): Promise<{
  readonly cloud: VendorCloud;
  /** Requests so far. */
  calls(): number;
  close(): Promise<void>;
}> {
  const { slug, oauth, login, apiKeyHeader } = adapter;
  const module = await adapter.simulator?.();
  if (module === undefined) throw new Error(`${slug} has no simulator`);
  const clock = standingClock();
  const isPartner = oauth !== undefined || login?.needsPartner === true;
  const partner = { ...PARTNER, ...simulatedSettings(adapter) };
  const simulator = module.createSimulator({
    clock,
    random: systemRandom,
    baseUrl: () => served.url,
    ...(isPartner ? { partner } : {}),
  });
  const devices = await furnish(adapter, simulator);
  const replay = createReplay({ simulator, clock, cars: devices.filter(isCar) });
  let calls = 0;
  const served = await serveSimulated({
    slug,
    load: async () => ({
      handle: replay,
      ...(simulator.upgrade === undefined
        ? {}
        : { upgrade: (request, socket) => simulator.upgrade?.(withoutMark(request), socket) }),
    }),
    onRequest: () => {
      calls += 1;
    },
    onFailure: (error) => console.error(error),
  });
  const names = vendorSettingNames(slug);
  const { name, password, credentials } = simulator.user;
  const sites = [...new Set(devices.flatMap(({ site }) => site ?? []))];
  return {
    cloud: {
      slug,
      isOAuth: oauth !== undefined,
      env: {
        [names.baseUrl]: served.url,
        ...(isPartner
          ? {
              [names.clientId]: partner.clientId,
              [names.clientSecret]: partner.clientSecret,
              ...(apiKeyHeader === undefined ? {} : { [names.apiKey]: partner.apiKey }),
              ...moreSettings(slug, partner),
            }
          : {}),
      },
      user: {
        name,
        password,
        // A user who names sites names those that have devices.
        credentials: 'site_ids' in credentials ? { ...credentials, site_ids: sites.join(',') } : credentials,
      },
    },
    calls: () => calls,
    close: served.close,
  };
}

const isCar = ({ type }: Pick<Found, 'type'>): boolean => type === 'charger' || type === 'vehicle';

/**
 * Leaves what an ordinary home has of the one that the simulator makes, which has a device of every variant: the first of each type and,
 * where one call reads several, up to three at the same place. No car charges.
 */
async function furnish(adapter: Adapter, simulator: VendorSimulator): Promise<(Found & DeviceRef)[]> {
  const { devices } = await (await makeVendorWorld(adapter)).link();
  const [first] = devices;
  const together = devices.filter(({ site }) => site === first?.site).slice(0, MOST_TOGETHER);
  const kept = devices.filter(
    (device, index) =>
      devices.findIndex(({ type }) => type === device.type) === index ||
      (adapter.sweep !== undefined && together.includes(device)),
  );
  for (const device of devices) if (!kept.includes(device)) simulator.remove(refOf(device));
  const refs = kept.map(refOf);
  for (const car of refs.filter(isCar)) simulator.arrange(car, 'plugged_in');
  return refs;
}

type StandingClock = Clock & { goOn(ms: number): void };

function standingClock(): StandingClock {
  let now = systemClock.now();
  return {
    now: () => now,
    after: systemClock.after,
    goOn(ms) {
      now += ms;
    },
  };
}

interface ReplayOptions {
  readonly simulator: VendorSimulator;
  readonly clock: StandingClock;
  /** What charges for the links that are marked as busy. */
  readonly cars: readonly DeviceRef[];
}

function createReplay({ simulator, clock, cars }: ReplayOptions) {
  const recorded = new Map<string, SimulatedAnswer>();
  /** One at a time, since the cars charge for some. */
  let asking: Promise<unknown> = Promise.resolve();

  async function ask(request: SimulatedRequest, isBusy: boolean): Promise<SimulatedAnswer> {
    if (isBusy) for (const car of cars) simulator.arrange(car, 'charging');
    try {
      for (;;) {
        const answer = await simulator.handle(request);
        if (answer.status !== 429) return answer;
        clock.goOn(1_000 * Number(answer.headers?.['retry-after'] ?? 60));
      }
    } finally {
      if (isBusy) for (const car of cars) simulator.arrange(car, 'plugged_in');
    }
  }

  return async (marked: SimulatedRequest): Promise<SimulatedAnswer> => {
    const isBusy = isMarked(marked);
    const request = isBusy ? withoutMark(marked) : marked;
    // A negotiated connection is good once.
    if (request.path.endsWith('/negotiate')) return simulator.handle(request);
    const key = keyOf(request, isBusy);
    const before = recorded.get(key);
    if (before !== undefined) return before;
    const asked = asking.then(() => recorded.get(key) ?? ask(request, isBusy));
    asking = asked.catch(() => {});
    const answer = await asked;
    if (answer.events !== undefined || answer.status >= 300) return answer;
    const { body, headers } = bodyAndHeaders(answer);
    const text = Buffer.from(body).toString();
    const bytes = isBusy ? Buffer.from(text.replace(TOKENS, `$1${BUSY_MARK}"`)) : body;
    const whole = { status: answer.status, headers, bytes };
    recorded.set(key, whole);
    return whole;
  };
}

const textOf = ({ body }: SimulatedRequest): string => Buffer.from(body).toString();

function keyOf(request: SimulatedRequest, isBusy: boolean): string {
  const { method, path, query } = request;
  return `${isBusy} ${method} ${path}?${query} ${textOf(request)}`.replace(TIMES, '*');
}

const isMarked = (request: SimulatedRequest): boolean =>
  request.headers.authorization?.includes(BUSY_MARK) === true || textOf(request).includes(BUSY_MARK);

function withoutMark(request: SimulatedRequest): SimulatedRequest {
  const plain = (text: string) => text.replaceAll(BUSY_MARK, '');
  return {
    ...request,
    query: new URLSearchParams(plain(String(request.query))),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, plain(value)])),
    body: Buffer.from(plain(textOf(request))),
  };
}

import type { Situation } from '../../adapter/conformance/witnesses.ts';
import type {
  SimulatedAnswer,
  SimulatedFault,
  SimulatedRequest,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';
import { randomBase62 } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { createSimulatedOAuth } from '../../simulation/oauth.ts';
import { TOKEN_PATH } from './partner.ts';
import { AUDIENCES } from './regions.ts';
import { accountsAt, PASSWORD, USERS, type User } from './simulated-accounts.ts';
import {
  answered,
  answerOf,
  LIMITS,
  MISSING_SCOPES,
  refused,
  tooMany,
  UNAVAILABLE,
} from './simulated-answers.ts';
import {
  advance,
  cachedState,
  chargeState,
  isAwake,
  order,
  type SimulatedCar,
  wake,
} from './simulated-car.ts';
import { advanceSite, components, liveStatus, type SimulatedSite } from './simulated-site.ts';

const AUTHORIZE_PATH = '/oauth2/v3/authorize';
const ACCESS_SECONDS = 28_800;
const WINDOW_MS = 60_000;
/** Tesla's sign-in and Fleet API, REST alone: signatures of commands are not simulated, only their absence is refused. */
export function createSimulator(options: SimulatorOptions): VendorSimulator {
  const { clock, random, partner } = options;
  const accounts = accountsAt(clock.now());
  const oauth = createSimulatedOAuth({
    clock,
    random,
    partner,
    vendor: 'Tesla',
    users: new Map(Object.keys(USERS).map((user) => [user, PASSWORD])),
    accessSeconds: ACCESS_SECONDS,
    isRotating: true,
  });
  const partnerTokens = new Set<string>();
  let isRegistered = false;
  const removed = new Set<string>();
  let fault: SimulatedFault | null = null;
  const used = new Map<string, { since: number; count: number }>();

  const allCars = () => Object.values(accounts).flatMap(({ cars }) => cars);
  const allSites = () => Object.values(accounts).flatMap(({ sites }) => sites);

  /** Tesla's own 429, or undefined while the limit of the device is kept. */
  function overLimit(kind: keyof typeof LIMITS, id: string): SimulatedAnswer | undefined {
    const now = clock.now();
    const key = `${kind}/${id}`;
    const window = used.get(key);
    const current =
      window === undefined || now - window.since >= WINDOW_MS ? { since: now, count: 0 } : window;
    used.set(key, { ...current, count: current.count + 1 });
    if (current.count < LIMITS[kind]) return undefined;
    return tooMany(kind, Math.ceil((current.since + WINDOW_MS - now) / 1000));
  }

  function token(request: SimulatedRequest): SimulatedAnswer {
    const form = new URLSearchParams(Buffer.from(request.body).toString());
    const grant = form.get('grant_type');
    if (grant === 'client_credentials') return partnerToken(form);
    if (
      grant === 'authorization_code' &&
      !Object.values<string | null>(AUDIENCES).includes(form.get('audience'))
    )
      return { status: 400, json: { error: 'invalid_request', error_description: 'audience' } };
    const answer = oauth.token(request);
    const isLost = grant === 'refresh_token' && answer.status === 400;
    return isLost
      ? { status: 401, json: { error: 'login_required', error_description: 'The refresh_token is invalid' } }
      : answer;
  }

  function partnerToken(form: URLSearchParams): SimulatedAnswer {
    const isKnown =
      partner === undefined ||
      (form.get('client_id') === partner.clientId && form.get('client_secret') === partner.clientSecret);
    if (!isKnown) return { status: 401, json: { error: 'unauthorized_client' } };
    const access = `partner-${randomBase62(random, 32)}`;
    partnerTokens.add(access);
    return { status: 200, json: { access_token: access, expires_in: ACCESS_SECONDS, token_type: 'Bearer' } };
  }

  function register(request: SimulatedRequest, access: string): SimulatedAnswer {
    if (!partnerTokens.has(access)) return refused(401, 'invalid bearer token');
    const { domain } = bodyOf(request);
    if (typeof domain !== 'string' || !/^[a-z0-9.-]+\.[a-z]{2,}$/.test(domain))
      return refused(422, 'invalid_field');
    isRegistered = true;
    return answered({ account_id: 'simulated', domain, public_key: '04simulated' });
  }

  function api(request: SimulatedRequest): SimulatedAnswer {
    const { method, path } = request;
    const access = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (method === 'POST' && path === '/api/1/partner_accounts') return register(request, access);
    const signedIn = oauth.userOf(access);
    if (signedIn === undefined) return refused(401, 'token expired (401)');
    if (!request.headers['content-type']?.startsWith('application/json'))
      return refused(406, 'not_acceptable');
    const user = signedIn.user as User;
    if (user === 'filippa' && !isRegistered)
      return refused(412, 'Account must be registered in the current region');
    const may = (scope: string) => signedIn.scopes.includes(scope);
    switch (`${method} ${path}`) {
      case 'GET /api/1/users/region': {
        const region = user === 'erik' ? 'na' : 'eu';
        return answered({ region, fleet_api_base_url: AUDIENCES[region] });
      }
      case 'GET /api/1/users/me':
        return may('user_data')
          ? answered({ email: `${user}@example.com`, full_name: user, vault_uuid: `simulated-${user}` })
          : MISSING_SCOPES;
      case 'GET /api/1/products':
        return products(user);
    }
    const [, kind, id = '', rest = ''] =
      /^\/api\/1\/(vehicles|energy_sites)\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    const { cars, sites } = ownedBy(user);
    if (kind === 'vehicles') {
      const car = cars.find(({ vin }) => vin === id);
      return car === undefined ? refused(404, 'not_found') : carCall(request, { car, rest, may });
    }
    const site = kind === undefined ? undefined : sites.find((one) => String(one.id) === id);
    return site === undefined ? refused(404, 'not_found') : siteCall(site, rest, may);
  }

  /** Without what was taken away. */
  function ownedBy(user: User) {
    const { cars, sites, others } = accounts[user];
    return {
      cars: cars.filter(({ vin }) => !removed.has(vin)),
      sites: sites.filter(({ id }) => !removed.has(String(id))),
      others,
    };
  }

  function products(user: User): SimulatedAnswer {
    const { cars, sites, others } = ownedBy(user);
    for (const car of cars) advance(car, clock.now());
    for (const site of sites) advanceSite(site, clock.now());
    const listed = [...cars.map(listedCar), ...sites.map(listedSite), ...others];
    return answered(listed, { count: listed.length });
  }

  interface CarCall {
    readonly car: SimulatedCar;
    readonly rest: string;
    readonly may: (scope: string) => boolean;
  }

  function carCall(request: SimulatedRequest, { car, rest, may }: CarCall): SimulatedAnswer {
    advance(car, clock.now());
    if (request.method === 'POST' && rest === 'wake_up') {
      if (!may('vehicle_cmds')) return MISSING_SCOPES;
      const limited = overLimit('wakes', car.vin);
      if (limited !== undefined) return limited;
      const before = listedCar(car);
      wake(car);
      return answered(before);
    }
    if (request.method === 'POST' && rest.startsWith('command/'))
      return commandCall(request, { car, rest, may });
    if (request.method !== 'GET') return refused(405, 'method_not_allowed');
    if (!may('vehicle_device_data')) return MISSING_SCOPES;
    const limited = overLimit('data', car.vin);
    if (limited !== undefined) return limited;
    if (rest === '') return answered(listedCar(car));
    if (rest !== 'vehicle_data') return refused(404, 'not_found');
    if (!isAwake(car)) return UNAVAILABLE;
    const unknown = fault === 'unknown_values' ? { charging_state: 'Pondering', charger_phases: 7 } : {};
    return answered({
      ...listedCar(car),
      charge_state: { ...chargeState(car), ...unknown, ...novelty() },
      ...novelty(),
    });
  }

  function commandCall(request: SimulatedRequest, { car, rest, may }: CarCall): SimulatedAnswer {
    if (!may('vehicle_charging_cmds')) return MISSING_SCOPES;
    const limited = overLimit('commands', car.vin);
    if (limited !== undefined) return limited;
    if (car.signing === 'required') return refused(403, 'Tesla Vehicle Command Protocol required');
    if (!isAwake(car)) return UNAVAILABLE;
    const outcome = order(car, rest.slice('command/'.length), bodyOf(request));
    return outcome === undefined ? refused(400, 'invalid_command') : answered(outcome);
  }

  function siteCall(site: SimulatedSite, rest: string, may: (scope: string) => boolean): SimulatedAnswer {
    if (!may('energy_device_data')) return MISSING_SCOPES;
    const limited = overLimit('data', String(site.id));
    if (limited !== undefined) return limited;
    advanceSite(site, clock.now());
    if (rest === 'site_info')
      return answered({ id: String(site.id), site_name: site.name, components: components(site) });
    if (rest !== 'live_status') return refused(404, 'not_found');
    const unknown = fault === 'unknown_values' ? { island_status: 'perplexed', grid_status: 'Odd' } : {};
    return answered({ ...liveStatus(site), ...unknown, ...novelty() });
  }

  /** Fields of next year's software. */
  const novelty = (): JsonObject =>
    fault === 'unknown_values' ? { flux: [1, { level: 'high' }], constructor: 'odd', toString: 1 } : {};

  function listedCar(car: SimulatedCar): JsonObject {
    return {
      id: Number(car.vin.slice(-6)),
      vehicle_id: Number(car.vin.slice(-6)),
      vin: car.vin,
      display_name: car.name,
      access_type: 'OWNER',
      state: cachedState(car),
      in_service: false,
      api_version: 85,
      command_signing: car.signing,
      ...novelty(),
    };
  }

  function listedSite(site: SimulatedSite): JsonObject {
    return {
      energy_site_id: site.id,
      resource_type: site.hasBattery ? 'battery' : 'solar',
      site_name: site.name,
      components: components(site),
      ...novelty(),
    };
  }

  return {
    async handle(request) {
      if (request.path === AUTHORIZE_PATH) return oauth.authorize(request);
      const wrong = answerOf(fault, request.path);
      if (wrong !== undefined) return wrong;
      if (request.method === 'POST' && request.path === TOKEN_PATH) return token(request);
      return api(request);
    },
    fault(next) {
      fault = next;
    },
    arrange(device, situation) {
      const now = clock.now();
      const car = allCars().find(({ vin }) => vin === device.id);
      if (car !== undefined) arrangeCar(car, situation, now);
      const site = allSites().find(({ id }) => String(id) === device.id);
      if (site !== undefined && situation === 'battery_idle') advanceSite(site, now);
    },
    reach({ id }, isReachable) {
      for (const car of allCars()) if (car.vin === id) car.isOffline = !isReachable;
    },
    remove({ id }) {
      removed.add(id);
    },
    expireTokens: () => oauth.expireAll(),
    revoke() {
      for (const user of Object.keys(USERS)) oauth.revoke(user);
    },
    user: userNamed('anna'),
    users: { none: userNamed('cecilia'), large: userNamed('david') },
  };
}

const userNamed = (name: User) => ({ name, password: PASSWORD, credentials: {} });

/** Awake, plugged in at half charge, with the highest current. */
function arrangeCar(car: SimulatedCar, situation: Situation, now: number): void {
  advance(car, now);
  Object.assign(car, {
    isOffline: false,
    soc: 50,
    isPlugged: situation !== 'off',
    isStopped: situation !== 'charging',
    startsAt: now,
    limit: 80,
    amperes: 16,
    addedWh: 0,
    activeAt: now,
    wakesAt: null,
  });
}

function bodyOf(request: SimulatedRequest): JsonObject {
  const value: unknown = request.body.length === 0 ? {} : JSON.parse(Buffer.from(request.body).toString());
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

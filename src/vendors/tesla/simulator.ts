import type { HouseMeter } from '../../adapter/device.ts';
import { houseMeters } from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type {
  FaultCodes,
  SimulatedAnswer,
  SimulatedRequest,
  SimulatorOptions,
} from '../../adapter/simulator.ts';

import { randomBase62 } from '../../core/ids.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { byOAuth, type Refusal, type SimulatedCall, simulatedVendor } from '../../proof/simulation/index.ts';
import { bodyOf } from '../../proof/simulation/routes.ts';
import type { MakeSignIn } from '../../proof/simulation/sign-in.ts';
import { AUDIENCES } from './failures.ts';
import { TOKEN_PATH } from './partner.ts';
import {
  advance,
  arrangeCar,
  cachedState,
  chargeState,
  isAwake,
  order,
  type SimulatedCar,
  wake,
} from './simulated-car.ts';
import {
  advanceSite,
  components,
  energyHistory,
  homesAt,
  liveStatus,
  type SimulatedHome,
  type SimulatedSite,
  setUp,
  siteInfo,
} from './simulated-site.ts';

const ACCESS_SECONDS = 28_800;

interface Registration {
  /** A partner has registered its domain. */
  isDone: boolean;
}

/** Tesla's sign-in: users by OAuth, and services by `client_credentials`, who register their domain with that token. */
export function signInAt(registration: Registration): MakeSignIn {
  const users = byOAuth({
    authorizePath: '/oauth2/v3/authorize',
    tokenPath: TOKEN_PATH,
    accessSeconds: ACCESS_SECONDS,
    refreshesWithoutSecret: true,
  });
  return (context) => {
    const { random, partner, refusal } = context;
    const ofUsers = users(context);
    const partnerTokens = new Set<string>();

    function partnerToken({ client_id, client_secret }: Record<string, unknown>): SimulatedAnswer {
      const isKnown =
        partner === undefined || (client_id === partner.clientId && client_secret === partner.clientSecret);
      if (!isKnown) return { status: 401, json: { error: 'unauthorized_client' } };
      const access = `partner-${randomBase62(random, 32)}`;
      partnerTokens.add(access);
      return {
        status: 200,
        json: { access_token: access, expires_in: ACCESS_SECONDS, token_type: 'Bearer' },
      };
    }

    function register(request: SimulatedRequest): SimulatedAnswer {
      const access = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (!partnerTokens.has(access)) return refusal(401, 'invalid bearer token');
      const { domain } = bodyOf(request);
      if (typeof domain !== 'string' || !/^[a-z0-9.-]+\.[a-z]{2,}$/.test(domain))
        return refusal(422, 'invalid_field');
      registration.isDone = true;
      return {
        status: 200,
        json: { response: { account_id: 'simulated', domain, public_key: '04simulated' } },
      };
    }

    return {
      ...ofUsers,
      token(request, isLost) {
        if (request.method === 'POST' && request.path === '/api/1/partner_accounts') return register(request);
        if (request.method !== 'POST' || request.path !== TOKEN_PATH) return undefined;
        const body = bodyOf(request);
        if (body.grant_type === 'client_credentials') return partnerToken(body);
        const isForeign = !Object.values<unknown>(AUDIENCES).includes(body.audience);
        if (body.grant_type === 'authorization_code' && isForeign)
          return { status: 400, json: { error: 'invalid_request', error_description: 'audience' } };
        const answer = ofUsers.token(request, isLost);
        const isSpent = body.grant_type === 'refresh_token' && answer?.status === 400;
        return isSpent ? { status: 401, json: { error: 'login_required' } } : answer;
      },
    };
  };
}

/** Tesla's 408 is a word about the device, never about Tesla: a car that sleeps is shown with what it last reported. */
export const faultCodes = {
  request_timeout: { read: 'shown as offline', command: 'device.offline' },
} as const satisfies FaultCodes;

const refused: Refusal = (status, error) => ({
  status,
  json: { response: null, error, error_description: '' },
});
const answered = (response: Json, extra: JsonObject = {}): SimulatedAnswer => ({
  status: 200,
  json: { response, ...extra },
});
const UNAVAILABLE = refused(408, 'vehicle unavailable: vehicle is offline or asleep');
/** Calls about one device in a minute. */
const LIMITS = [
  { name: 'data', calls: 60, on: /^(?:GET .*\/vehicles|\w+ .*\/energy_sites)\/(\w+)/ },
  { name: 'commands', calls: 30, on: /\/vehicles\/(\w+)\/command\// },
  { name: 'wakes', calls: 3, on: /\/vehicles\/(\w+)\/wake_up$/ },
].map((limit) => ({ ...limit, of: 'device', seconds: 60 }) as const);

type Call = SimulatedCall<SimulatedHome>;
/** A meter of a site, which is reached with it. */
interface SimulatedMeter {
  readonly site: SimulatedSite;
  readonly meter: HouseMeter;
}
type Device = SimulatedCar | SimulatedSite | SimulatedMeter;

const isCar = (device: Device): device is SimulatedCar => 'vin' in device;
const idOf = (device: SimulatedCar | SimulatedSite): string =>
  isCar(device) ? device.vin : String(device.id);
const isMeter = (device: Device): device is SimulatedMeter => 'meter' in device;
const siteOf = (device: SimulatedSite | SimulatedMeter): SimulatedSite =>
  isMeter(device) ? device.site : device;

function findIn({ cars, sites }: SimulatedHome, { id, details }: Pick<DeviceRef, 'id' | 'details'>) {
  const whole = [...cars, ...sites].find((device) => idOf(device) === (details.site ?? id));
  if (whole === undefined || isCar(whole) || details.site === undefined) return whole;
  const meter = [...whole.meters].find((one) => houseMeters(String(whole.id), [one])[0]?.id === id);
  return meter === undefined ? undefined : { site: whole, meter };
}

/** Where commands are signed: a car that takes signed ones alone obeys when it has the key. */
export const ownAddresses = ['commands'];

/**
 * Tesla's sign-in and Fleet API, REST alone: signatures of commands are not simulated, only their absence is refused. Below `/proxy` it
 * stands for the vehicle-command proxy, which signs for cars that know the key.
 */
export function createSimulator(options: SimulatorOptions) {
  const { clock } = options;
  const homes = homesAt(clock.now());
  const registration = { isDone: false };

  /** A call that takes a scope, about the account alone. */
  const withScope = (scope: string, answer: (call: Call) => SimulatedAnswer | undefined) => (call: Call) => {
    if (call.user === 'unregistered' && !registration.isDone)
      return refused(412, 'Account must be registered in the current region');
    const isUntyped = call.request.headers['content-type']?.startsWith('application/json') !== true;
    if (call.request.method === 'POST' && isUntyped) return refused(406, 'not_acceptable');
    if (scope !== '' && !call.scopes.includes(scope)) return refused(403, 'Unauthorized missing scopes');
    return answer(call);
  };
  const aboutCar = (scope: string, answer: (car: SimulatedCar, call: Call) => SimulatedAnswer | undefined) =>
    withScope(scope, (call) => {
      const car = call.home.cars.find(({ vin }) => vin === call.params.vin);
      if (car === undefined) return undefined;
      if (car.isAccessOff) return refused(401, 'mobile_access_disabled');
      advance(car, clock.now());
      return answer(car, call);
    });
  const aboutSite = (
    scope: string,
    answer: (site: SimulatedSite, call: Call) => SimulatedAnswer | undefined,
  ) =>
    withScope(scope, (call) => {
      const site = call.home.sites.find(({ id }) => String(id) === call.params.site);
      if (site === undefined) return undefined;
      advanceSite(site, clock.now());
      return answer(site, call);
    });

  const cars = ({ home }: Call): JsonObject[] =>
    home.cars.map((car) => {
      advance(car, clock.now());
      return listedCar(car);
    });

  function fleetStatus({ home, body }: Call): SimulatedAnswer {
    const { vins } = body;
    if (!Array.isArray(vins)) return refused(400, 'invalid_request');
    const asked = home.cars.filter(({ vin }) => vins.includes(vin));
    const vinsOf = (some: readonly SimulatedCar[]) => some.map(({ vin }) => vin);
    return answered({
      key_paired_vins: vinsOf(asked.filter(({ isPaired }) => isPaired)),
      unpaired_vins: vinsOf(asked.filter(({ isPaired }) => !isPaired)),
      vehicle_info: Object.fromEntries(
        asked.map(({ vin, signing }) => [
          vin,
          {
            firmware_version: '2026.38.1',
            vehicle_command_protocol_required: signing === 'required',
            total_number_of_keys: 2,
          },
        ]),
      ),
    });
  }

  function command(car: SimulatedCar, { params, body }: Call, isByProxy: boolean): SimulatedAnswer {
    const isRefused = car.signing === 'required' && !isByProxy && !car.isSigned;
    if (isRefused) return refused(403, 'Tesla Vehicle Command Protocol required');
    if (car.signing === 'required' && !car.isPaired)
      return refused(500, 'vehicle rejected request: your public key has not been paired with the vehicle');
    if (!isAwake(car)) return UNAVAILABLE;
    const outcome = order(car, params.name ?? '', body);
    return outcome === undefined ? refused(400, 'invalid_command') : answered(outcome);
  }
  const CHARGING = 'vehicle_charging_cmds';
  const CAR = 'vehicle_device_data';
  const updated = (isDone: boolean) =>
    isDone ? answered({ code: 201, message: 'Updated' }) : refused(400, 'invalid_field');

  return simulatedVendor<SimulatedHome, Device>(options, {
    vendor: 'Tesla',
    users: homes,
    signIn: signInAt(registration),
    refusal: refused,
    tokenRefused: refused(401, 'token expired (401)'),
    limits: LIMITS,
    limited: ({ name, calls, resetSeconds }) => ({
      ...refused(429, 'too_many_requests'),
      headers: {
        [`ratelimit-${name}-limit`]: String(calls),
        [`ratelimit-${name}-remaining`]: '0',
        [`ratelimit-${name}-reset`]: String(resetSeconds),
      },
    }),
    routes: {
      'GET /api/1/users/region': withScope('', ({ user }) => {
        const region = user === 'american' ? 'na' : 'eu';
        return answered({ region, fleet_api_base_url: AUDIENCES[region] });
      }),
      'GET /api/1/users/me': withScope('user_data', ({ user }) =>
        answered({ email: `${user}@example.com`, full_name: user, vault_uuid: `simulated-${user}` }),
      ),
      'GET /api/1/products': withScope('', (call) => {
        for (const site of call.home.sites) advanceSite(site, clock.now());
        const listed = [...cars(call), ...call.home.sites.map(listedSite), ...call.home.others];
        return answered(listed, { count: listed.length });
      }),
      'GET /api/1/vehicles': withScope('vehicle_device_data', (call) => {
        const page = Math.max(1, Number(call.query.get('page') ?? 1));
        const size = Math.min(100, Math.max(1, Number(call.query.get('per_page') ?? 100)));
        const all = cars(call);
        const pages = Math.max(1, Math.ceil(all.length / size));
        return answered(all.slice((page - 1) * size, page * size), {
          count: all.length,
          pagination: {
            previous: page > 1 ? page - 1 : null,
            next: page < pages ? page + 1 : null,
            current: page,
            per_page: size,
            count: all.length,
            pages,
          },
        });
      }),
      'POST /api/1/vehicles/fleet_status': withScope('vehicle_device_data', fleetStatus),
      'GET /api/1/vehicles/:vin': aboutCar(CAR, (car) => answered(listedCar(car))),
      'GET /api/1/vehicles/:vin/vehicle_data': aboutCar(CAR, (car) =>
        isAwake(car) ? answered({ ...listedCar(car), charge_state: chargeState(car) }) : UNAVAILABLE,
      ),
      'POST /api/1/vehicles/:vin/wake_up': aboutCar('vehicle_cmds', (car) => {
        const before = listedCar(car);
        wake(car);
        return answered(before);
      }),
      'POST /api/1/vehicles/:vin/command/:name': aboutCar(CHARGING, (car, call) => command(car, call, false)),
      'POST /proxy/api/1/vehicles/:vin/command/:name': aboutCar(CHARGING, (car, call) =>
        command(car, call, true),
      ),
      'GET /api/1/energy_sites/:site/live_status': aboutSite('energy_device_data', (site) =>
        site.isOffline ? refused(408, 'device is offline') : answered(liveStatus(site)),
      ),
      'GET /api/1/energy_sites/:site/site_info': aboutSite('energy_device_data', (site) =>
        answered(siteInfo(site)),
      ),
      'GET /api/1/energy_sites/:site/calendar_history': aboutSite('energy_device_data', (site, { query }) =>
        answered(query.get('kind') === 'backup' ? { events: [], total_events: 0 } : energyHistory(site)),
      ),
      'POST /api/1/energy_sites/:site/backup': aboutSite('energy_cmds', (site, { body }) =>
        updated(setUp(site, 'backup', body)),
      ),
      'POST /api/1/energy_sites/:site/operation': aboutSite('energy_cmds', (site, { body }) =>
        updated(setUp(site, 'operation', body)),
      ),
    },
    devices: {
      find: findIn,
      arrange(device, situation) {
        if (isCar(device)) arrangeCar(device, situation, clock.now());
        else advanceSite(siteOf(device), clock.now());
      },
      intervene(device, { code, isNeeded }) {
        if (!isCar(device)) return false;
        if (code === 'pair_key')
          Object.assign(device, { signing: 'required', isSigned: true, isPaired: !isNeeded });
        else device.isAccessOff = isNeeded;
        return true;
      },
      reach(device, isReachable) {
        (isCar(device) ? device : siteOf(device)).isOffline = !isReachable;
      },
      remove(home, device) {
        if (isMeter(device)) {
          device.site.meters.delete(device.meter);
          return;
        }
        const list: Device[] = isCar(device) ? home.cars : home.sites;
        list.splice(list.indexOf(device), 1);
      },
      add(home, device) {
        if (isMeter(device)) {
          device.site.meters.add(device.meter);
          return;
        }
        const list: Device[] = isCar(device) ? home.cars : home.sites;
        list.push(device);
      },
    },
  });
}

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
  };
}

const listedSite = (site: SimulatedSite): JsonObject => ({
  energy_site_id: site.id,
  resource_type: site.hasBattery ? 'battery' : 'solar',
  site_name: site.name,
  components: components(site),
});

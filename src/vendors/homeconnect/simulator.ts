import type {
  SimulatedAnswer,
  SimulatedRequest,
  SimulatorOptions,
  VendorSimulator,
} from '../../adapter/simulator.ts';
import { claimsIn } from '../../adapter/tokens.ts';
import { SECOND_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import {
  byOAuth,
  isObject,
  ofDevice,
  type Refusal,
  type SimulatedCall,
  simulatedEvents,
  simulatedVendor,
} from '../../proof/simulation/index.ts';
import type { SimulatedAppliance } from './simulated-appliance.ts';
import * as appliances from './simulated-appliance.ts';

type Home = SimulatedAppliance[];
type Call = SimulatedCall<Home>;

const MEDIA = 'application/vnd.bsh.sdk.v1+json';
/** An appliance obeys after so long. */
const LAG_MS = 200;
const MOST_ERRORS = 10;
const ERRORS_MS = 600_000;
const MOST_CHANNELS = 10;
const DONE: SimulatedAnswer = { status: 204 };

const failed = (status: number, key: string, description: string): SimulatedAnswer => ({
  status,
  headers: { 'content-type': MEDIA },
  json: { error: { key, description } },
});
const refusal: Refusal = (status, reason) => failed(status, String(status), reason);
const OFFLINE = failed(
  409,
  'SDK.Error.HomeAppliance.Connection.Initialization.Failed',
  'HomeAppliance is offline',
);
const limited = (what: string, seconds: number): SimulatedAnswer => {
  const description = `The rate limit "${what}" was reached. Requests are blocked during the remaining period of ${seconds} seconds.`;
  const answer = failed(429, '429', description);
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } };
};
const wrongState = (states: string) =>
  failed(
    409,
    'SDK.Error.WrongOperationState',
    `Request cannot be performed since OperationState is not ${states}`,
  );
const given = (data: unknown): SimulatedAnswer | undefined =>
  data === undefined ? undefined : { status: 200, json: { data: data as Json } };

/** The cloud of Home Connect: sign-in, appliances whose programmes go on in time, events, limits. */
export function createSimulator(options: SimulatorOptions): VendorSimulator {
  const { clock } = options;
  /** Of all appliances of a home, or of one. */
  const events = simulatedEvents<Home | SimulatedAppliance>({
    clock,
    everySeconds: 55,
    heartbeat: { event: 'KEEP-ALIVE', data: '' },
  });
  const reported = new WeakMap<SimulatedAppliance, Map<string, string>>();
  const ticking = new WeakMap<SimulatedAppliance, () => void>();
  const errors = new Map<string, number[]>();

  function send(home: Home, appliance: SimulatedAppliance, event: string, data: JsonObject): void {
    for (const listened of [home, appliance])
      events.tell(listened, { event, id: appliance.id, data: JSON.stringify(data) });
  }

  function listen(call: Call, to: Home | SimulatedAppliance): SimulatedAnswer {
    const { home } = call;
    const channels = [home, ...home].reduce((sum, one) => sum + events.listeners(one), 0);
    return channels < MOST_CHANNELS
      ? events.open({ ...call, home: to })
      : limited(`${MOST_CHANNELS} event channels`, 60);
  }

  /** Reports one thing of an appliance, as CONNECTED and the like are reported. */
  function report(home: Home, appliance: SimulatedAppliance, event: string): void {
    const { id: haId } = appliance;
    const key = `BSH.Common.Appliance.${event[0]}${event.slice(1).toLowerCase()}`;
    const timestamp = Math.floor(clock.now() / SECOND_MS);
    send(home, appliance, event, { haId, handling: 'none', key, level: 'hint', timestamp, value: true });
  }

  /** Changes an appliance, and reports what is another than it was reported before. */
  function change(home: Home, appliance: SimulatedAppliance, make: () => void): void {
    const before = reported.get(appliance) ?? valuesOf(appliance);
    make();
    const after = valuesOf(appliance);
    reported.set(appliance, after);
    const changed = [...after].filter(([item, value]) => before.get(item) !== value);
    for (const event of ['STATUS', 'NOTIFY']) {
      const items = changed.flatMap(([, value]) => {
        const { event: of, ...item } = JSON.parse(value) as JsonObject;
        const timestamp = Math.floor(clock.now() / SECOND_MS);
        return of === event ? [{ handling: 'none', level: 'hint', timestamp, ...item }] : [];
      });
      if (items.length > 0 && appliance.online) send(home, appliance, event, { haId: appliance.id, items });
    }
    ticking.get(appliance)?.();
    const next = appliances.nextChange(appliance, clock.now());
    if (next === undefined) return;
    const tick = () => change(home, appliance, () => appliances.refill(appliance, clock.now()));
    ticking.set(appliance, clock.after(next - clock.now(), tick));
  }

  /** All that is reported of an appliance, by the key and the address of each value. */
  function valuesOf(appliance: SimulatedAppliance): Map<string, string> {
    const now = clock.now();
    const uri = `/api/homeappliances/${appliance.id}`;
    const active = appliances.activeOf(appliance, now);
    const all = [
      ...appliances
        .statusOf(appliance, now)
        .map((item) => ({ ...item, event: 'STATUS', uri: `${uri}/status/${item.key}` })),
      ...appliances
        .settingsOf(appliance)
        .map(({ key, value }) => ({ key, value, event: 'NOTIFY', uri: `${uri}/settings/${key}` })),
      {
        key: 'BSH.Common.Root.ActiveProgram',
        value: active?.key ?? null,
        event: 'NOTIFY',
        uri: `${uri}/programs/active`,
      },
      ...(active?.options ?? []).map((item) => ({
        ...item,
        event: 'NOTIFY',
        uri: `${uri}/programs/active/options/${item.key}`,
      })),
    ];
    return new Map(all.map((item) => [item.uri, JSON.stringify(item)]));
  }

  const later = ({ home }: Call, appliance: SimulatedAppliance, make: () => void): SimulatedAnswer => {
    clock.after(LAG_MS, () => change(home, appliance, make));
    return DONE;
  };

  function power(appliance: SimulatedAppliance, call: Call): SimulatedAnswer {
    const { value } = dataOf(call);
    const { off } = appliances.modelOf(appliance);
    const word = String(value).replace('BSH.Common.EnumType.PowerState.', '');
    if (off === null || (word !== 'On' && word !== off))
      return failed(409, 'BSH.Common.Error.WriteRequest.NotAvailableByList', 'the value is not allowed');
    if (appliances.activeOf(appliance, clock.now()) !== undefined)
      return wrongState('Inactive, Ready or Finished');
    return later(call, appliance, () => Object.assign(appliance, { isOn: word === 'On', run: null }));
  }

  function start(appliance: SimulatedAppliance, call: Call): SimulatedAnswer {
    const { key, options: sent = [] } = dataOf(call);
    if (typeof key !== 'string' || !Array.isArray(sent))
      return failed(400, 'invalid_request', 'key is missing');
    if (appliances.programNamed(appliance, key) === undefined)
      return failed(409, 'SDK.Error.UnsupportedProgram', `Program ${key} not supported`);
    if (appliances.operationOf(appliance, clock.now()) !== 'Ready') return wrongState('Ready');
    if (!appliance.isRemoteControlActive)
      return failed(409, 'BSH.Common.Error.RemoteControlNotActive', 'Remote control is not active');
    if (!appliance.isRemoteStartAllowed)
      return failed(409, 'BSH.Common.Error.RemoteStartNotActive', 'Remote start is not active');
    const said = sent.filter(isObject).map(optionIn);
    const bad = said.find((option) => !isOffered(appliance, key, option));
    if (bad !== undefined)
      return failed(409, 'SDK.Error.UnsupportedOption', `Option ${bad.key} not supported`);
    return later(call, appliance, () => appliances.start(appliance, { key, options: said }, clock.now()));
  }

  function delay(appliance: SimulatedAppliance, call: Call): SimulatedAnswer {
    const active = appliances.activeOf(appliance, clock.now());
    if (active === undefined || appliances.operationOf(appliance, clock.now()) !== 'DelayedStart')
      return wrongState('DelayedStart');
    const option = optionIn(dataOf(call));
    if (option.key !== call.params.key || !isOffered(appliance, active.key, option))
      return failed(409, 'SDK.Error.UnsupportedOption', `Option ${option.key} not supported`);
    return later(call, appliance, () => appliances.delayUntil(appliance, option, clock.now()));
  }

  function stop(appliance: SimulatedAppliance, call: Call): SimulatedAnswer {
    if (appliances.activeOf(appliance, clock.now()) === undefined)
      return wrongState('DelayedStart, Run or Pause');
    return later(call, appliance, () => Object.assign(appliance, { run: null }));
  }

  type AboutOne = (appliance: SimulatedAppliance, call: Call) => SimulatedAnswer | undefined;
  const withScope = (scope: string, answer: (call: Call) => SimulatedAnswer | undefined) => (call: Call) =>
    call.scopes.includes(scope)
      ? (mediaFault(call.request) ?? answer(call))
      : failed(403, 'insufficient_scope', `${scope} is missing`);
  /** About an appliance, which must be reached. */
  const about = (scope: string, answer: AboutOne) =>
    withScope(
      scope,
      ofDevice((appliance, call) => (appliance.online ? answer(appliance, call) : OFFLINE)),
    );

  const vendor = simulatedVendor<Home, SimulatedAppliance>(options, {
    vendor: 'Home Connect',
    users: {
      home: [
        appliances.newAppliance('Dishwasher', 1, {
          chosen: [{ key: 'Dishcare.Dishwasher.Option.ExtraDry', value: true }],
        }),
        appliances.newAppliance('Washer', 2),
        appliances.newAppliance('Oven', 3),
        appliances.newAppliance('FridgeFreezer', 4),
      ],
      none: [],
      large: Array.from({ length: 500 }, (_, index) => appliances.newAppliance('Dishwasher', 1_000 + index)),
      locked: [
        appliances.newAppliance('Dishwasher', 5, { isRemoteStartAllowed: false }),
        appliances.newAppliance('Washer', 6, { online: false }),
        appliances.newAppliance('Hob', 7),
      ],
    },
    signIn: byOAuth({
      authorizePath: '/security/oauth/authorize',
      tokenPath: '/security/oauth/token',
      accessSeconds: 86_400,
      extra: (_user, scopes) => ({ scope: scopes.join(' ') }),
    }),
    refusal,
    tokenRefused: failed(401, 'invalid_token', 'The access token expired.'),
    limited: ({ name = '', resetSeconds }) => limited(name, resetSeconds),
    limits: [
      { calls: 50, seconds: 60, of: 'user', name: '50 calls in 1 minute' },
      { calls: 1_000, seconds: 86_400, of: 'user', name: '1000 calls in 1 day' },
      {
        calls: 5,
        seconds: 60,
        of: 'user',
        on: /^PUT .*\/programs\/active$/,
        name: '5 program starts in 1 minute',
      },
      {
        calls: 5,
        seconds: 60,
        of: 'user',
        on: /^DELETE .*\/programs\/active$/,
        name: '5 program stops in 1 minute',
      },
    ],
    envelope: (answer) => ({ ...answer, headers: { 'content-type': MEDIA } }),
    routes: {
      'GET /api/homeappliances': withScope('IdentifyAppliance', ({ home }) =>
        given({ homeappliances: home.map(listed) }),
      ),
      'GET /api/homeappliances/events': withScope('Monitor', (call) => listen(call, call.home)),
      'GET /api/homeappliances/:id/events': withScope(
        'Monitor',
        ofDevice((appliance, call: Call) => listen(call, appliance)),
      ),
      'GET /api/homeappliances/:id': withScope(
        'IdentifyAppliance',
        ofDevice((appliance) => given(listed(appliance))),
      ),
      'GET /api/homeappliances/:id/status': about('Monitor', (appliance) =>
        given({ status: appliances.statusOf(appliance, clock.now()) }),
      ),
      'GET /api/homeappliances/:id/settings': about('Settings', (appliance) =>
        given({ settings: appliances.settingsOf(appliance).map(({ key, value }) => ({ key, value })) }),
      ),
      'GET /api/homeappliances/:id/settings/:key': about('Settings', (appliance, { params }) => {
        const setting = appliances.settingsOf(appliance).find(({ key }) => key === params.key);
        return (
          given(setting) ?? failed(404, 'SDK.Error.UnsupportedSetting', `Setting ${params.key} not supported`)
        );
      }),
      'PUT /api/homeappliances/:id/settings/:key': about('Settings', (appliance, call) =>
        call.params.key === appliances.POWER
          ? power(appliance, call)
          : failed(404, 'SDK.Error.UnsupportedSetting', `Setting ${call.params.key} not supported`),
      ),
      'GET /api/homeappliances/:id/programs/available': about('Control', (appliance) =>
        given({
          programs: Object.keys(appliances.modelOf(appliance).programs).map((key) => ({
            key,
            constraints: { execution: 'selectandstart' },
          })),
        }),
      ),
      'GET /api/homeappliances/:id/programs/available/:key': about(
        'Control',
        (appliance, { params: { key = '' } }) =>
          appliances.programNamed(appliance, key) === undefined
            ? failed(404, 'SDK.Error.UnsupportedProgram', `Program ${key} not supported`)
            : given({ key, options: appliances.offeredBy(appliance, key) }),
      ),
      'GET /api/homeappliances/:id/programs/selected': about(
        'Control',
        (appliance) =>
          given(appliances.selectedOf(appliance)) ??
          failed(404, 'SDK.Error.NoProgramSelected', 'There is no program selected'),
      ),
      'GET /api/homeappliances/:id/programs/active': about(
        'Monitor',
        (appliance) =>
          given(appliances.activeOf(appliance, clock.now())) ??
          failed(404, 'SDK.Error.NoProgramActive', 'There is no program active'),
      ),
      'PUT /api/homeappliances/:id/programs/active': about('Control', start),
      'DELETE /api/homeappliances/:id/programs/active': about('Control', stop),
      'PUT /api/homeappliances/:id/programs/active/options/:key': about('Control', delay),
    },
    devices: {
      find: (home, { id }) => home.find((one) => one.id === id),
      arrange: (appliance, situation, home) =>
        change(home, appliance, () => appliances.arrange(appliance, situation, clock.now())),
      intervene(appliance, { code, isNeeded }, home) {
        if (Object.keys(appliances.modelOf(appliance).programs).length === 0) return false;
        const of = code === 'allow_remote_start' ? 'isRemoteStartAllowed' : 'isRemoteControlActive';
        change(home, appliance, () => Object.assign(appliance, { isOn: true, run: null, [of]: !isNeeded }));
        return true;
      },
      reach(appliance, isReachable, home) {
        if (appliance.online === isReachable) return;
        appliance.online = isReachable;
        report(home, appliance, isReachable ? 'CONNECTED' : 'DISCONNECTED');
      },
      remove(home, appliance) {
        home.splice(home.indexOf(appliance), 1);
        report(home, appliance, 'DEPAIRED');
      },
      add(home, appliance) {
        home.push(appliance);
        report(home, appliance, 'PAIRED');
      },
    },
  });

  return {
    ...vendor,
    /** Ten errors in a row block every call for ten minutes; a token that has expired is none of them. */
    async handle(request) {
      const user = String(claimsIn(request.headers.authorization?.slice('Bearer '.length) ?? '')?.sub ?? '');
      const now = clock.now();
      const recent = (errors.get(user) ?? []).filter((at) => at > now - ERRORS_MS);
      if (user !== '' && recent.length >= MOST_ERRORS)
        return limited(
          '10 successive error calls in 10 minutes',
          Math.ceil(((recent[0] ?? 0) + ERRORS_MS - now) / SECOND_MS),
        );
      const answer = await vendor.handle(request);
      if (answer.status < 300) errors.delete(user);
      else if (answer.status !== 401 && answer.status !== 429) errors.set(user, [...recent, now]);
      return answer;
    },
  };
}

const dataOf = ({ body }: Call): JsonObject => (isObject(body.data) ? body.data : {});
const optionIn = ({ key, value }: JsonObject) => ({
  key: String(key),
  value: value as string | number | boolean,
});

function isOffered(
  appliance: SimulatedAppliance,
  key: string,
  option: { readonly key: string; readonly value: unknown },
): boolean {
  const offered = appliances.offeredBy(appliance, key).find((one) => one.key === option.key);
  if (offered === undefined || typeof option.value !== typeof offered.value) return false;
  const {
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
    stepsize = 1,
  } = offered.constraints ?? {};
  const { value } = option;
  return typeof value !== 'number' || (value >= min && value <= max && value % stepsize === 0);
}

function listed(appliance: SimulatedAppliance): JsonObject {
  const { id: haId, name, type, online: connected } = appliance;
  const { brand, vib } = appliances.modelOf(appliance);
  return { haId, name, type, brand, vib, enumber: `${vib}/03`, connected };
}

/** What is sent and what is wanted has a media type of the vendor's own. */
function mediaFault({ method, headers }: SimulatedRequest): SimulatedAnswer | undefined {
  const { accept = '*/*' } = headers;
  if (![MEDIA, '*/*', 'text/event-stream'].some((one) => accept.includes(one)))
    return failed(406, '406', `Accept must be ${MEDIA}`);
  if (method === 'PUT' && headers['content-type']?.startsWith(MEDIA) !== true)
    return failed(415, '415', `Content-Type must be ${MEDIA}`);
  return undefined;
}

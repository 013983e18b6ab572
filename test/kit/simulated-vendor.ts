import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Adapter } from '../../src/adapter/adapter.ts';
import type { CallUse } from '../../src/adapter/budget.ts';
import { limitedSeconds, retryAfterSeconds } from '../../src/adapter/failures.ts';
import {
  failureOfStatus,
  type Http,
  type HttpAnswer,
  HttpFailure,
  type HttpRequest,
} from '../../src/adapter/http.ts';
import { jsonIn } from '../../src/adapter/kit/index.ts';
import { type LoginSession, type Partner, simulatedSettings, type Tokens } from '../../src/adapter/login.ts';
import { type Session, WITHOUT_CALLS } from '../../src/adapter/session.ts';
import type {
  SimulatedAnswer,
  SimulatedFault,
  SimulatedRequest,
  SimulatedUser,
  VendorSimulator,
} from '../../src/adapter/simulator.ts';
import { clientFields, scopesOf, tokensIn } from '../../src/adapter/tokens.ts';
import { type Delivery, webhookSecretOf } from '../../src/adapter/webhook.ts';
import { type Clock, type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { createLog } from '../../src/core/log.ts';
import { refreshGrant, renewTokens } from '../../src/domain/vendor-calls/calls/refresh-grant.ts';

import { createVendorHttp, type Spend } from '../../src/domain/vendor-calls/calls/vendor-http.ts';
import type { Cloud } from '../../src/proof/conformance/cloud.ts';
import type { Simulator } from '../../src/proof/conformance/index.ts';
import { faultAnswer, plainRefusal, strange } from '../../src/proof/simulation/faults.ts';
import { serveSimulated } from '../../src/proof/simulation/serve.ts';
import { dial } from './dial.ts';
import { type Line, simulatedSockets } from './simulated-socket.ts';
import { openSimulatedStream } from './simulated-stream.ts';
import { waitingBudgets } from './waiting-budgets.ts';

const PARTNER = {
  clientId: 'elnav-tests',
  clientSecret: 'a-secret-of-the-tests',
  apiKey: 'an-api-key-of-the-tests',
} satisfies Partner;
const partnerOf = (adapter: Adapter): Partner => ({ ...PARTNER, ...simulatedSettings(adapter) });
const REDIRECT = 'http://127.0.0.1:1/oauth/callback';

/** An adapter with its simulator, in one process, with a clock that the test advances and without a database. */
export interface SimulatedVendor extends Simulator {
  readonly clock: TurnedClock;
  readonly vendor: VendorSimulator;
  /** The tokens of calls; setting them replaces the stored ones. */
  tokens: Tokens | undefined;
  /** How often tokens were renewed. */
  renewals: number;
  /** Hosts of the adapter for which the operator has set an address. */
  readonly ownAddresses: Set<string>;
  /** The requests to the vendor, in order: `GET /api/...`. */
  readonly asked: string[];
  /** Responds in place of the simulator, to each request for which it returns a response. */
  instead: ((request: SimulatedRequest) => Instead | Promise<Instead>) | undefined;
  readonly posting: Posting;
  readonly cloud: Cloud;
  /** Calls without a user's token, as during sign-in. */
  loginSession(): LoginSession;
  /** Signs in again, as linking does. */
  signIn(): Promise<void>;
  abort(): void;
}

type Instead = SimulatedAnswer | undefined;

interface Posting {
  /** Deliveries that the simulator posted and that were accepted, oldest first. */
  readonly posted: Delivery[];
  isListening: boolean;
}

interface Served {
  readonly adapter: Adapter;
  readonly vendor: VendorSimulator;
  readonly clock: TurnedClock;
  readonly codes: Cloud['codes'];
  readonly otherTimes: Cloud['otherTimes'];
  readonly posting: Posting;
  /** Shared by all users, as limits of the app are. */
  readonly budgets: Spend | undefined;
  readonly ownAddresses: readonly string[];
}

interface Options {
  /** The name of a user on the sign-in page; the simulator's `user` by default. */
  readonly user?: string;
  /** Calls beyond a budget of the adapter wait, by turning the clock; otherwise the simulator answers them as the vendor would. */
  readonly waitsForBudgets?: boolean;
  /** The operator has set an address for the hosts that the simulator names. */
  readonly hasOwnAddresses?: boolean;
}

/** Signs in at the simulator as a user does, and returns the sessions for `conforms()`. */
export async function makeSimulatedVendor(
  adapter: Adapter,
  { user, waitsForBudgets = false, hasOwnAddresses = false }: Options = {},
): Promise<SimulatedVendor> {
  assert.ok(adapter.simulator !== undefined, `${adapter.slug} has no simulator`);
  const clock = turnedClock();
  const { createSimulator, faultCodes = {}, otherTimes = [], ownAddresses = [] } = await adapter.simulator();
  const posting: Posting = { posted: [], isListening: true };
  const vendor = createSimulator({
    clock,
    random: systemRandom,
    baseUrl: () => 'http://simulator.test',
    async post(_url, { body, headers }) {
      if (!posting.isListening) throw new Error('nobody listens');
      posting.posted.push({ body: Buffer.from(body), headers, receivedAt: clock.now() });
    },
    ...(adapter.oauth === undefined && adapter.login?.needsPartner === undefined
      ? {}
      : { partner: partnerOf(adapter) }),
  });
  const { user: usual } = vendor;
  return signedIn(
    {
      adapter,
      vendor,
      clock,
      codes: faultCodes,
      otherTimes,
      posting,
      ownAddresses: hasOwnAddresses ? ownAddresses : [],
      budgets: waitsForBudgets ? waitingBudgets(adapter, clock) : undefined,
    },
    user === undefined ? usual : { ...usual, name: user },
  );
}

/** The vendor with one signed-in user. */
async function signedIn(served: Served, user: SimulatedUser): Promise<SimulatedVendor> {
  const { adapter, vendor, clock, codes, posting, budgets } = served;
  const { oauth } = adapter;
  let aborted = new AbortController();
  const asked: string[] = [];
  const logged: string[] = [];
  const lines: Line<string>[] = [];
  const secrets = new Set<string>([
    PARTNER.clientSecret,
    PARTNER.apiKey,
    webhookSecretOf(adapter, partnerOf(adapter)) ?? '',
    ...secretsOf(adapter, user),
  ]);
  let broken: Broken | null = null;
  let brokenCalls = 0;
  let login: Json | undefined;
  let signIns = 0;
  const entered = secretsOf(adapter, user);
  /** What breaks the next call of this use, if anything does. */
  const faultFor = (use: CallUse): SimulatedFault | null => {
    if (broken === null || !isMeant(broken, use)) return null;
    if (broken.after > 0) {
      broken.after -= 1;
      return null;
    }
    brokenCalls += 1;
    return broken.fault;
  };
  const spend: Spend = async (call) => {
    checkCosts(adapter, call);
    await budgets?.(call);
  };
  const documents = new Map<string, Json>();
  const log = createLog('trace', { write: (line) => void logged.push(line) });
  const credentials: JsonObject = oauth === undefined ? user.credentials : {};
  const wireOf = (use: CallUse): HttpToOptions => ({
    async handle(request) {
      const body = Buffer.from(request.body).toString();
      if (use === 'login' && entered.some((secret) => body.includes(secret))) signIns += 1;
      return (await world.instead?.(request)) ?? vendor.handle(request);
    },
    host: hostOf(adapter, credentials),
    asked,
    clock,
    fault: () => faultFor(use),
    alter(body) {
      if (use === 'login') login = body;
      return use === 'login' ? body : (cloud.alter?.(body, use) ?? body);
    },
  });
  const hosts = (use: CallUse): Http => httpTo(wireOf(use));
  const loginSession = (): LoginSession => ({
    clock,
    partner:
      oauth === undefined && adapter.login?.needsPartner === undefined ? undefined : partnerOf(adapter),
    http: createVendorHttp({
      adapter,
      host: (_name, use) => hosts(use),
      tokens: undefined,
      spend,
      signal: aborted.signal,
    }),
  });
  const cloud: Cloud = {
    as(name) {
      const other = vendor.users[name];
      return other === undefined ? undefined : signedIn(served, other);
    },
    signedInAs: (other) => signedIn(served, { ...user, credentials: { ...user.credentials, ...other } }),
    fault(fault, on = 'calls', after = 0) {
      // The vendor reports a lost login in its own format.
      const isLost = fault === 'login_lost';
      vendor.fault(isLost ? fault : null);
      broken = fault === null || isLost ? null : { on, fault, after };
    },
    broken: () => brokenCalls,
    codes,
    otherTimes: served.otherTimes,
    alter: undefined,
    posted: posting.posted,
    webhookSecret: webhookSecretOf(adapter, partnerOf(adapter)) ?? '',
    reach: (device, isReachable) => vendor.reach(device, isReachable),
    remove: (device) => vendor.remove(device),
    add: (device) => vendor.add(device),
    expireTokens: () => vendor.expireTokens(),
    revoke: () => vendor.revoke(),
    renewals: () => world.renewals,
    signIns: () => signIns,
    connections: () => ({ opened: lines.length, open: lines.filter((line) => !line.isEnded).length }),
    signedInWith: () => login,
    expiresAt: () => world.tokens?.expiresAt,
    now: () => clock.now(),
    openStream: (devices) =>
      openSimulatedStream(
        {
          adapter,
          clock,
          session: world.session,
          keeper: keeperOf(),
          partner: PARTNER,
          spend,
          connect: sockets(),
          answer: (request) => answerTo(request, wireOf('read')),
          refused: (answer, request) => understood(answer, request, clock),
        },
        devices,
      ),
    signIn: () => world.signIn(),
    loginSession,
    abort: () => world.abort(),
    secrets: () => [...secrets],
    logged: () => logged.join(''),
  };
  const world: SimulatedVendor = {
    clock,
    vendor,
    tokens: undefined,
    renewals: 0,
    ownAddresses: new Set(served.ownAddresses),
    asked,
    instead: undefined,
    posting,
    cloud,
    credentials: oauth === undefined ? user.credentials : { link_code: 'any' },
    loginSession,
    async signIn() {
      keep(
        oauth === undefined
          ? await adapter.login?.signIn?.(loginSession(), credentials)
          : await signInByPage({ adapter, vendor, session: loginSession(), user }),
      );
    },
    session(): Session {
      return {
        account: 1,
        link: 'link-1',
        userRef: 'someone',
        linkedAt: clock.now(),
        credentials,
        clock: advancing(clock),
        log,
        documents: {
          get: async (name) => documents.get(name),
          put: async (name, value) => void documents.set(name, value),
          remove: async (name) => void documents.delete(name),
        },
        signal: aborted.signal,
        connections: WITHOUT_CALLS.connections,
        signals: { wait: async () => undefined },
        hasOwnAddress: (host) => world.ownAddresses.has(host),
        async connect(request) {
          const { socket, line } = await sockets()(request, aborted.signal, receivedFrame);
          lines.push(line);
          return socket;
        },
        http: createVendorHttp({
          adapter,
          host: (_name, use) => hosts(use),
          tokens: keeperOf(),
          partner: PARTNER,
          spend,
          signal: aborted.signal,
        }),
      };
    },
    arrange: async (device, situation) => vendor.arrange(device, situation),
    intervene: async (device, code, isNeeded) => vendor.intervene?.(device, code, isNeeded) ?? false,
    pass: async (seconds) => clock.turn(seconds * 1000),
    async dial() {
      const served = await serveSimulated({ slug: adapter.slug, load: async () => vendor });
      const { hostname, port } = new URL(served.url);
      const socket = await dial(hostname, Number(port));
      socket.once('close', () => void served.close());
      return socket;
    },
    abort() {
      aborted.abort(new Error('the platform gave up waiting'));
      aborted = new AbortController();
    },
  };
  const sockets = () =>
    simulatedSockets({
      adapter,
      vendor,
      asked,
      tokens: keeperOf(),
      partner: PARTNER,
      spend,
      broken({ use = 'read' }) {
        const fault = faultFor(use);
        return fault === 'token_refused' ? plainRefusal(401, 'token') : faultAnswer(fault, plainRefusal);
      },
      refused: (answer, signal) => understood(answer, { path: '/', signal }, clock),
    });
  /** A frame as a call gets it; those of a stream are as they were sent. */
  function receivedFrame(text: string): string {
    const frame = jsonIn(text);
    if (frame === undefined) return text;
    const isStrange = broken?.fault === 'unknown_values';
    const body = isStrange ? strange(frame) : frame;
    return JSON.stringify(cloud.alter?.(body, 'read') ?? body);
  }
  function keep(tokens: Tokens | undefined): void {
    world.tokens = tokens;
    const given = oauth?.extra === undefined ? [] : Object.values(tokens?.extra ?? {});
    for (const secret of [tokens?.access, tokens?.refresh, ...given])
      if (typeof secret === 'string') secrets.add(secret);
  }
  const keeperOf = () => (adapter.login === undefined && oauth === undefined ? undefined : keeper());
  const keeper = () => ({
    async current(): Promise<Tokens> {
      assert.ok(world.tokens !== undefined, 'nobody has signed in');
      return world.tokens.expiresAt - clock.now() < 60_000 ? this.renewed(world.tokens) : world.tokens;
    },
    async renewed(refused: Tokens): Promise<Tokens> {
      if (world.tokens !== undefined && world.tokens !== refused) return world.tokens;
      // As on the platform, calls that are refused together share one renewal.
      renewing ??= renew(refused).finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  });
  let renewing: Promise<Tokens> | undefined;
  async function renew(refused: Tokens): Promise<Tokens> {
    world.renewals += 1;
    const renewed = await renewTokens(refused, {
      adapter,
      session: loginSession(),
      credentials,
      refreshGrant:
        oauth === undefined ? undefined : (from, old) => refreshGrant({ ...adapter, oauth }, from, old),
    });
    keep(renewed);
    return renewed;
  }
  await world.signIn();
  return world;
}

/** What breaks calls, and how many of them go well first. */
interface Broken {
  readonly on: 'calls' | 'login' | 'commands' | 'everything';
  readonly fault: SimulatedFault;
  after: number;
}

function isMeant({ on }: Broken, use: CallUse): boolean {
  if (on === 'everything') return true;
  if (on === 'login') return use === 'login';
  return on === 'commands' ? use === 'command' : use !== 'login';
}

/** A cost for a limit that does not exist would be ignored silently. */
function checkCosts(adapter: Adapter, { costs = {}, use, device, site }: Parameters<Spend>[0]): void {
  const { budgets = [] } = adapter;
  const isOfSite = budgets.some((rule) => rule.of === 'site' && (rule.costs[use] ?? 0) > 0);
  assert.ok(
    !isOfSite || device === undefined || site !== undefined,
    `a call about ${device} does not say of which site it is, and there is a limit of sites`,
  );
  for (const name of Object.keys(costs))
    assert.ok(
      budgets.some((rule) => rule.name === name),
      `a call costs of "${name}", which is not a limit`,
    );
}

/** Advances the simulator's clock while an adapter waits, since nothing else would. */
function advancing(clock: TurnedClock): Clock {
  return {
    now: clock.now,
    after(ms, fire) {
      let isDue = true;
      setImmediate(() => {
        if (!isDue) return;
        clock.turn(ms);
        fire();
      });
      return () => {
        isDue = false;
      };
    },
  };
}

/** The secret values of the credentials. */
export function secretsOf({ credentials }: Adapter, user: Pick<SimulatedUser, 'credentials'>): string[] {
  const properties =
    (credentials as { properties?: Record<string, { writeOnly?: boolean }> }).properties ?? {};
  return Object.entries(user.credentials).flatMap(([name, value]) =>
    properties[name]?.writeOnly === true ? [String(value)] : [],
  );
}

/** The header `host` of calls to an address that the user chose. */
function hostOf({ chosenAddress }: Adapter, credentials: JsonObject): Readonly<Record<string, string>> {
  return chosenAddress === undefined ? {} : { host: new URL(chosenAddress(credentials)).host };
}

interface HttpToOptions {
  readonly handle: VendorSimulator['handle'];
  readonly host: Readonly<Record<string, string>>;
  readonly asked: string[];
  readonly clock: TurnedClock;
  readonly fault: () => SimulatedFault | null;
  readonly alter: (body: Json) => Json;
}

function httpTo(wire: HttpToOptions): Http {
  return {
    async send(request) {
      const answer = await answerTo(request, wire);
      const isAltered = answer.json !== undefined && answer.status < 300;
      const json = !isAltered
        ? answer.json
        : wire.alter(
            wire.fault() === 'unknown_values' ? strange(answer.json ?? null) : (answer.json ?? null),
          );
      return understood(json === undefined ? answer : { ...answer, json }, request, wire.clock);
    },
  };
}

/** Names of headers as a server gets them. */
const lowerCased = (headers: HttpRequest['headers'] = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The simulator's response, or the fault that is set. */
async function answerTo(
  request: HttpRequest,
  { handle, host, asked, fault }: HttpToOptions,
): Promise<SimulatedAnswer> {
  asked.push(`${request.method ?? 'GET'} ${request.path}`);
  const now = fault();
  return (
    (now === 'token_refused' ? plainRefusal(401, 'token') : faultAnswer(now, plainRefusal)) ??
    (await handle({
      method: request.method ?? 'GET',
      path: request.path,
      query: queryOf(request),
      headers: {
        ...host,
        'accept-encoding': 'gzip, br',
        ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(request.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...lowerCased(request.headers),
      },
      body: bodyOf(request),
    }))
  );
}

function queryOf({ query = {} }: HttpRequest): URLSearchParams {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => [name, one] as [string, string]),
  );
  return new URLSearchParams(pairs);
}

function bodyOf({ json, form }: HttpRequest): Uint8Array {
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return Buffer.from(form === undefined ? '' : new URLSearchParams(form).toString());
}

/** The result or error that the platform's client makes of a response. */
async function understood(
  answer: SimulatedAnswer,
  request: HttpRequest,
  clock: TurnedClock,
): Promise<HttpAnswer> {
  if (answer.broken === 'reset') throw new HttpFailure('unreachable', 'the connection was reset');
  if (answer.broken === 'truncate') throw new HttpFailure('answer_invalid', 'the response was cut off');
  if (answer.broken === 'hang') return never(request.signal);
  const bytes =
    answer.bytes ??
    Buffer.from(answer.json === undefined ? (answer.text ?? '') : JSON.stringify(answer.json));
  const text = () => Buffer.from(bytes).toString();
  const { status, headers = {} } = answer;
  const asked =
    status === 429
      ? limitedSeconds(headers, clock.now())
      : retryAfterSeconds(headers['retry-after'], clock.now());
  const failure = failureOfStatus('it', { status, body: text().slice(0, 4_096), retryAfterSeconds: asked });
  if (failure !== null && request.expect?.includes(status) !== true) throw failure;
  return {
    status,
    headers,
    bytes,
    text,
    json() {
      try {
        return JSON.parse(text()) as Json;
      } catch (cause) {
        throw new HttpFailure('answer_invalid', 'it is not JSON', { status, cause });
      }
    },
  };
}

function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener(
      'abort',
      () => reject(new HttpFailure('timeout', 'it did not respond in time')),
      {
        once: true,
      },
    );
  });
}

/** Of PKCE (RFC 7636). */
const VERIFIER = 'a-verifier-of-the-tests-with-at-least-43-characters';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

interface PageSignIn {
  readonly adapter: Adapter;
  readonly vendor: VendorSimulator;
  readonly session: LoginSession;
  readonly user: SimulatedUser;
}

async function signInByPage({ adapter, vendor, session, user }: PageSignIn): Promise<Tokens> {
  const { oauth } = adapter;
  assert.ok(oauth !== undefined);
  const { withoutCode } = oauth;
  const { http, clock } = session;
  const reference = 'a-reference-of-the-tests';
  const query = new URLSearchParams({
    ...(withoutCode?.parameters({ partner: partnerOf(adapter), reference }) ?? {
      response_type: 'code',
      client_id: PARTNER.clientId,
    }),
    redirect_uri: REDIRECT,
    scope: scopesOf(adapter).join(' '),
    state: 'state',
    ...(oauth.pkce ? { code_challenge: CHALLENGE, code_challenge_method: 'S256' } : {}),
    ...oauth.authorizeParameters,
  });
  const answer = await vendor.handle({
    method: 'POST',
    path: new URL(oauth.authorizeUrl).pathname,
    query,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams({ username: user.name, password: user.password }).toString()),
  });
  assert.equal(answer.status, 302, answer.text ?? '');
  const { searchParams: back } = new URL(answer.headers?.location ?? '');
  if (withoutCode !== undefined) return withoutCode.signIn(session, { query: back, reference });
  const code = back.get('code') ?? '';
  const client = clientFields(oauth, PARTNER);
  const response = await http.send({
    method: 'POST',
    path: new URL(oauth.tokenUrl).pathname,
    form: {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      ...(oauth.pkce ? { code_verifier: VERIFIER } : {}),
      ...client.form,
      ...oauth.tokenParameters,
    },
    headers: client.headers,
  });
  const tokens = tokensIn(adapter.name, response.json(), { now: clock.now(), before: undefined });
  const extra = await oauth.extra?.(session, tokens);
  return extra === undefined ? tokens : { ...tokens, extra };
}

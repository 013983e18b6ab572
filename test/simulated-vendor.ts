import assert from 'node:assert/strict';
import type { Adapter } from '../src/adapter/adapter.ts';
import type { Simulator } from '../src/adapter/conformance/index.ts';
import { type Http, type HttpAnswer, HttpFailure, type HttpRequest } from '../src/adapter/http.ts';
import type { LoginSession, Partner, Tokens } from '../src/adapter/login.ts';
import type { Session } from '../src/adapter/session.ts';
import type { SimulatedAnswer, VendorSimulator } from '../src/adapter/simulator.ts';
import { type TurnedClock, turnedClock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/ids.ts';
import type { Json, JsonObject } from '../src/core/json.ts';
import { silentLog } from '../src/core/log.ts';
import { refreshGrant, tokensIn } from '../src/domain/links/refresh-grant.ts';
import { renewTokens } from '../src/domain/links/renewal.ts';
import { createVendorHttp } from '../src/domain/links/vendor-http.ts';

const PARTNER: Partner = { clientId: 'elnav-tests', clientSecret: 'a-secret-of-the-tests' };
const REDIRECT = 'http://127.0.0.1:1/oauth/callback';

/** An adapter before its simulator, in one process, with a clock that the test turns and without a database. */
export interface SimulatedVendor extends Simulator {
  readonly clock: TurnedClock;
  readonly vendor: VendorSimulator;
  /** The tokens that calls carry now; setting them stands for what is stored. */
  tokens: Tokens | undefined;
  /** How often tokens were renewed. */
  renewals: number;
  /** What the vendor was asked, in order: `GET /api/...`. */
  readonly asked: string[];
  /** Calls without a user's token, as signing in makes them. */
  loginSession(): LoginSession;
  /** Signs in again, as linking does. */
  signIn(): Promise<void>;
  abort(): void;
}

/** Signs in at the simulator as a user would, and answers the sessions that `conforms()` wants. */
export async function makeSimulatedVendor(adapter: Adapter): Promise<SimulatedVendor> {
  assert.ok(adapter.simulator !== undefined, `${adapter.slug} has no simulator`);
  const clock = turnedClock();
  const { createSimulator } = await adapter.simulator();
  const vendor = createSimulator({
    clock,
    random: systemRandom,
    baseUrl: () => 'http://simulator.test',
    ...(adapter.oauth === undefined ? {} : { partner: PARTNER }),
  });
  let aborted = new AbortController();
  const asked: string[] = [];
  const http = httpTo(vendor, asked);
  const documents = new Map<string, Json>();
  const { oauth } = adapter;
  const credentials: JsonObject = oauth === undefined ? vendor.user.credentials : {};
  const loginSession = (): LoginSession => ({
    clock,
    partner: adapter.oauth === undefined ? undefined : PARTNER,
    http: createVendorHttp({
      adapter,
      host: () => http,
      tokens: undefined,
      spend: () => {},
      signal: aborted.signal,
    }),
  });
  const world: SimulatedVendor = {
    clock,
    vendor,
    tokens: undefined,
    renewals: 0,
    asked,
    credentials: adapter.oauth === undefined ? vendor.user.credentials : { link_code: 'any' },
    loginSession,
    async signIn() {
      world.tokens =
        adapter.oauth === undefined
          ? await adapter.login?.signIn?.(loginSession(), credentials)
          : await signInByPage(adapter, vendor, http, clock);
    },
    session(): Session {
      return {
        account: 1,
        link: 'link-1',
        userRef: 'someone',
        linkedAt: clock.now(),
        credentials,
        clock,
        log: silentLog,
        documents: {
          get: async (name) => documents.get(name),
          put: async (name, value) => void documents.set(name, value),
          remove: async (name) => void documents.delete(name),
        },
        signal: aborted.signal,
        signals: { wait: async () => undefined },
        http: createVendorHttp({
          adapter,
          host: () => http,
          tokens: adapter.login === undefined && adapter.oauth === undefined ? undefined : keeper(),
          spend: () => {},
          signal: aborted.signal,
        }),
      };
    },
    arrange: async (device, situation) => vendor.arrange(device, situation),
    pass: async (seconds) => clock.turn(seconds * 1000),
    abort() {
      aborted.abort(new Error('the platform gave up waiting'));
      aborted = new AbortController();
    },
  };
  const keeper = () => ({
    async current(): Promise<Tokens> {
      assert.ok(world.tokens !== undefined, 'nobody has signed in');
      return world.tokens.expiresAt - clock.now() < 60_000 ? this.renewed(world.tokens) : world.tokens;
    },
    async renewed(refused: Tokens): Promise<Tokens> {
      if (world.tokens !== undefined && world.tokens !== refused) return world.tokens;
      // As the platform does: calls that are refused together share one renewal.
      renewing ??= renew(refused).finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  });
  let renewing: Promise<Tokens> | undefined;
  async function renew(refused: Tokens): Promise<Tokens> {
    world.renewals += 1;
    world.tokens = await renewTokens(refused, {
      adapter,
      session: loginSession(),
      credentials,
      refreshGrant:
        oauth === undefined ? undefined : (from, old) => refreshGrant({ ...adapter, oauth }, from, old),
    });
    return world.tokens;
  }
  await world.signIn();
  return world;
}

function httpTo(vendor: VendorSimulator, asked: string[]): Http {
  return {
    async send(request) {
      asked.push(`${request.method ?? 'GET'} ${request.path}`);
      const answer = await vendor.handle({
        method: request.method ?? 'GET',
        path: request.path,
        query: queryOf(request),
        headers: {
          ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(request.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...request.headers,
        },
        body: bodyOf(request),
      });
      return understood(answer, request);
    },
  };
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

async function understood(answer: SimulatedAnswer, request: HttpRequest): Promise<HttpAnswer> {
  if (answer.broken === 'reset') throw new HttpFailure('unreachable', 'the connection was reset');
  if (answer.broken === 'truncate') throw new HttpFailure('answer_invalid', 'the answer broke off');
  if (answer.broken === 'hang') return never(request.signal);
  const bytes =
    answer.bytes ??
    Buffer.from(answer.json === undefined ? (answer.text ?? '') : JSON.stringify(answer.json));
  const text = () => Buffer.from(bytes).toString();
  const { status, headers = {} } = answer;
  if (status >= 400 && request.expect?.includes(status) !== true) {
    const delay = Number(headers['retry-after']);
    throw new HttpFailure(kindOf(status), `it answered ${status}`, {
      status,
      body: text().slice(0, 4_096),
      ...(Number.isFinite(delay) ? { retryAfterSeconds: delay } : {}),
    });
  }
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

function kindOf(status: number): HttpFailure['kind'] {
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'server_error' : 'refused';
}

function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new HttpFailure('timeout', 'it did not answer in time')), {
      once: true,
    });
  });
}

async function signInByPage(
  adapter: Adapter,
  vendor: VendorSimulator,
  http: Http,
  clock: TurnedClock,
): Promise<Tokens> {
  const { oauth } = adapter;
  assert.ok(oauth !== undefined);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: PARTNER.clientId,
    redirect_uri: REDIRECT,
    scope: oauth.scopes.join(' '),
    state: 'state',
    ...oauth.authorizeParameters,
  });
  const answer = await vendor.handle({
    method: 'POST',
    path: new URL(oauth.authorizeUrl).pathname,
    query,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(
      new URLSearchParams({ username: vendor.user.name, password: vendor.user.password }).toString(),
    ),
  });
  assert.equal(answer.status, 302, answer.text ?? '');
  const code = new URL(answer.headers?.location ?? '').searchParams.get('code') ?? '';
  const told = await http.send({
    method: 'POST',
    path: new URL(oauth.tokenUrl).pathname,
    form: {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id: PARTNER.clientId,
      client_secret: PARTNER.clientSecret,
      ...oauth.tokenParameters,
    },
  });
  return tokensIn(adapter.name, told.json(), { now: clock.now(), before: undefined });
}

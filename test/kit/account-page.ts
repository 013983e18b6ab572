import assert from 'node:assert/strict';
import { before } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { addFormScope } from '../../src/apps/grid/input/form-scope.ts';
import { addAccountRoutes } from '../../src/apps/grid/routes/account.ts';
import { sessionIn } from '../../src/apps/grid/sign-in/cookies.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { Secret } from '../../src/core/secret.ts';
import { createPeople, type People } from '../../src/domain/people/index.ts';
import { createGate } from '../../src/http/gate.ts';
import { createLimits } from '../../src/http/rate-limit.ts';
import { accountsWorld } from './accounts.ts';
import { assets } from './assets.ts';
import { bareServer } from './bare-server.ts';
import type { Engine } from './databases.ts';

export const PUBLIC_URL = 'https://grid.elnav.example';

interface Sent {
  readonly as?: number;
  readonly accept?: string;
  readonly language?: string;
  readonly headers?: Record<string, string>;
  readonly form?: readonly (readonly [string, string])[];
  readonly json?: unknown;
}

/** The account page of Grid over accounts of its own, for the tests of a suite. */
export function accountPageWorld(engine: Engine) {
  const world = accountsWorld(engine);
  let app: FastifyInstance;
  let ips = 0;
  let people: People;
  before(async () => {
    const { accounts, clock, database } = world;
    const random = systemRandom;
    people = createPeople({ database, accounts, clock, random });
    const limits = createLimits({ accounts, clock, log: silentLog, redis: undefined });
    const server = bareServer({
      clock,
      gate: createGate({
        isOperator: () => false,
        service: 'grid',
        accounts,
        limits,
        clock,
        adminToken: new Secret('an-admin-token-for-tests'),
        personOf: (request) => people.find(sessionIn(request)),
      }),
    });
    app = server.app;
    await addFormScope(app, PUBLIC_URL, (scope) =>
      addAccountRoutes(scope, {
        accounts,
        people,
        limits,
        assets,
        clock,
        random,
        publicUrl: () => PUBLIC_URL,
        connectUrl: () => 'https://connect.elnav.example',
      }),
    );
    await app.ready();
  });

  const ask = async (method: 'GET' | 'POST', url: string, sent: Sent = {}) => {
    ips += 1;
    const { as, accept = 'text/html', language = 'en', headers = {}, form, json } = sent;
    const token =
      as === undefined ? undefined : await people.begin({ account: as, by: 'password', before: undefined });
    const payload =
      form === undefined ? json : new URLSearchParams(form.map(([name, value]) => [name, value])).toString();
    const answer = await app.inject({
      method,
      url,
      remoteAddress: `192.0.2.${ips % 250}`,
      headers: {
        accept,
        'accept-language': language,
        ...(token === undefined ? {} : { cookie: `elnav_session=${token}` }),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload: payload as object | string }),
    });
    const { statusCode: status, payload: text } = answer;
    return { status, text, headers: answer.headers, json: () => JSON.parse(text) };
  };
  const page = async (as: number, language = 'en') => {
    const answer = await ask('GET', '/account', { as, language });
    assert.equal(answer.status, 200);
    return answer.text;
  };
  return {
    world,
    get app() {
      return app;
    },
    get people() {
      return people;
    },
    ask,
    /** The page in a language, as an account. */
    page,
  };
}

/** The token of the form in a page that makes keys. */
export const tokenIn = (text: string): string => /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';

/** The API key that a page shows. */
export const keyIn = (text: string): string | undefined =>
  /elnav_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}/.exec(text)?.[0];

/** What is sent to make a key. */
export const keyForm = (token: string, label = 'laptop') =>
  [
    ['form', token],
    ['label', label],
    ['scopes', 'devices:read'],
    ['scopes', 'link:write'],
  ] as const;

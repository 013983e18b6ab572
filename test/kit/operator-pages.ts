import assert from 'node:assert/strict';
import type { FastifyInstance } from 'fastify';
import { createHealthLook } from '../../src/apps/grid/health/look.ts';
import { addFormScope } from '../../src/apps/grid/input/form-scope.ts';
import { addOperatorRoutes, type OperatorDependencies } from '../../src/apps/grid/operator/routes.ts';
import { operatorOf } from '../../src/apps/grid/operator/session.ts';
import { sessionIn } from '../../src/apps/grid/sign-in/cookies.ts';
import { systemRandom } from '../../src/core/ids.ts';
import { silentLog } from '../../src/core/log.ts';
import { createMetrics } from '../../src/core/metrics.ts';
import { Secret } from '../../src/core/secret.ts';
import { createOperators, type Operators } from '../../src/domain/access/operators/index.ts';
import { createPeople, type People } from '../../src/domain/access/people/index.ts';
import { createLinkedVendors } from '../../src/domain/links/vendor-states/index.ts';
import { createRequests } from '../../src/domain/records/requests/index.ts';
import { createGate } from '../../src/http/gate.ts';
import { createLimits } from '../../src/http/rate-limit.ts';
import { type AccountsWorld, ADMIN, TEST_KEYS } from './accounts.ts';
import { assets } from './assets.ts';
import { bareServer } from './bare-server.ts';
import { healthPartsOf } from './health.ts';
import { pricesOf, productionOf } from './market.ts';

export const OPERATOR_TOKEN = 'an-admin-token-for-tests';
const PUBLIC_URL = 'https://grid.elnav.example';

export interface PageReply {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | number | string[] | undefined>>;
}

interface Sent {
  readonly form?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  readonly language?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ip?: string;
}

/** A browser on the operator's pages, with a session or none. */
export interface OperatorBrowser {
  get(path: string, sent?: Sent): Promise<PageReply>;
  post(path: string, form?: Sent['form'], sent?: Sent): Promise<PageReply>;
  /** Asks for a change, confirms it on the page that describes it, and returns that page and what follows. */
  confirm(
    path: string,
    form?: Readonly<Record<string, string>>,
  ): Promise<{ readonly asked: PageReply; readonly made: PageReply }>;
  turnOnChanges(): Promise<void>;
  readonly cookie: string | undefined;
}

/** The operator's pages of a test world. */
export interface OperatorPages {
  readonly app: FastifyInstance;
  readonly operators: Operators;
  readonly people: People;
  /** Without a session, or with this cookie. */
  browser(cookie?: string): OperatorBrowser;
  /** Signed in with the admin token. */
  signedIn(): Promise<OperatorBrowser>;
  /** Signed in as the account's person. */
  as(account: number): Promise<OperatorBrowser>;
}

/** Opens the operator's pages on the accounts of a test world; `parts` replaces what they work with. */
export async function openOperatorPages(
  world: Pick<AccountsWorld, 'accounts' | 'clock' | 'database'>,
  parts: Partial<OperatorDependencies> & { readonly adminToken?: string } = {},
): Promise<OperatorPages> {
  const { accounts, clock, database } = world;
  const random = systemRandom;
  const people = createPeople({ database, accounts, clock, random });
  const limits = createLimits({ accounts, clock, log: silentLog, redis: undefined });
  const adminToken = new Secret(parts.adminToken ?? OPERATOR_TOKEN);
  const operators = createOperators({ database, clock, random, adminToken, vaultKeys: TEST_KEYS });
  const personOf: Parameters<typeof operatorOf>[0]['personOf'] = (request) => people.find(sessionIn(request));
  const gate = createGate({
    isOperator: () => false,
    service: 'grid',
    accounts,
    limits,
    clock,
    adminToken,
    personOf,
    operatorOf: operatorOf({ operators, accounts, personOf, isSecure: () => true }),
  });
  const requests = createRequests({
    host: { database, clock, random, log: silentLog, metrics: createMetrics() },
    instance: 'here:1',
    keptDays: 7,
  });
  const { app } = bareServer({ clock, gate });
  const { prices } = await pricesOf(database, { clock });
  const { production } = await productionOf(database, { clock });
  const lookAtHealth = createHealthLook({
    ...healthPartsOf({ database, clock }),
    ...{ prices, production, clock, probes: [], registers: [] },
  });
  await addFormScope(app, PUBLIC_URL, (scope) =>
    addOperatorRoutes(scope, {
      ...{ operators, accounts, requests, people, limits, assets, clock, random },
      ...{ prices, lookAtHealth },
      linkedVendors: createLinkedVendors({ database, vendors: [] }),
      admitToken: gate.admitToken,
      publicUrl: () => PUBLIC_URL,
      ...parts,
    }),
  );
  await app.ready();

  let ips = 0;
  function browser(cookie?: string): OperatorBrowser {
    const ask = async (method: 'GET' | 'POST', url: string, sent: Sent = {}): Promise<PageReply> => {
      ips += 1;
      const { form, language = 'en', headers = {}, ip = `192.0.2.${ips % 250}` } = sent;
      const pairs = form === undefined ? [] : Array.isArray(form) ? form : Object.entries(form);
      const answer = await app.inject({
        method,
        url,
        remoteAddress: ip,
        headers: {
          accept: 'text/html',
          'accept-language': language,
          ...(cookie === undefined ? {} : { cookie }),
          ...(method === 'GET' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
        ...(method === 'GET'
          ? {}
          : {
              payload: new URLSearchParams(
                pairs.map(([name, value]): [string, string] => [name, value]),
              ).toString(),
            }),
      });
      return { status: answer.statusCode, text: answer.payload, headers: answer.headers };
    };
    const post: OperatorBrowser['post'] = (path, form = {}, sent = {}) =>
      ask('POST', path, { ...sent, form });
    return {
      cookie,
      get: (path, sent) => ask('GET', path, sent),
      post,
      async confirm(path, form = {}) {
        const asked = await post(path, form);
        const fields = confirmationIn(asked.text);
        assert.equal(
          fields.some(([name]) => name === 'confirmed'),
          true,
          'it asks for a confirmation',
        );
        return { asked, made: await post(path, fields) };
      },
      async turnOnChanges() {
        assert.equal((await post('/operator/changes', { turn: 'on' })).status, 303);
      },
    };
  }

  return {
    app,
    operators,
    people,
    browser,
    async signedIn() {
      const { status, headers } = await browser().post('/operator/sign-in', {
        token: parts.adminToken ?? OPERATOR_TOKEN,
      });
      assert.equal(status, 303);
      return browser(cookieFrom(headers['set-cookie']));
    },
    async as(account) {
      const token = await people.begin({ account, by: 'password', before: undefined });
      return browser(`elnav_session=${token}`);
    },
  };
}

/** A world's account with the role of an operator. */
export async function newOperator(
  { accounts }: Pick<AccountsWorld, 'accounts'>,
  email: string,
): Promise<number> {
  const { id } = await accounts.users.create({ email, name: '', tier: 'free' }, ADMIN);
  await accounts.users.setRole(id, 'operator', ADMIN);
  return id;
}

/** The cookie that a response sets, as a request carries it. */
export function cookieFrom(set: string | number | string[] | undefined): string {
  const [cookie = ''] = String(set).split(';', 1);
  return cookie;
}

/** The hidden fields of the form that confirms a change. */
export function confirmationIn(page: string): [string, string][] {
  const main = page.slice(page.indexOf('operator-body'));
  return [...main.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
    ([, name = '', value = '']) => [plain(name), plain(value)],
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

const plain = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (one) => ENTITIES[one] ?? one);

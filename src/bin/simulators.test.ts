import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import Type from 'typebox';
import { testVendor } from '../../test/kit/vendor-for-tests.ts';
import { makeWorld, type World } from '../../test/kit/world.ts';
import type { Adapter } from '../adapter/adapter.ts';
import type { SimulatorOptions, VendorSimulator } from '../adapter/simulator.ts';
import { turnedClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import { silentLog } from '../core/log.ts';
import { readSettings, type Settings } from '../core/settings/index.ts';
import { createSimulatedOAuth } from '../proof/simulation/oauth.ts';
import { vendors } from '../vendors/index.ts';
import { offersTesting, simulatedVendors, startSimulators } from './simulators.ts';
import { needsOf } from './vendor-needs.ts';

const AUTHORIZE = '/oauth2/authorize';
const loads: SimulatorOptions[] = [];

const ANNA = { name: 'anna', password: 'simulated', credentials: { user: 'anna', password: 'simulated' } };

const createSimulator = (options: SimulatorOptions): VendorSimulator => {
  loads.push(options);
  const oauth = createSimulatedOAuth({
    clock: options.clock,
    random: options.random,
    partner: options.partner,
    vendor: 'Signed',
    users: new Map([['anna', 'simulated']]),
    accessSeconds: 3_600,
    isRotating: true,
  });
  return {
    async handle(request) {
      if (request.path === AUTHORIZE) return oauth.authorize(request);
      return request.path === '/oauth2/token'
        ? oauth.token(request)
        : { status: 200, json: { simulated: true } };
    },
    fault() {},
    arrange() {},
    reach() {},
    add() {},
    remove() {},
    expireTokens() {},
    revoke() {},
    user: ANNA,
    users: { none: ANNA, large: ANNA },
  };
};

const simulator = async () => ({ createSimulator });

/** Linked by OAuth, by password, and without a simulator. */
function adapters(): Adapter[] {
  const signed = testVendor({ slug: 'signed' }).adapter;
  return [
    {
      ...signed,
      simulator,
      apiKeyHeader: 'x-app-key',
      partnerSettings: [
        { name: 'hook_key', description: 'Key of webhooks', isSecret: true, isRequired: false },
      ],
      credentials: Type.Object({ link_code: Type.String({ maxLength: 200 }) }),
      hosts: { api: 'https://api.signed.example' },
      oauth: {
        authorizeUrl: `https://auth.signed.example${AUTHORIZE}`,
        tokenUrl: 'https://auth.signed.example/oauth2/token',
        scopes: ['all'],
        pkce: true,
        clientAuthentication: 'body',
      },
    },
    { ...testVendor({ slug: 'typed' }).adapter, simulator, hosts: { api: 'https://api.typed.example' } },
    testVendor({ slug: 'plain' }).adapter,
  ];
}

function chosen(env: Record<string, string>, of: readonly Adapter[] = adapters()): string[] {
  return simulatedVendors(readSettings(env, needsOf(of)), of).map(({ slug }) => slug);
}

const POSTGRES = {
  DATABASE_URL: 'postgres://127.0.0.1/x',
  ELNAV_ADMIN_TOKEN: 'a'.repeat(16),
  ELNAV_VAULT_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};
const CLIENT = {
  ELNAV_SIGNED_CLIENT_ID: 'id',
  ELNAV_SIGNED_CLIENT_SECRET: 'secret',
  ELNAV_SIGNED_API_KEY: 'key',
};

describe('which vendors are simulated', () => {
  it('which vendors are simulated are those by OAuth that nobody has set up, on the embedded database', () => {
    assert.deepEqual(chosen({}), ['signed']);
    assert.deepEqual(chosen(CLIENT), []);
    assert.deepEqual(chosen({ ELNAV_SIGNED_BASE_URL: 'http://127.0.0.1:9101' }), []);
    assert.deepEqual(chosen({ ELNAV_SIMULATE: 'none' }), []);
    assert.deepEqual(chosen(POSTGRES), []);
    const able = vendors.filter(({ oauth, simulator }) => oauth !== undefined && simulator !== undefined);
    assert.ok(able.length > 0);
    assert.deepEqual(
      chosen({}, vendors),
      able.map(({ slug }) => slug),
    );
  });

  it('which vendors are simulated are those that are named besides, set up or not', () => {
    assert.deepEqual(chosen({ ELNAV_SIMULATE: 'typed' }), ['signed', 'typed']);
    assert.deepEqual(chosen({ ...POSTGRES, ELNAV_SIMULATE: 'typed' }), ['typed']);
    assert.deepEqual(chosen({ ...POSTGRES, ...CLIENT, ELNAV_SIMULATE: 'signed' }), ['signed']);
  });

  it('which vendors are simulated are not those that cannot be, which is said', () => {
    assert.throws(() => chosen({ ELNAV_SIMULATE: 'plain' }), {
      name: 'OperatorError',
      message: 'ELNAV_SIMULATE names plain, which has no simulator; those that have one: signed, typed.',
    });
    assert.throws(() => chosen({ ELNAV_SIMULATE: 'typed', ELNAV_TYPED_BASE_URL: 'http://127.0.0.1:1' }), {
      name: 'OperatorError',
      message:
        'ELNAV_SIMULATE names typed, and its calls are led to http://127.0.0.1:1 by another setting. Unset one of the two.',
    });
  });

  it('which vendors are simulated are not those whose devices are at addresses of their own, which is said with what to run', () => {
    assert.throws(() => chosen({ ELNAV_SIMULATE: 'ferroamp' }, vendors), {
      name: 'OperatorError',
      message:
        'ELNAV_SIMULATE names ferroamp, whose devices are called at an address of their own: run npm run simulate -- ferroamp, and link what it prints.',
    });
  });
});

describe('whether users may choose made-up devices', () => {
  const offers = (env: Record<string, string>): boolean =>
    offersTesting(readSettings(env, needsOf(vendors)), vendors);
  const HTTPS = { ELNAV_CONNECT_URL: 'https://connect.example.com' };
  const TLS = { ELNAV_TLS_CERT_FILE: 'cert.pem', ELNAV_TLS_KEY_FILE: 'key.pem' };

  it('whether users may choose made-up devices is so on a test installation: the embedded database, and no https', () => {
    assert.equal(offers({}), true);
    assert.equal(offers({ ELNAV_CONNECT_URL: 'http://192.168.1.20:8080' }), true);
    assert.equal(offers({ ELNAV_SIMULATE: 'easee' }), true);
    for (const env of [
      HTTPS,
      TLS,
      POSTGRES,
      { ...HTTPS, ELNAV_SIMULATE: 'easee' },
      { ELNAV_SIMULATE: 'none' },
    ])
      assert.equal(offers(env), false, JSON.stringify(env));
  });

  it('whether users may choose made-up devices is so everywhere if the operator names them', () => {
    for (const env of [HTTPS, TLS, POSTGRES])
      assert.equal(offers({ ...env, ELNAV_SIMULATE: 'easee,sandbox' }), true, JSON.stringify(env));
    assert.deepEqual(chosen({ ...POSTGRES, ELNAV_SIMULATE: 'easee,sandbox' }, vendors), ['easee']);
  });
});

interface Started {
  readonly env?: Record<string, string>;
  readonly postToConnect?: (path: string) => number;
}

async function begin(test: TestContext, { env = {}, postToConnect = () => 202 }: Started = {}) {
  const of = adapters();
  const settings: Settings = readSettings(env, needsOf(of));
  const simulators = await startSimulators({
    settings,
    adapters: of,
    clock: turnedClock(),
    random: systemRandom,
    log: silentLog,
    publicUrl: () => 'https://elnav.example',
    postToConnect: async (path) => postToConnect(path),
  });
  test.after(() => simulators.close());
  return { simulators };
}

describe('built-in simulators', () => {
  it('built-in simulators are loaded when they are first called, each at an address of its own', async (test) => {
    const before = loads.length;
    const { simulators } = await begin(test, { env: { ELNAV_SIMULATE: 'typed' } });
    assert.equal(loads.length, before);
    assert.notEqual(simulators.baseUrlOf('signed', 'api'), simulators.baseUrlOf('typed', 'api'));
    assert.equal(simulators.baseUrlOf('plain', 'api'), undefined);
    const answers = await Promise.all(
      [1, 2, 3].map(() => fetch(`${simulators.baseUrlOf('typed', 'api')}/x`)),
    );
    assert.deepEqual(
      answers.map(({ headers }) => headers.get('elnav-simulated')),
      ['typed', 'typed', 'typed'],
    );
    assert.equal(loads.length, before + 1);
    assert.equal(loads.at(-1)?.baseUrl(), simulators.baseUrlOf('typed', 'api'));
    assert.equal(loads.at(-1)?.partner, undefined);
  });

  it('built-in simulators have the browser sign in at Connect, and be called at their own addresses', async (test) => {
    const { simulators } = await begin(test);
    assert.equal(simulators.baseUrlOf('signed', 'authorize'), 'https://elnav.example/simulated/signed');
    for (const host of ['api', 'token'])
      assert.match(simulators.baseUrlOf('signed', host) ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    const real = await begin(test, { env: { ELNAV_SIMULATE: 'none' } });
    for (const host of ['api', 'token', 'authorize'])
      assert.equal(real.simulators.baseUrlOf('signed', host), undefined);
  });

  it('built-in simulators know their partner by a secret that no other start has', async (test) => {
    const [one, other] = [await begin(test), await begin(test)];
    const partners = [one, other].map(({ simulators }) => simulators.partnerOf('signed'));
    assert.equal(partners[0]?.clientId, partners[1]?.clientId);
    assert.notEqual(partners[0]?.clientSecret, partners[1]?.clientSecret);
    assert.match(partners[0]?.apiKey ?? '', /^\w{32}$/);
    const keys = partners.map((partner) => partner?.more?.hook_key ?? '');
    assert.match(keys[0] ?? '', /^\w{32}$/, 'or anybody could sign a delivery');
    assert.notEqual(keys[0], keys[1]);
    assert.equal(one.simulators.partnerOf('typed'), undefined);
    const asked = async (client_secret: string) =>
      fetch(`${one.simulators.baseUrlOf('signed', 'api')}/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({
          client_id: 'elnav-simulated',
          client_secret,
          grant_type: 'refresh_token',
        }),
      });
    assert.deepEqual(await (await asked('another')).json(), { error: 'invalid_client' });
    assert.deepEqual(await (await asked(partners[0]?.clientSecret ?? '')).json(), { error: 'invalid_grant' });
  });

  it('built-in simulators post to Connect without a network, and elsewhere to this machine alone', async (test) => {
    const posted: string[] = [];
    const { simulators } = await begin(test, {
      postToConnect(path) {
        posted.push(path);
        return path.endsWith('/signed') ? 202 : 401;
      },
    });
    await fetch(`${simulators.baseUrlOf('signed', 'api')}/x`);
    const post = loads.at(-1)?.post;
    assert.ok(post !== undefined);
    const delivery = { body: '{}', headers: {} };
    await post('https://elnav.example/webhooks/signed', delivery);
    await assert.rejects(post('https://elnav.example/webhooks/other', delivery), /401/);
    await assert.rejects(post('https://elnav.example.org/webhooks/signed', delivery), /this machine alone/);
    assert.deepEqual(posted, ['/webhooks/signed', '/webhooks/other']);
  });
});

describe('the sign-in page of a simulated vendor', () => {
  const open = async (
    test: TestContext,
    env: Record<string, string> = { ELNAV_SIMULATE: '' },
  ): Promise<World> => {
    const world = await makeWorld({ engine: 'sqlite', adapters: adapters(), env });
    test.after(() => world.close());
    return world;
  };
  const pageOf = (world: World, changed: Record<string, string> = {}): string => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'elnav-simulated',
      redirect_uri: `${world.connect}/oauth/signed/callback`,
      scope: 'all',
      state: 'the state',
      ...changed,
    });
    return `${world.connect}/simulated/signed/oauth2/authorize?${query}`;
  };
  const signIn = (url: string, form: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });

  it('the sign-in page of a simulated vendor is served where the browser reaches Connect, and says what it is', async (test) => {
    const world = await open(test);
    assert.deepEqual(world.running.simulated, ['Test vendor']);
    const answer = await fetch(pageOf(world));
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
    assert.equal(answer.headers.get('elnav-simulated'), 'signed');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.doesNotMatch(answer.headers.get('content-security-policy') ?? '', /form-action/);
    assert.match(await answer.text(), /This is a simulator inside elnav/);
  });

  it('the sign-in page of a simulated vendor leads back with a code, with an error, or stays', async (test) => {
    const world = await open(test);
    const good = await signIn(pageOf(world), { username: 'anna', password: 'simulated' });
    assert.equal(good.status, 302);
    const back = new URL(good.headers.get('location') ?? '');
    assert.equal(`${back.origin}${back.pathname}`, `${world.connect}/oauth/signed/callback`);
    assert.equal(back.searchParams.get('state'), 'the state');
    assert.match(back.searchParams.get('code') ?? '', /^code-/);
    const cancelled = await signIn(pageOf(world), { cancel: '1' });
    assert.match(cancelled.headers.get('location') ?? '', /error=access_denied/);
    const wrong = await signIn(pageOf(world), { username: 'anna', password: 'wrong' });
    assert.equal(wrong.status, 200);
    assert.match(await wrong.text(), /Wrong user name or password/);
  });

  it('the sign-in page of a simulated vendor leads nowhere but to the callback of its vendor', async (test) => {
    const world = await open(test);
    const elsewhere = [
      'https://evil.example/oauth/signed/callback',
      `${world.connect}/oauth/other/callback`,
      `${world.connect}/oauth/signed/callback/`,
      '',
    ];
    for (const redirect_uri of elsewhere) {
      const answer = await signIn(pageOf(world, { redirect_uri }), {
        username: 'anna',
        password: 'simulated',
      });
      assert.equal(answer.status, 400, redirect_uri);
      assert.deepEqual(await answer.json(), {
        error: `redirect_uri must be ${world.connect}/oauth/signed/callback`,
      });
    }
  });

  it('the sign-in page of a simulated vendor has no other path, takes no other type, and is not there for a vendor that is not simulated', async (test) => {
    const world = await open(test);
    const status = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${world.connect}${path}`, init)).status;
    const page = new URL(pageOf(world)).pathname;
    for (const path of [
      '/simulated/signed/oauth2/token',
      '/simulated/signed',
      '/simulated/typed/oauth2/authorize',
    ])
      assert.equal(await status(path), 404, path);
    assert.equal(await status(page, { method: 'PUT' }), 405);
    const multipart = new FormData();
    multipart.set('username', 'anna');
    assert.equal(await status(page, { method: 'POST', body: multipart }), 415);
    const form = new URLSearchParams({ username: 'anna' });
    assert.equal(await status('/link', { method: 'POST', body: form }), 401);
    const off = await open(test, { ELNAV_SIMULATE: 'none' });
    assert.equal((await fetch(pageOf(off))).status, 404);
  });

  it('the sign-in page of a simulated vendor is in no document', async (test) => {
    const world = await open(test);
    assert.doesNotMatch(await (await fetch(`${world.connect}/openapi.json`)).text(), /\/simulated/);
  });
});

describe('devices of a simulated vendor', () => {
  it('devices of a simulated vendor have names that say so, and those of others do not', async (test) => {
    const names = async (env: Record<string, string>) => {
      const world = await makeWorld({ engine: 'sqlite', adapters: adapters(), env });
      test.after(() => world.close());
      const caller = await world.newAccount();
      const body = { vendor: 'typed', user_ref: 'me', credentials: { user: 'anna', password: 'simulated' } };
      assert.equal((await caller.call('POST', '/link', body)).status, 200);
      const { body: listed } = await caller.call('GET', '/devices');
      return (listed as { name: string }[]).map(({ name }) => name);
    };
    assert.deepEqual(await names({ ELNAV_SIMULATE: 'typed' }), ['light-1 (simulated)']);
    assert.deepEqual(await names({ ELNAV_SIMULATE: 'none' }), ['light-1']);
  });
});

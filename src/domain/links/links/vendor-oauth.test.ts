import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import Type from 'typebox';
import { makePlace, type Place } from '../../../../test/kit/databases.ts';
import { type Adapter, kind } from '../../../adapter/adapter.ts';
import type { VendorRequest } from '../../../adapter/http.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import { LinkCode } from '../../../adapter/login.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import type { Database } from '../../../db/database.ts';
import { createVault } from '../../vendor-calls/calls/index.ts';
import { createLinkSessions } from './link-sessions.ts';
import { createSignInStore } from './store-sign-ins.ts';
import { createVendorOAuth, type Finished, type VendorOAuth } from './vendor-oauth.ts';

const ISSUER = 'https://id.vendor.example';
const adapter = {
  slug: 'vendor',
  name: 'Vendor',
  credentials: LinkCode,
  hosts: { api: 'https://api.vendor.example' },
  oauth: {
    authorizeUrl: `${ISSUER}/authorize?prompt=login`,
    tokenUrl: 'https://token.vendor.example/token',
    scopes: ['a', 'b'],
    pkce: true,
    issuer: ISSUER,
    clientAuthentication: 'basic',
    authorizeParameters: { locale: 'sv' },
    tokenParameters: { audience: 'x' },
  },
  pushes: false,
  pollSeconds: 60,
  link: async () => ({ vendorAccount: 'v', devices: [] }),
  kinds: {
    light: kind<null>({ read: async () => null, status: () => ({ online: true }), reads: {}, controls: {} }),
  },
} satisfies Adapter;
const plain = {
  ...adapter,
  slug: 'plain',
  oauth: { ...adapter.oauth, scopes: [], pkce: false },
} satisfies Adapter;
const keyed = {
  ...adapter,
  slug: 'keyed',
  apiKeyHeader: 'x-app-key',
  partnerSettings: [
    { name: 'app', description: 'The app', isSecret: false, isRequired: true },
    { name: 'hook_key', description: 'Key of webhooks', isSecret: true, isRequired: false },
  ],
} satisfies Adapter;
const typed = { ...adapter, slug: 'typed', oauth: undefined, credentials: Type.Object({}) };

/** Its page returns the user instead of a code. */
const codeless = {
  ...adapter,
  slug: 'codeless',
  oauth: {
    ...adapter.oauth,
    pkce: false,
    withoutCode: {
      parameters: ({ partner, reference }) => ({ app: partner.more?.app ?? '', reference }),
      async signIn({ clock }, { query, reference }) {
        if (query.get('user') !== 'anna') throw new AppError('oauth.denied', 'not confirmed');
        const extra = { user: 'anna', reference };
        return { access: 'of the service', refresh: null, expiresAt: clock.now() + 1, extra };
      },
    },
  },
} satisfies Adapter;

/** Gives a key with each sign-in. */
const bridged = {
  ...adapter,
  slug: 'bridged',
  oauth: {
    ...adapter.oauth,
    pkce: false,
    async extra({ http }, { access }) {
      const headers = { authorization: `Bearer ${access}` };
      await http.send({ method: 'POST', path: '/keys', use: 'login', headers });
      return { key: 'of the bridge' };
    },
  },
} satisfies Adapter;

const requireRoom = async () => {};

describe('signing in at an OAuth vendor', () => {
  let place: Place;
  let database: Database;
  let clock: TurnedClock;
  let vendorOAuth: VendorOAuth;
  const sent: VendorRequest[] = [];
  let answer: () => unknown = () => ({ access_token: 'at', refresh_token: 'rt', expires_in: 60 });
  before(async () => {
    place = await makePlace('sqlite');
    clock = turnedClock();
    database = await place.open(clock);
    const store = createSignInStore(database);
    const { oauth: _none, ...withoutOAuth } = typed;
    const adapters = new Map<string, Adapter>([
      ['vendor', adapter],
      ['plain', plain],
      ['keyed', keyed],
      ['codeless', codeless],
      ['bridged', bridged],
      ['typed', withoutOAuth],
    ]);
    const publicUrl = () => 'https://elnav.example';
    vendorOAuth = createVendorOAuth({
      store,
      sessions: createLinkSessions({
        ...{ store, adapters, publicUrl, clock, random: systemRandom },
        requireGateway: async () => {},
      }),
      adapters,
      partnerOf: (vendor) =>
        vendor === 'keyed'
          ? undefined
          : { clientId: 'our id', clientSecret: 'our:secret', more: { app: 'our app' } },
      authorizeUrlOf: ({ oauth }) => oauth?.authorizeUrl ?? '',
      loginSession: () => ({
        clock,
        partner: { clientId: 'our id', clientSecret: 'our:secret' },
        http: {
          async send(request) {
            sent.push(request);
            const json = answer();
            return {
              status: 200,
              headers: {},
              bytes: Buffer.from(''),
              text: () => '',
              json: () => json as never,
            };
          },
        },
      }),
      publicUrl,
      vault: createVault([{ id: 'k', key: Buffer.alloc(32) }], systemRandom),
      clock,
      random: systemRandom,
    });
  });
  after(async () => {
    await database.close();
    await place.remove();
  });

  const begin = async (vendor = 'vendor') =>
    new URL((await vendorOAuth.begin({ vendor, session: undefined, browser: 'b' })) ?? '');
  const finish = (page: URL, query: Record<string, string>, vendor = 'vendor'): Promise<Finished> =>
    vendorOAuth.finish({
      vendor,
      browser: undefined,
      isPage: false,
      requireRoom,
      query: new URLSearchParams({ state: page.searchParams.get('state') ?? '', ...query }),
    });
  const errorOf = async (finished: Promise<Finished>) => {
    const ended = await finished;
    assert.equal(ended.outcome, 'failed');
    return ended.outcome === 'failed' ? [ended.error.code, ended.error.message] : [];
  };

  it('signing in at an OAuth vendor sends what the vendor wants to its page, and a verifier that fits to its token endpoint', async () => {
    const page = await begin();
    const { state, code_challenge, ...others } = Object.fromEntries(page.searchParams);
    assert.deepEqual(others, {
      prompt: 'login',
      response_type: 'code',
      client_id: 'our id',
      redirect_uri: 'https://elnav.example/oauth/vendor/callback',
      scope: 'a b',
      code_challenge_method: 'S256',
      locale: 'sv',
    });
    assert.match(state ?? '', /^[0-9A-Za-z]{43}$/);
    const finished = await finish(page, { code: 'c', iss: ISSUER });
    assert.deepEqual(finished, {
      outcome: 'signed_in',
      session: undefined,
      tokens: { access: 'at', refresh: 'rt', expiresAt: clock.now() + 60_000, scopes: ['a', 'b'] },
    });
    const request = sent.at(-1);
    const { code_verifier = '', ...form } = request?.form ?? {};
    assert.equal(createHash('sha256').update(code_verifier).digest('base64url'), code_challenge);
    assert.deepEqual(form, {
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'https://elnav.example/oauth/vendor/callback',
      audience: 'x',
    });
    // RFC 6749 §2.3.1: both are form-encoded before they are put together.
    const basic = Buffer.from('our%20id:our%3Asecret').toString('base64');
    assert.equal(request?.headers?.authorization, `Basic ${basic}`);
  });

  it('signing in at an OAuth vendor leaves PKCE and scopes out where the vendor has none', async () => {
    const page = await begin('plain');
    assert.equal(page.searchParams.has('scope'), false);
    assert.equal(page.searchParams.get('code_challenge'), null);
    await finish(page, { code: 'c', iss: ISSUER }, 'plain');
    assert.equal(sent.at(-1)?.form?.code_verifier, undefined);
  });

  it('signing in at an OAuth vendor asks the vendor for the reference of a page that returns the user instead of a code', async () => {
    const page = await begin('codeless');
    const { reference = '', state, ...others } = Object.fromEntries(page.searchParams);
    assert.deepEqual(others, {
      prompt: 'login',
      app: 'our app',
      redirect_uri: 'https://elnav.example/oauth/codeless/callback',
      scope: 'a b',
      locale: 'sv',
    });
    assert.match(reference, /^[0-9A-Za-z]{43}$/);
    assert.notEqual(reference, state);
    const before = sent.length;
    const finished = await finish(page, { user: 'anna' }, 'codeless');
    assert.equal(finished.outcome, 'signed_in');
    if (finished.outcome === 'signed_in')
      assert.deepEqual(finished.tokens.extra, { user: 'anna', reference });
    assert.equal(sent.length, before, 'no code was exchanged');
    const other = async (query: Record<string, string>) =>
      (await errorOf(finish(await begin('codeless'), query, 'codeless')))[1];
    assert.equal(await other({ user: 'bo' }), 'not confirmed');
    assert.equal(await other({ user: 'anna', error: 'access_denied' }), 'Vendor returned: access_denied');
    assert.match((await other({ user: 'anna', iss: 'https://evil.example' })) ?? '', /cannot be trusted/);
  });

  it('signing in at an OAuth vendor stores with the tokens what the vendor gives once for each sign-in', async () => {
    const finished = await finish(await begin('bridged'), { code: 'c' }, 'bridged');
    assert.equal(finished.outcome, 'signed_in');
    if (finished.outcome === 'signed_in')
      assert.deepEqual([finished.tokens.access, finished.tokens.extra], ['at', { key: 'of the bridge' }]);
    assert.deepEqual(
      [sent.at(-1)?.path, sent.at(-1)?.headers],
      ['/keys', { authorization: 'Bearer at' }],
      'the token is that of the exchange',
    );
  });

  it('signing in at an OAuth vendor fails in the words of the vendor, or in our code where the vendor has none that can be trusted', async () => {
    const reasonOf = async (query: Record<string, string>) => {
      const ended = await finish(await begin(), query);
      return ended.outcome === 'failed' ? ended.reason : undefined;
    };
    assert.equal(await reasonOf({ error: 'access_denied' }), 'access_denied');
    for (const query of [
      { error: '<script>' },
      { error: 'access_denied', iss: 'https://evil.example' },
      { iss: ISSUER },
    ])
      assert.equal(await reasonOf(query), 'oauth.denied', JSON.stringify(query));
  });

  it('signing in at an OAuth vendor trusts no answer of another issuer, and none that names a code twice', async () => {
    const before = sent.length;
    const [code, sentence] = await errorOf(finish(await begin(), { code: 'c', iss: 'https://evil.example' }));
    assert.deepEqual(
      [code, sentence],
      ['oauth.denied', 'the response of Vendor cannot be trusted; start again'],
    );
    const page = await begin();
    const query = new URLSearchParams({
      state: page.searchParams.get('state') ?? '',
      code: 'c',
      iss: ISSUER,
    });
    query.append('code', 'another');
    const twice = await vendorOAuth.finish({
      ...{ vendor: 'vendor', query, browser: undefined, isPage: false },
      requireRoom,
    });
    assert.equal(twice.outcome, 'failed');
    assert.equal(sent.length, before, 'no code was exchanged');
  });

  it('signing in at an OAuth vendor ends with a page in the browser alone in which it was begun, and with a code for a program anywhere', async () => {
    const end = async (browser: string | undefined, isPage: boolean) => {
      const query = new URLSearchParams({
        state: (await begin()).searchParams.get('state') ?? '',
        code: 'c',
        iss: ISSUER,
      });
      return (await vendorOAuth.finish({ vendor: 'vendor', query, browser, isPage, requireRoom })).outcome;
    };
    for (const browser of [undefined, 'another'])
      await assert.rejects(end(browser, true), { code: 'oauth.state_invalid' });
    assert.equal(await end('b', true), 'signed_in');
    assert.equal(await end(undefined, false), 'signed_in');
  });

  it('signing in at an OAuth vendor takes a state for its vendor alone, once', async () => {
    const page = await begin();
    await assert.rejects(finish(page, { code: 'c', iss: ISSUER }, 'plain'), { code: 'oauth.state_invalid' });
    await assert.rejects(finish(page, { code: 'c', iss: ISSUER }), { code: 'oauth.state_invalid' });
  });

  it('signing in at an OAuth vendor tells an outage from a refusal', async () => {
    answer = () => {
      throw new HttpFailure('server_error', 'it failed', { status: 503 });
    };
    assert.equal((await errorOf(finish(await begin(), { code: 'c', iss: ISSUER })))[0], 'vendor.unreachable');
    const isToken = () => sent.at(-1)?.form !== undefined;
    answer = () => {
      if (isToken()) return { access_token: 'at', expires_in: 60 };
      throw new HttpFailure('unreachable', 'the connection was reset');
    };
    assert.equal(
      (await errorOf(finish(await begin('bridged'), { code: 'c' }, 'bridged')))[0],
      'vendor.unreachable',
      'also after the exchange',
    );
    answer = () => {
      throw new HttpFailure('refused', 'it refused', { status: 400 });
    };
    assert.equal((await errorOf(finish(await begin(), { code: 'c', iss: ISSUER })))[0], 'oauth.denied');
    answer = () => {
      throw new HttpFailure('refused', 'it refused', { status: 401, body: '{"error":"invalid_client"}' });
    };
    const [code, sentence] = await errorOf(finish(await begin(), { code: 'c', iss: ISSUER }));
    assert.equal(code, 'oauth.not_configured', 'to begin again would not help');
    assert.match(sentence ?? '', /ELNAV_VENDOR_CLIENT_SECRET/);
    answer = () => ({ token_type: 'Bearer' });
    assert.equal(
      (await errorOf(finish(await begin(), { code: 'c', iss: ISSUER })))[0],
      'vendor.answer_invalid',
    );
  });

  it('signing in at an OAuth vendor names every setting that the operator lacks', async () => {
    await assert.rejects(begin('keyed'), {
      code: 'oauth.not_configured',
      message: /ELNAV_KEYED_CLIENT_ID, ELNAV_KEYED_CLIENT_SECRET, ELNAV_KEYED_API_KEY and ELNAV_KEYED_APP$/,
    });
  });

  it('signing in at an OAuth vendor keeps no sign-ins that nobody ended', async () => {
    await begin();
    clock.turn(600_000);
    await begin();
    const kept = await database.queries.selectFrom('oauth_states').select('expires_at').execute();
    assert.deepEqual(
      kept.map(({ expires_at }) => expires_at),
      [clock.now() + 600_000],
    );
  });

  it('signing in at an OAuth vendor knows what is no OAuth vendor', async () => {
    await assert.rejects(begin('typed'), { code: 'oauth.unsupported' });
    await assert.rejects(begin('nobody'), {
      code: 'vendor.unknown',
      message: /vendors with OAuth: vendor, plain, keyed, codeless, bridged/,
    });
  });
});

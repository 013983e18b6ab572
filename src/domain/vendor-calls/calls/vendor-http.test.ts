import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallUse } from '../../../adapter/budget.ts';
import { vendorFailure } from '../../../adapter/failures.ts';
import { type HttpAnswer, HttpFailure, type HttpRequest } from '../../../adapter/http.ts';
import type { Login } from '../../../adapter/login.ts';
import { asLink, createVendorHttp, newTrace, type TokenKeeper } from './vendor-http.ts';

const PAGE: HttpAnswer = {
  status: 200,
  headers: {},
  bytes: Buffer.from('<html>'),
  text: () => '<html>',
  json() {
    throw new HttpFailure('answer_invalid', 'it answered with a page', { status: 200 });
  },
};

function httpOf(send: () => Promise<HttpAnswer>, tokens?: TokenKeeper) {
  return createVendorHttp({
    adapter: { slug: 'tester', name: 'Tester' },
    host: () => ({ send }),
    tokens,
    spend: () => {},
    signal: new AbortController().signal,
  });
}

/** The code that a caller gets of a call of this use that fails so. */
async function codeOf(use: CallUse, failure: HttpFailure): Promise<string> {
  const http = httpOf(() => Promise.reject(failure));
  const error: unknown = await http.send({ path: '/', use }).catch((cause: unknown) => cause);
  return vendorFailure('Tester', error).code;
}

describe('a command that was sent and not answered', () => {
  const broken = [
    new HttpFailure('unreachable', 'the connection broke off'),
    new HttpFailure('timeout', 'it did not answer in time'),
    new HttpFailure('timeout', 'it said so', { status: 408 }),
    new HttpFailure('server_error', 'it failed', { status: 500 }),
    new HttpFailure('server_error', 'it is unreachable', { status: 503, retryAfterSeconds: 60 }),
    new HttpFailure('answer_invalid', 'it does not answer in HTTP'),
  ];

  it('a command that was sent and not answered has an unknown outcome, and is not to be sent again later', async () => {
    for (const failure of broken)
      assert.equal(await codeOf('command', failure), 'command.outcome_unknown', failure.message);
  });

  it('a command that was sent and not answered has one as well where the answer is a page', async () => {
    const answer = await httpOf(async () => PAGE).send({ path: '/', use: 'command' });
    assert.throws(
      () => answer.json(),
      (error) => vendorFailure('Tester', error).code === 'command.outcome_unknown',
    );
  });

  it('a command that was sent and not answered is told from a read, which changes nothing', async () => {
    for (const failure of broken) assert.match(await codeOf('read', failure), /^vendor\./, failure.message);
    const answer = await httpOf(async () => PAGE).send({ path: '/', use: 'read' });
    assert.throws(
      () => answer.json(),
      (error) => vendorFailure('Tester', error).code === 'vendor.answer_invalid',
    );
  });

  it('a command that was sent and not answered is told from one that never left, and from one that was refused', async () => {
    const notSent = new HttpFailure('unreachable', 'nobody listens', { wasSent: false });
    assert.equal(await codeOf('command', notSent), 'vendor.unreachable');
    const waited = new HttpFailure('timeout', 'its turn did not come', { wasSent: false });
    assert.equal(await codeOf('command', waited), 'vendor.timeout');
    const refused = new HttpFailure('refused', 'no', { status: 403 });
    assert.equal(await codeOf('command', refused), 'vendor.refused');
    const limited = new HttpFailure('rate_limited', 'enough', { status: 429 });
    assert.equal(await codeOf('command', limited), 'vendor.rate_limited');
  });
});

it('the client of a vendor counts the errors that the vendor responds with, and neither limits nor what never arrived', async () => {
  const counted: number[] = [];
  const fail = async (kind: 'refused' | 'server_error' | 'rate_limited' | 'unreachable', status?: number) => {
    const http = createVendorHttp({
      adapter: { slug: 'tester', name: 'Tester' },
      host: () => ({ send: () => Promise.reject(new HttpFailure(kind, 'no', { status })) }),
      tokens: undefined,
      spend: () => {},
      failed: () => void counted.push(status ?? 0),
      signal: new AbortController().signal,
    });
    await assert.rejects(http.send({ path: '/' }), HttpFailure);
  };
  await fail('refused', 409);
  await fail('server_error', 504);
  await fail('rate_limited', 429);
  await fail('unreachable');
  assert.deepEqual(counted, [409, 504]);
});

describe('a token', () => {
  it('a token is sent in a header, or in the query where the vendor takes it nowhere else', async () => {
    const sent = async (login: Login | undefined) => {
      const requests: HttpRequest[] = [];
      const current = async () => ({ access: 'a-key', refresh: null, expiresAt: 0 });
      const http = createVendorHttp({
        adapter: { slug: 'tester', name: 'Tester', ...(login === undefined ? {} : { login }) },
        host: () => ({
          async send(request) {
            requests.push(request);
            return PAGE;
          },
        }),
        tokens: { current, renewed: current },
        spend: () => {},
        signal: new AbortController().signal,
      });
      await http.send({ path: '/', query: { fields: 'id' } });
      return requests.map(({ headers, query }) => ({ headers, query }));
    };
    assert.deepEqual(await sent(undefined), [
      { headers: { authorization: 'Bearer a-key' }, query: { fields: 'id' } },
    ]);
    assert.deepEqual(await sent({ query: ({ access }) => ({ apiKey: access }) }), [
      { headers: {}, query: { fields: 'id', apiKey: 'a-key' } },
    ]);
  });
});

describe('what is stored beside the token of a link', () => {
  it('what is stored beside the token of a link is that of the sign-in, and nothing without one', async () => {
    const current = async () => ({ access: 'a', refresh: null, expiresAt: 0, extra: { user: 'anna' } });
    const http = httpOf(async () => PAGE, { current, renewed: current });
    assert.deepEqual(await http.tokenExtra(), { user: 'anna' });
    assert.equal(await httpOf(async () => PAGE).tokenExtra(), undefined);
  });
});

describe("claims of a link's token", () => {
  const claimsOf = (access: string) => {
    const current = async () => ({ access, refresh: null, expiresAt: 0 });
    return httpOf(async () => PAGE, { current, renewed: current }).tokenClaims();
  };

  it("claims of a link's token are those of the token that calls carry, and none without one", async () => {
    assert.deepEqual(await claimsOf(`e30.${Buffer.from('{"sub":"anna"}').toString('base64url')}.x`), {
      sub: 'anna',
    });
    assert.equal(await claimsOf('opaque'), undefined);
    assert.equal(await httpOf(async () => PAGE).tokenClaims(), undefined);
  });
});

describe("the API key of the operator's app", () => {
  const current = async () => ({ access: 'token', refresh: null, expiresAt: 0 });

  async function headersOf(apiKeyHeader: string | undefined, tokens: TokenKeeper | undefined) {
    const sent: (HttpRequest['headers'] | undefined)[] = [];
    const http = createVendorHttp({
      adapter: { slug: 'tester', name: 'Tester', ...(apiKeyHeader === undefined ? {} : { apiKeyHeader }) },
      host: () => ({
        async send({ headers }) {
          sent.push(headers);
          return PAGE;
        },
      }),
      tokens,
      partner: { clientId: 'id', clientSecret: 'secret', apiKey: 'key' },
      spend: () => {},
      signal: new AbortController().signal,
    });
    await http.send({ path: '/' });
    return sent[0];
  }

  it("the API key of the operator's app is in calls with a token, where the vendor requires it", async () => {
    const authorization = 'Bearer token';
    const keeper = { current, renewed: current };
    assert.deepEqual(await headersOf('x-app-key', keeper), { authorization, 'x-app-key': 'key' });
    assert.deepEqual(await headersOf(undefined, keeper), { authorization });
    assert.deepEqual(await headersOf('x-app-key', undefined), {}, 'signing in has its own authentication');
  });
});

describe('a connection of a link', () => {
  it('a connection of a link has its token in the query where the vendor wants it there, and a new one where that is refused', async () => {
    const tokensOf = (access: string) => ({ access, refresh: null, expiresAt: 1 });
    const tokens: TokenKeeper = {
      current: async () => tokensOf('old'),
      renewed: async () => tokensOf('new'),
    };
    const spent: unknown[] = [];
    const made: unknown[] = [];
    const opened = await asLink(
      {
        adapter: { slug: 'tester', name: 'Tester', apiKeyHeader: 'x-app-key' },
        tokens,
        partner: { clientId: 'id', clientSecret: 'secret', apiKey: 'key' },
        spend: (call) => void spent.push([call.use, call.device]),
        trace: newTrace(),
      },
      { path: '/stream', query: { v: '2' }, tokenQuery: 'accessToken', device: 'lift-1' },
      async ({ path, query, headers }, { host }) => {
        made.push({ host, path, query, headers });
        if (made.length === 1) throw new HttpFailure('refused', 'no', { status: 401 });
        return 'opened';
      },
    );
    const expected = { host: 'api', path: '/stream', headers: { 'x-app-key': 'key' } };
    assert.equal(opened, 'opened');
    assert.deepEqual(made, [
      { ...expected, query: { v: '2', accessToken: 'old' } },
      { ...expected, query: { v: '2', accessToken: 'new' } },
    ]);
    assert.deepEqual(spent, [
      ['read', 'lift-1'],
      ['read', 'lift-1'],
    ]);
  });
});

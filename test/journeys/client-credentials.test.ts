import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import Type from 'typebox';
import { type Adapter, kind } from '../../src/adapter/adapter.ts';
import { AppError } from '../../src/core/errors.ts';
import { makeWorld } from '../kit/world.ts';

/** A vendor that accepts only its partners: RFC 6749 §4.4. */
const building = {
  slug: 'building',
  name: 'Building',
  credentials: Type.Object({ site: Type.String({ maxLength: 60 }) }, { additionalProperties: false }),
  hosts: { api: 'https://unused.example' },
  login: {
    needsPartner: true,
    async signIn({ http, clock, partner }) {
      if (partner === undefined)
        throw new AppError('oauth.not_configured', 'the operator must set up Building');
      const answer = await http.send({
        method: 'POST',
        path: '/token',
        use: 'login',
        form: {
          grant_type: 'client_credentials',
          client_id: partner.clientId,
          client_secret: partner.clientSecret,
        },
      });
      const { access_token } = answer.json() as { access_token: string };
      return { access: access_token, refresh: null, expiresAt: clock.now() + 3_600_000 };
    },
  },
  pushes: false,
  pollSeconds: 0,
  async link({ http, credentials }) {
    const answer = await http.send({ path: `/sites/${String(credentials.site)}`, use: 'list' });
    return { vendorAccount: 'one', devices: [{ id: answer.text(), type: 'elevator' }] };
  },
  kinds: {
    elevator: kind<null>({
      read: async () => null,
      status: () => ({ online: true }),
      reads: {},
      controls: {},
    }),
  },
} satisfies Adapter;

it("a vendor is called with the operator's own client, and reports when there is none", async (test) => {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? body}`);
    response.end(request.url === '/token' ? '{"access_token":"of-the-app"}' : 'lift-1');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => server.close());
  const configured = async (connect: string) =>
    ((await (await fetch(`${connect}/vendors`)).json()) as { configured: boolean }[])[0]?.configured;
  const request = { vendor: 'building', user_ref: 'u', credentials: { site: '7' } };

  const bare = await makeWorld({ engine: 'sqlite', adapters: [building] });
  const refused = await (await bare.newAccount()).call('POST', '/link', request);
  assert.deepEqual([refused.status, refused.headers.get('elnav-error')], [502, 'oauth.not_configured']);
  assert.equal(await configured(bare.connect), false);
  await bare.close();

  const world = await makeWorld({
    engine: 'sqlite',
    adapters: [building],
    env: {
      ELNAV_BUILDING_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ELNAV_BUILDING_CLIENT_ID: 'id',
      ELNAV_BUILDING_CLIENT_SECRET: 'secret',
    },
  });
  const linked = await (await world.newAccount()).call('POST', '/link', request);
  assert.equal(linked.status, 200, JSON.stringify(linked.body));
  assert.equal(await configured(world.connect), true);
  await world.close();
  assert.deepEqual(requests, [
    'POST /token grant_type=client_credentials&client_id=id&client_secret=secret',
    'GET /sites/7 Bearer of-the-app',
  ]);
});

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { makePlace, onEachEngine } from '../kit/databases.ts';
import { makeReceiver } from '../kit/receiver.ts';
import {
  callWith,
  envOf,
  openAccount,
  runToEnd,
  type Service,
  startService,
  stopService,
  until,
} from '../kit/service.ts';

const NEW_KEY = `k2:${Buffer.alloc(32, 9).toString('base64')}`;

onEachEngine('vault keys that are rotated', (engine) => {
  it('vault keys that are rotated leave the secrets of subscriptions as they were, and the old key can be dropped', async (test) => {
    const place = await makePlace(engine);
    const receiver = await makeReceiver();
    test.after(async () => {
      await receiver.close();
      await place.remove();
    });
    const env: Record<string, string> = { ...envOf(place), ELNAV_LOCAL_NETWORKS: '127.0.0.0/8' };
    const both = { ...env, ELNAV_VAULT_KEYS: `${NEW_KEY},${env.ELNAV_VAULT_KEYS}` };
    const onlyNew = { ...env, ELNAV_VAULT_KEYS: NEW_KEY };

    let service = await startService({ env });
    const { key } = await openAccount(service.grid);
    const call = callWith(key);
    const made = await call(service.connect, { path: '/subscriptions', body: { url: receiver.url } });
    const { id, secret } = made.body as { id: string; secret: string };
    const rotated = await call(service.connect, { method: 'POST', path: `/subscriptions/${id}/rotate` });
    const secrets = [(rotated.body as { secret: string }).secret, secret];
    /** Links somebody, and verifies all that is posted of it with the secrets from before. */
    const deliversFrom = async ({ connect }: Service, user: string) => {
      receiver.received.length = 0;
      const body = { vendor: 'sandbox', user_ref: user, credentials: { device_types: ['light'] } };
      assert.equal((await call(connect, { path: '/link', body })).status, 200);
      await until(`the events of ${user} are posted`, () =>
        receiver.handled.some(({ type, subject }) => type === 'link.linked' && subject.user_ref === user)
          ? true
          : undefined,
      );
      for (const { headers, body: posted } of receiver.received) {
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${posted}`;
        const expected = secrets.map((one) => {
          const hmacKey = Buffer.from(one.slice('whsec_'.length), 'base64');
          return `v1,${createHmac('sha256', hmacKey).update(signed).digest('base64')}`;
        });
        assert.equal(headers['webhook-signature'], expected.join(' '), user);
      }
    };
    await deliversFrom(service, 'before');

    // Several processes share PostgreSQL; the embedded database has one.
    await stopService(service);
    if (engine === 'postgres') service = await startService({ env: both });
    const rotation = await runToEnd({ bin: 'rotate-vault', env: both });
    assert.equal(rotation.code, 0, rotation.output);
    assert.match(rotation.output, /were sealed again with key k2\.\nThe keys after it can be removed\./);
    const opened = await place.open();
    const entries = await opened.queries
      .selectFrom('audit')
      .selectAll()
      .where('action', '=', 'vault.rotated')
      .execute();
    await opened.close();
    assert.deepEqual(
      entries.map(({ actor, detail_json }) => [actor, (JSON.parse(detail_json) as { key: string }).key]),
      [['command', 'k2']],
    );
    if (engine === 'postgres') {
      await deliversFrom(service, 'meanwhile');
      await stopService(service);
    }

    service = await startService({ env: onlyNew });
    await deliversFrom(service, 'after');
    const tested = await call(service.connect, { method: 'POST', path: `/subscriptions/${id}/test` });
    assert.equal((tested.body as { status: number }).status, 204);
    await stopService(service);
  });
});

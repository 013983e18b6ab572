import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makePlace, onEachEngine } from '../kit/databases.ts';
import { callWith, envOf, openAccount, runToEnd, startService, stopService } from '../kit/service.ts';

const other = (id: string) => `${id}:${Buffer.alloc(32, 9).toString('base64')}`;

onEachEngine('vault keys that do not match the database', (engine) => {
  it('vault keys that do not match the database prevent the start, and change nothing', async () => {
    const place = await makePlace(engine);
    const env = envOf(place);
    const first = await startService({ env });
    const account = await openAccount(first.grid);
    const call = callWith(account.key);
    const body = { vendor: 'sandbox', user_ref: 'anna', credentials: {} };
    assert.equal((await call(first.connect, { path: '/link', body })).status, 200);
    await stopService(first);

    for (const [keys, sentence] of [
      [other('k1'), /^elnav: The vault key k1 is not the one that encrypted .* Restore ELNAV_VAULT_KEYS/],
      [other('k2'), /^elnav: .* that the vault key k1 encrypted, and that key is not given\. Add it again/],
    ] as const) {
      const { code, output } = await runToEnd({ env: { ...env, ELNAV_VAULT_KEYS: keys } });
      assert.equal(code, 1, output);
      assert.match(output, sentence);
      assert.doesNotMatch(output, /\n\s+at /);
    }

    // Keys are rotated by adding a new one in front of the old one.
    const rotated = { ...env, ELNAV_VAULT_KEYS: `${other('k2')},${env.ELNAV_VAULT_KEYS}` };
    const again = await startService({ env: rotated });
    const { body: links } = await call(again.connect, { path: '/links' });
    assert.deepEqual(
      (links as { status: string }[]).map(({ status }) => status),
      ['active'],
    );
    const { body: devices } = await call(again.connect, { path: '/devices' });
    const [device] = devices as { id: string }[];
    assert.equal((await call(again.connect, { path: `/devices/${device?.id}` })).status, 200);
    await stopService(again);
    await place.remove();
  });
});

onEachEngine('an instance whose vault keys differ from those of the others', (engine) => {
  if (engine === 'sqlite') return;
  it('an instance whose vault keys differ from those of the others reports its own fault, and marks no link as lost', async () => {
    const place = await makePlace(engine);
    const env = envOf(place);
    // Both start while nothing is stored that could reveal the difference.
    const [right, wrong] = [
      await startService({ env }),
      await startService({ env: { ...env, ELNAV_VAULT_KEYS: other('k1') } }),
    ];
    const call = callWith((await openAccount(right.grid)).key);
    const body = { vendor: 'sandbox', user_ref: 'anna', credentials: { device_types: ['light'] } };
    const { body: linked } = await call(right.connect, { path: '/link', body });
    const [light] = (linked as { devices: { id: string }[] }).devices;
    const command = { path: `/devices/${light?.id}/command`, body: { type: 'turn_on' } };
    const refused = await call(wrong.connect, command);
    assert.equal(refused.status, 503, JSON.stringify(refused.body));
    assert.equal(refused.headers.get('elnav-error'), 'vault.mismatch');
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.match(JSON.stringify(refused.body), /cannot be decrypted with the vault keys of this server/);
    for (const { connect } of [wrong, right]) {
      const { body: links } = await call(connect, { path: '/links' });
      assert.deepEqual(
        (links as { status: string }[]).map(({ status }) => status),
        ['active'],
      );
    }
    assert.equal((await call(right.connect, command)).status, 200);
    for (const service of [right, wrong]) await stopService(service);
    await place.remove();
  });
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Adapter } from '../../src/adapter/adapter.ts';
import { SIMULATED_FAULTS } from '../../src/adapter/simulator.ts';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { HOUR_MS } from '../../src/core/durations.ts';
import { createLog } from '../../src/core/log.ts';
import { easee } from '../../src/vendors/easee/index.ts';
import { netatmo } from '../../src/vendors/netatmo/index.ts';
import { tesla } from '../../src/vendors/tesla/index.ts';
import { onEachEngine } from '../kit/databases.ts';
import { SERVED_PARTNER, type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

onEachEngine('secrets of vendors', (engine) => {
  const lines: string[] = [];
  const responses: string[] = [];
  /** Passwords, states, codes and sessions that were sent. */
  const travelled = new Set<string>([SERVED_PARTNER.clientSecret]);
  const served = new Map<string, ServedVendor>();
  let clock: TurnedClock;
  let world: World;
  let caller: Caller;

  before(async () => {
    clock = turnedClock();
    const adapters: readonly Adapter[] = [easee, netatmo, tesla];
    for (const adapter of adapters) served.set(adapter.slug, await serveVendor(adapter, clock));
    world = await makeWorld({
      engine,
      clock,
      log: createLog('trace', { write: (line: string) => lines.push(line) }),
      env: Object.assign({}, ...[...served.values()].map(({ env }) => env)),
    });
    caller = await world.newAccount();
    for (const adapter of adapters) await drive(adapter);
  });
  after(async () => {
    await world.close();
    for (const one of served.values()) await one.close();
  });

  /** Advances the time meanwhile, since a vendor that does not respond is waited for. */
  async function timely<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await setTimeout(2);
      clock.turn(100);
    }
    return done;
  }

  async function send(method: string, path: string, body?: unknown) {
    const answer = await timely(caller.call(method, path, body));
    responses.push(JSON.stringify(answer.body), JSON.stringify([...answer.headers]));
    return answer;
  }

  async function browse(url: string, init: RequestInit = {}): Promise<Response> {
    return fetch(url, { redirect: 'manual', ...init });
  }

  /** Links by OAuth, and records every secret that a browser carries. */
  async function codeOf({ slug }: Adapter, vendor: ServedVendor): Promise<string> {
    const begun = await browse(`${world.connect}/oauth/${slug}/authorize`);
    const page = begun.headers.get('location') ?? '';
    travelled.add(new URL(page).searchParams.get('state') ?? 'none');
    const { name, password } = vendor.vendor.user;
    const signedIn = await browse(page, {
      method: 'POST',
      body: new URLSearchParams({ username: name, password }),
    });
    const back = signedIn.headers.get('location') ?? '';
    travelled.add(new URL(back).searchParams.get('code') ?? 'none');
    // A code that is not the vendor's own, then one while the vendor fails.
    const wrong = new URL(
      (await browse(`${world.connect}/oauth/${slug}/authorize`)).headers.get('location') ?? '',
    );
    const guess = new URLSearchParams({
      state: wrong.searchParams.get('state') ?? '',
      code: 'canary-code-991',
    });
    travelled.add('canary-code-991');
    const refused = await browse(`${world.connect}/oauth/${slug}/callback?${guess}`);
    assert.equal(refused.status, 400);
    responses.push(await refused.text());
    const answer = (await (await browse(back)).json()) as { link_code: string };
    travelled.add(answer.link_code);
    return answer.link_code;
  }

  /** Sends secrets through linking, reads and commands, with every fault that a vendor can have. */
  async function drive(adapter: Adapter): Promise<void> {
    const vendor = served.get(adapter.slug);
    assert.ok(vendor !== undefined);
    const credentials =
      adapter.oauth === undefined
        ? vendor.vendor.user.credentials
        : { link_code: await codeOf(adapter, vendor) };
    if (adapter.oauth === undefined) travelled.add(vendor.vendor.user.password);
    const linked = await send('POST', '/link', { vendor: adapter.slug, user_ref: 'u', credentials });
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const [device] = (linked.body as { devices: { id: string }[] }).devices;
    const path = `/devices/${encodeURIComponent(device?.id ?? '')}`;
    for (const fault of SIMULATED_FAULTS) {
      vendor.vendor.fault(fault);
      clock.turn(12 * HOUR_MS);
      await send('GET', path);
      await send('POST', `${path}/command`, { type: 'stop_charge' });
      await send('POST', '/link', { vendor: adapter.slug, user_ref: 'u', credentials });
      vendor.vendor.fault(null);
    }
    assert.ok(vendor.tokens.size >= 2, `${adapter.slug} gave ${vendor.tokens.size} tokens`);
  }

  const secrets = () => [...travelled, ...[...served.values()].flatMap(({ tokens }) => [...tokens])];
  const found = (text: string) => secrets().filter((secret) => text.includes(secret));

  it('secrets of vendors are in no line of the log', () => {
    assert.ok(lines.length > 50, `only ${lines.length} lines`);
    assert.deepEqual(found(lines.join('')), []);
  });

  it('secrets of vendors are in no response', () => {
    const bodies = responses.join('\n');
    assert.match(bodies, /"error"/);
    assert.ok(secrets().length > 15, `only ${secrets().length} secrets`);
    assert.deepEqual(found(bodies), []);
  });

  it('secrets of vendors are in no metric', async () => {
    const text = await (await fetch(`${world.connect}/metrics`)).text();
    assert.match(text, /elnav_vendor_call_seconds/);
    assert.deepEqual(found(text), []);
  });

  it('secrets of vendors are nowhere in the database', async () => {
    if (engine === 'sqlite') {
      const { dataDir } = world.place;
      const text = readdirSync(dataDir)
        .map((name) => readFileSync(join(dataDir, name), 'latin1'))
        .join('\n');
      assert.match(text, /needs_relink/);
      assert.deepEqual(found(text), []);
      return;
    }
    const database = await world.place.open();
    const tables = (await database.queries.introspection.getTables()).filter(
      ({ schema }) => schema === 'public',
    );
    assert.ok(tables.length > 20);
    for (const { name } of tables) {
      const { rows } = await sql`select to_jsonb(t) as row from ${sql.table(name)} t`.execute(
        database.queries,
      );
      assert.deepEqual(found(JSON.stringify(rows)), [], name);
    }
    await database.close();
  });
});

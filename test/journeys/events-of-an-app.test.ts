import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { MINUTE_MS } from '../../src/core/durations.ts';
import type { LoggedEvent } from '../../src/domain/records/events/index.ts';
import { onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

type State = Record<string, unknown>;
interface Item {
  readonly id: string;
  readonly device_type: string;
  readonly state: State | null;
}
interface Page {
  readonly events: readonly LoggedEvent[];
  readonly cursor: string;
}

onEachEngine('an app that keeps a copy from events', (engine) => {
  let clock: TurnedClock;
  let world: World;
  let caller: Caller;
  let car = '';
  before(async () => {
    clock = turnedClock(Date.now());
    world = await makeWorld({ engine, clock });
    caller = await world.newAccount();
    const { devices } = (await ok('POST', '/link', {
      vendor: 'sandbox',
      user_ref: 'anna',
      credentials: { seed: 'copy' },
    })) as { devices: Item[] };
    car = devices.find(({ device_type }) => device_type === 'vehicle')?.id ?? '';
    for (const { id } of devices) await ok('GET', `/devices/${id}`);
  });
  after(() => world.close());

  const ok = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const response = await caller.call(method, path, body, headers);
    assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const conditions = async (body: object) => {
    await ok('POST', `/sandbox/devices/${car}`, body);
    clock.turn(MINUTE_MS);
    await readAndStored();
  };
  /** Reads the car. What is read while the state before is being stored would be one event with it. */
  const readAndStored = async () => {
    const { state } = (await ok('GET', `/devices/${car}`)) as Item;
    await until('it is stored', async () => {
      clock.turn(100);
      const listed = (await ok('GET', '/devices?device_type=vehicle')) as Item[];
      return isDeepStrictEqual(listed[0]?.state, state);
    });
  };
  /** The end of the log, once all that was done before can be read: on PostgreSQL, transactions of other tests hold readers back. */
  const end = async (): Promise<string> => {
    const marked = await caller.call('POST', `/devices/${car}/command`, {
      type: 'set_charge_limit',
      percent: 90,
    });
    assert.equal(marked.status, 200, JSON.stringify(marked.body));
    const id = marked.headers.get('elnav-command-id');
    await until('the marking command can be read', async () => {
      const { events } = (await ok('GET', '/events?order=newest&limit=10')) as Page;
      return events.some(({ data }) => data.command_id === id);
    });
    return ((await ok('GET', '/events?after=latest')) as Page).cursor;
  };
  const since = async (cursor: string) =>
    ((await ok('GET', `/events?after=${cursor}&device=${car}&limit=1000`)) as Page).events;
  /** The types of the events of the car, once there is one of the type that is waited for. */
  const typesUntil = async (cursor: string, type: string): Promise<string[]> => {
    const isThere = async () => {
      // What makes sessions of states runs by this clock.
      clock.turn(100);
      return (await since(cursor)).some((event) => event.type === type);
    };
    await until(`there is a ${type}`, isThere);
    return (await since(cursor)).map((event) => event.type);
  };

  it('an app that keeps a copy from events has what the service has, also of devices that are offline', async () => {
    for (const step of [
      { plugged_in: false },
      { online: false },
      { online: true, plugged_in: true },
      { battery_soc: 40 },
      { online: false },
    ])
      await conditions(step);
    const listed = (await ok('GET', '/devices')) as Item[];
    assert.equal(listed.find(({ id }) => id === car)?.state?.online, false);
    const copy = new Map<string, State>();
    const isWhole = async () => {
      copy.clear();
      const { events } = (await ok('GET', '/events?limit=1000')) as Page;
      for (const { type, subject, data } of events) {
        if (type !== 'device.state_changed') continue;
        const device = String(subject.device);
        const state = copy.get(device) ?? {};
        for (const [field, { to }] of Object.entries(data.changes as Record<string, { to: unknown }>))
          state[field] = to;
        copy.set(device, state);
      }
      return listed.every(({ id, state }) =>
        Object.entries(state ?? {}).every(([field, value]) => (copy.get(id)?.[field] ?? null) === value),
      );
    };
    await until('the copy is what the service lists', isWhole);
    await conditions({ online: true });
  });

  it('an app that keeps a copy from events is told why a device cannot be reached, and since when', async () => {
    const begun = await end();
    await conditions({ online: false });
    await conditions({ online: true });
    await typesUntil(begun, 'device.reachable');
    const lost = (await since(begun)).find(({ type }) => type === 'device.unreachable');
    assert.equal(lost?.data.reason, 'reported');
    assert.ok(Date.parse(String(lost?.data.since)) <= Date.parse(lost?.occurred_at ?? ''));
  });

  it('an app that keeps a copy from events is told of the plug once, and not of a car that comes back as it was', async () => {
    await conditions({ online: true, plugged_in: false });
    const begun = await end();
    await conditions({ online: false });
    await conditions({ online: true });
    await conditions({ plugged_in: true });
    await conditions({ online: false });
    await conditions({ online: true });
    await conditions({ plugged_in: false });
    const types = await typesUntil(begun, 'device.unplugged');
    assert.deepEqual(
      types.filter((type) => type.includes('plugged')),
      ['device.plugged_in', 'device.unplugged'],
    );
  });

  it('an app that keeps a copy from events is told of the charging session of a car, with its energy', async () => {
    const begun = await end();
    await conditions({ plugged_in: true, battery_soc: 40 });
    await ok('POST', `/devices/${car}/command`, { type: 'start_charge' });
    for (let minute = 0; minute < 5; minute += 1) {
      clock.turn(MINUTE_MS);
      await readAndStored();
    }
    await typesUntil(begun, 'charging.session_started');
    await conditions({ plugged_in: false });
    await typesUntil(begun, 'charging.session_completed');
    // The session of an earlier test may be announced as late as now.
    await until('this session is announced', async () => {
      clock.turn(100);
      const page = (await ok('GET', `/devices/${car}/sessions`)) as { sessions: { id: string }[] };
      return (await since(begun)).some(
        ({ type, data }) => type === 'charging.session_completed' && data.session_id === page.sessions[0]?.id,
      );
    });
    const { sessions } = (await ok('GET', `/devices/${car}/sessions`)) as {
      sessions: { id: string; started_at: string; ended_at: string; energy_wh: number }[];
    };
    const [session] = sessions;
    const all = await since(begun);
    const of = (type: string) =>
      all.filter((event) => event.type === type && event.data.session_id === session?.id);
    const [started, ...others] = of('charging.session_started');
    const [completed, ...further] = of('charging.session_completed');
    assert.deepEqual([others, further], [[], []]);
    assert.deepEqual(started?.data, { session_id: session?.id, started_at: session?.started_at });
    const { session_id, ended_at, energy_wh } = completed?.data ?? {};
    assert.deepEqual([session_id, ended_at, energy_wh], [session?.id, session?.ended_at, session?.energy_wh]);
    assert.ok((session?.energy_wh ?? 0) > 500);
  });

  it('an app that keeps a copy from events finds the event of its command, and who sent it', async () => {
    await conditions({ plugged_in: true });
    const begun = await end();
    const command = { type: 'set_charge_limit', percent: 77 };
    const headers = { 'idempotency-key': 'the-limit', 'x-request-id': 'request-of-the-app' };
    const first = await caller.call('POST', `/devices/${car}/command`, command, headers);
    assert.equal(first.status, 200);
    const id = first.headers.get('elnav-command-id');
    assert.ok(id);
    const again = await caller.call('POST', `/devices/${car}/command`, command, headers);
    assert.deepEqual(
      [again.headers.get('idempotent-replayed'), again.headers.get('elnav-command-id')],
      ['true', id],
    );
    const refused = await caller.call('POST', `/devices/${car}/command`, { ...command, percent: 7_000 });
    assert.deepEqual([refused.status >= 400, refused.headers.get('elnav-command-id')], [true, null]);
    await typesUntil(begun, 'command.succeeded');
    const { data } = (await since(begun)).find(({ type }) => type === 'command.succeeded') ?? {};
    assert.equal(data?.command_id, id);
    assert.deepEqual(data?.by, { source: 'api', key_id: caller.keyId, request_id: 'request-of-the-app' });
  });
});

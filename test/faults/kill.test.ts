import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makePlace, onEachEngine, type Place } from '../kit/databases.ts';
import {
  type Call,
  callWith,
  envOf,
  openAccount,
  type Service,
  startService,
  stopService,
} from '../kit/service.ts';
import { until } from '../kit/until.ts';
import type { Answer } from '../kit/world.ts';
import { contradictions, type Found, type Sent } from './history.ts';
import { seeded } from './seeded.ts';

const KILLS = Number(process.env.TEST_KILLS ?? 10);
const CLIENTS = 6;
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 32));

interface Job {
  readonly call: Call;
  readonly history: Sent[];
  readonly round: number;
}

const isAcknowledged = ({ answer }: Sent): boolean => answer?.status === 200;

/** Sends a request and records the response; false when the connection broke. */
async function send({ call, history }: Job, base: string, sent: Sent): Promise<boolean> {
  history.push(sent);
  try {
    const { status, body } = await call(base, requestOf(sent));
    sent.answer = { status, body };
    return true;
  } catch {
    return false;
  }
}

function requestOf({ kind, deviceId, body, key }: Sent) {
  const path = kind === 'link' ? '/link' : `/devices/${deviceId}/command`;
  return { path, body, headers: { 'idempotency-key': key } };
}

/** One client of a round: links a lamp, then changes its colour until the service is gone. */
async function useUntilGone(job: Job, base: string, client: number): Promise<void> {
  const userRef = `user-${job.round}-${client}`;
  const body = { vendor: 'sandbox', user_ref: userRef, credentials: { device_types: ['light'] } };
  const link: Sent = {
    kind: 'link',
    key: `link-${userRef}`,
    userRef,
    deviceId: null,
    body,
    value: null,
    answer: null,
  };
  if (!(await send(job, base, link))) return;
  assert.equal(link.answer?.status, 200);
  const deviceId = (link.answer.body as { devices: { id: string }[] }).devices[0]?.id ?? '';
  for (let turn = 0; ; turn += 1) {
    const color = [job.round, client, turn % 256];
    const sent: Sent = {
      ...link,
      kind: 'command',
      key: `color-${color.join('-')}`,
      deviceId,
      body: { type: 'set_light', color },
      value: color.join(','),
      answer: null,
    };
    if (!(await send(job, base, sent))) return;
  }
}

/** Repeats the requests of a round, each exactly as it was. */
async function replay({ call, history, round }: Job, base: string): Promise<Map<string, Replayed>> {
  const mine = history.filter(({ userRef }) => userRef.startsWith(`user-${round}-`));
  const answers = await Promise.all(
    mine.map(async (sent) => [sent.key, replayed(await call(base, requestOf(sent)))] as const),
  );
  return new Map(answers);
}

type Replayed = Found['replays'] extends ReadonlyMap<string, infer R> ? R : never;

function replayed({ status, body, headers }: Answer): Replayed {
  const isReplay = headers.get('idempotent-replayed') === 'true';
  return { status, body, code: headers.get('elnav-error'), replayed: isReplay };
}

async function valuesNow(call: Call, base: string, history: readonly Sent[]): Promise<Map<string, string>> {
  const ids = new Set(history.flatMap(({ deviceId }) => (deviceId === null ? [] : [deviceId])));
  const read = [...ids].map(async (id) => {
    const { body } = await call(base, { path: `/devices/${id}` });
    const label = (body as { state?: { operation_state?: string } }).state?.operation_state ?? '';
    return [id, /color (\S+)/.exec(label)?.[1] ?? label] as const;
  });
  return new Map(await Promise.all(read));
}

async function commandsInLog(place: Place): Promise<Map<string, number>> {
  const database = await place.open();
  const rows = await database.queries.selectFrom('commands').select('command_json').execute();
  await database.close();
  const runs = new Map<string, number>();
  for (const { command_json } of rows) {
    const value = (JSON.parse(command_json) as { color: number[] }).color.join(',');
    runs.set(value, (runs.get(value) ?? 0) + 1);
  }
  return runs;
}

onEachEngine('kill -9 while clients work', (engine) => {
  it(`kill -9 while clients work loses nothing that was acknowledged, ${KILLS} times (TEST_SEED=${seed})`, async (t) => {
    const random = seeded(seed);
    const place = await makePlace(engine);
    const started: number[] = [];
    const startAgain = async (): Promise<Service> => {
      const service = await startService({ env: envOf(place) });
      started.push(Math.round(service.readyMs));
      return service;
    };
    const history: Sent[] = [];
    const replays = new Map<string, Replayed>();
    let service = await startAgain();
    const call = callWith((await openAccount(service.grid)).key);
    for (let round = 0; round < KILLS; round += 1) {
      const job = { call, history, round };
      const { connect } = service;
      const killed = service;
      const clients = Array.from({ length: CLIENTS }, (_, client) => useUntilGone(job, connect, client));
      // Kills after a number of responses and a moment, so that as much is in progress on a slow machine as on a fast one.
      const enough = history.filter(isAcknowledged).length + 4 + random() * 24;
      await until('enough requests are acknowledged', () => history.filter(isAcknowledged).length >= enough);
      setTimeout(() => killed.signal('SIGKILL'), random() * 20);
      await Promise.all(clients);
      assert.equal((await service.exited).signal, 'SIGKILL');
      service = await startAgain();
      for (const [key, answer] of await replay(job, service.connect)) replays.set(key, answer);
    }

    const values = await valuesNow(call, service.connect, history);
    const links = (await call(service.connect, { path: '/links' })).body as { user_ref: string }[];
    await stopService(service);
    const runs = await commandsInLog(place);
    await place.remove();

    const userRefs = new Set(links.map(({ user_ref }) => user_ref));
    assert.deepEqual(contradictions(history, { userRefs, values, runs, replays }), []);
    const acknowledged = history.filter(isAcknowledged).length;
    const unanswered = history.filter(({ answer }) => answer === null).length;
    started.sort((a, b) => a - b);
    t.diagnostic(
      `${acknowledged} acknowledged, ${unanswered} cut off, ready after ${started[0]}–${started.at(-1)} ms (median ${started[Math.floor(started.length / 2)]})`,
    );
    assert.ok(acknowledged > KILLS * 4, `only ${acknowledged} requests were acknowledged`);
    assert.ok(unanswered > KILLS / 2, `only ${unanswered} requests were cut off`);
  });
});

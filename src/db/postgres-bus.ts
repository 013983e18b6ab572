import { hash } from 'node:crypto';
import pg from 'pg';
import { type Clock, sleep } from '../core/clock.ts';
import { type Random, randomId } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { type Asked, addResponder, type Bus, deliver, type Peer, type Responders, type Wait } from './bus.ts';
import type { Moments } from './moments.ts';
import { clientConfig } from './postgres.ts';

interface BusOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Learns the server's time with every heartbeat. */
  readonly moments: Moments;
}

interface Envelope {
  readonly id: string;
  readonly from: string;
  /** The backend that the sender listens on; older versions do not tell. */
  readonly peer?: number;
  /** `urge` is a `tell` that wants a `done` back. */
  readonly kind: 'tell' | 'urge' | 'ask' | 'done' | 'answer';
  readonly topic: string;
  readonly message: Json;
}

/** PostgreSQL refuses a NOTIFY payload of 8,000 bytes and more; a part is ASCII, so characters are bytes. */
const PART_CHARACTERS = 7_500;
const ACKNOWLEDGED_WITHIN_MS = 2_000;
const HEARTBEAT_MS = 2_000;
/** A connection on which the server is silent for so long is taken for lost. */
const SILENT_MS = 2_000;
/** How often it is looked whether a peer is still there. */
const LOOK_MS = 1_000;
/** The server, too, notices within some seconds that a process is cut off, and does not count it among the others any more. */
const NOTICED_BY_THE_SERVER =
  'set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3';

/** LISTEN and NOTIFY on the database that the processes share, so that no further server is needed for coherence. */
export async function postgresBus(options: BusOptions): Promise<Bus> {
  const bus = new PostgresBus(options);
  await bus.connect();
  return bus;
}

class PostgresBus implements Bus {
  readonly #options: BusOptions;
  readonly #self: string;
  readonly #responders: Responders = new Map();
  readonly #gaps: (() => void)[] = [];
  readonly #parts = new Map<string, string[]>();
  /** Open publishAndWait and request calls by message id. */
  readonly #waiting = new Map<string, (envelope: Envelope) => void>();
  /** What ends questions when the connection is lost. */
  readonly #cutOff = new Set<() => void>();
  /** What could not be sent yet: called when there is a connection again. */
  #whenBack: (() => void)[] = [];
  #client: pg.Client | undefined;
  /** The backend that this process listens on, or did before the connection was lost. */
  #peer: number | undefined;
  #peerSince = '';
  #channel = '';
  #closed = false;

  constructor(options: BusOptions) {
    this.#options = options;
    this.#self = randomId(options.random);
  }

  get live(): boolean {
    return this.#client !== undefined;
  }

  on(topic: string, responder: (message: Json) => Promise<Json | undefined> | Json | undefined): void {
    addResponder(this.#responders, topic, responder);
  }

  onGap(forget: () => void): void {
    this.#gaps.push(forget);
  }

  /** Listens; a lost connection makes the bus not live, tells of the gap, and is made anew until it holds. */
  async connect(): Promise<void> {
    const { url, clock, log } = this.#options;
    const probe = new pg.Client(clientConfig(url, 'elnav'));
    probe.on('error', () => {});
    await probe.connect();
    const { rows } = await probe.query<{ place: string }>(
      "select current_database() || '.' || current_schema() as place",
    );
    await probe.end();
    this.#channel = `elnav_${hash('sha256', rows[0]?.place ?? '', 'hex').slice(0, 16)}`;

    // The name is how publishAndWait counts who is listening.
    const client = new pg.Client(clientConfig(url, this.#channel));
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('the connection ended')));
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    try {
      await client.connect();
      await client.query(NOTICED_BY_THE_SERVER);
      await client.query(`listen ${this.#channel}`);
      await this.#learnTime(client);
      await this.#introduce(client);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    if (this.#closed) {
      await client.end();
      return;
    }
    this.#client = client;
    const beat = () => {
      if (this.#client !== client) return;
      this.#learnTime(client).then(
        () => clock.after(HEARTBEAT_MS, beat),
        (error: unknown) => this.#lost(client, error),
      );
    };
    clock.after(HEARTBEAT_MS, beat);
    log.debug({ channel: this.#channel }, 'listening to the other processes');
  }

  /** Learns who this process is to the others. Who it was before, on a connection that was lost, is waited for by nobody. */
  async #introduce(client: pg.Client): Promise<void> {
    const before = [this.#peer, this.#peerSince];
    const { rows } = await client.query<{ pid: number; since: string }>(
      'select pid, backend_start::text as since from pg_stat_activity where pid = pg_backend_pid()',
    );
    this.#peer = rows[0]?.pid;
    this.#peerSince = rows[0]?.since ?? '';
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_start::text = $2',
      before,
    );
  }

  /** Asks what the server's clock shows; fails where it is silent for longer than a heartbeat may be. */
  async #learnTime(client: pg.Client): Promise<void> {
    // The types of the driver leave out that a query may have a timeout of its own.
    const question: pg.QueryConfig & { readonly query_timeout: number } = {
      text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
      query_timeout: SILENT_MS,
    };
    const { clock, moments } = this.#options;
    const askedAt = clock.now();
    const { rows } = await client.query<{ now: number }>(question);
    const now = rows[0]?.now;
    if (now !== undefined) moments.learn(now, askedAt);
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
    this.#options.log.warn(
      { err: error },
      'the connection to the other processes was lost; memory is not trusted until it is back',
    );
    client.end().catch(() => {});
    for (const end of this.#cutOff) end();
    for (const forget of this.#gaps) forget();
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let attempt = 0; !this.#closed; attempt += 1) {
      await sleep(this.#options.clock, Math.min(100 * 2 ** attempt, 3_000));
      try {
        await this.connect();
        for (const forget of this.#gaps) forget();
        const waiting = this.#whenBack;
        this.#whenBack = [];
        for (const go of waiting) go();
        return;
      } catch (error) {
        this.#options.log.debug({ err: error }, 'still no connection to the other processes');
      }
    }
  }

  async publish(topic: string, message: Json): Promise<void> {
    await deliver(this.#responders, topic, message);
    const sent = this.#surely((client) => this.#send(client, this.#envelope('tell', topic, message)));
    if (this.live) await this.#patiently(sent);
  }

  async publishAndWait(topic: string, message: Json): Promise<readonly Peer[]> {
    await deliver(this.#responders, topic, message);
    // Until they are counted it is not known who they are.
    let silent = new Set<Peer>([undefined]);
    await this.#patiently(
      this.#surely(async (client) => {
        const { rows } = await client.query<{ pid: number }>(
          'select pid from pg_stat_activity where application_name = $1 and datname = current_database() and pid <> pg_backend_pid()',
          [this.#channel],
        );
        silent = new Set(rows.map(({ pid }) => pid));
        if (silent.size === 0) return;
        const envelope = this.#envelope('urge', topic, message);
        const acknowledged = this.#collect(envelope.id, ACKNOWLEDGED_WITHIN_MS, ({ peer }) => {
          silent.delete(peer ?? [...silent][0]);
          return silent.size === 0;
        });
        await this.#send(client, envelope);
        await acknowledged;
      }),
    );
    return [...silent];
  }

  /** Does it now, or again as soon as there is a connection: what is stored must not stay untold. */
  async #surely(work: (client: pg.Client) => Promise<void>): Promise<void> {
    while (!this.#closed) {
      const client = this.#client;
      if (client === undefined) {
        await new Promise<void>((resolve) => this.#whenBack.push(resolve));
        continue;
      }
      try {
        await work(client);
        return;
      } catch (error) {
        this.#lost(client, error);
      }
    }
  }

  async #patiently(work: Promise<void>): Promise<void> {
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#options.clock.after(ACKNOWLEDGED_WITHIN_MS, resolve);
    });
    await Promise.race([work, late]);
    cancel();
  }

  #envelope(kind: Envelope['kind'], topic: string, message: Json): Envelope {
    return { ...this.#sender(), id: randomId(this.#options.random), kind, topic, message };
  }

  #sender(): Pick<Envelope, 'from' | 'peer'> {
    return { from: this.#self, ...(this.#peer === undefined ? {} : { peer: this.#peer }) };
  }

  async request(topic: string, message: Json, { timeoutMs, peer }: Wait): Promise<Asked> {
    const client = this.#client;
    if (client === undefined) return { state: 'lost', isSent: false };
    const question = this.#envelope('ask', topic, message);
    return new Promise((resolve) => {
      let cancelLook = () => {};
      const end = (asked: Asked) => {
        cancel();
        cancelLook();
        this.#waiting.delete(question.id);
        this.#cutOff.delete(lost);
        resolve(asked);
      };
      const lost = () => end({ state: 'lost', isSent: true });
      const cancel = this.#options.clock.after(timeoutMs, () => end({ state: 'silent' }));
      const lookAgain = () => {
        cancelLook = this.#options.clock.after(LOOK_MS, () => {
          this.#isThere(client, peer).then(
            (isThere) => (isThere ? this.#waiting.has(question.id) && lookAgain() : end({ state: 'gone' })),
            (error: unknown) => this.#lost(client, error),
          );
        });
      };
      this.#waiting.set(question.id, (answer) =>
        end({ state: 'answered', message: answer.message, peer: answer.peer }),
      );
      this.#cutOff.add(lost);
      if (peer !== undefined) lookAgain();
      this.#send(client, question).catch((error: unknown) => this.#lost(client, error));
    });
  }

  async #isThere(client: pg.Client, peer: Peer): Promise<boolean> {
    const { rows } = await client.query(
      'select 1 from pg_stat_activity where pid = $1 and application_name = $2',
      [peer, this.#channel],
    );
    return rows.length > 0;
  }

  #collect(id: string, timeoutMs: number, last: (envelope: Envelope) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#waiting.delete(id);
        resolve();
      };
      const cancel = this.#options.clock.after(timeoutMs, end);
      this.#waiting.set(id, (envelope) => {
        if (last(envelope)) end();
      });
    });
  }

  /** What nobody waits for any more when the connection is lost. */
  async #notify(envelope: Envelope): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    await this.#send(client, envelope).catch((error: unknown) => this.#lost(client, error));
  }

  async #send(client: pg.Client, envelope: Envelope): Promise<void> {
    const text = asciiJson(envelope);
    const count = Math.ceil(text.length / PART_CHARACTERS);
    const part = randomId(this.#options.random).slice(0, 12);
    for (let index = 0; index < count; index += 1) {
      const slice = text.slice(index * PART_CHARACTERS, (index + 1) * PART_CHARACTERS);
      await client.query('select pg_notify($1, $2)', [this.#channel, `${part} ${index} ${count} ${slice}`]);
    }
  }

  #receive(payload: string): void {
    const [part = '', index = '', count = ''] = payload.split(' ', 3);
    const text = payload.slice(part.length + index.length + count.length + 3);
    if (count === '1') {
      this.#handle(text);
      return;
    }
    const parts = this.#parts.get(part) ?? [];
    parts[Number(index)] = text;
    this.#parts.set(part, parts);
    if (parts.filter((slice) => slice !== undefined).length < Number(count)) return;
    this.#parts.delete(part);
    this.#handle(parts.join(''));
  }

  #handle(text: string): void {
    const envelope = JSON.parse(text) as Envelope;
    if (envelope.from === this.#self) return;
    const { id, kind, topic, message } = envelope;
    if (kind === 'done' || kind === 'answer') {
      this.#waiting.get(id)?.(envelope);
      return;
    }
    deliver(this.#responders, topic, message)
      .then((answer) => {
        const reply = { ...this.#sender(), id, topic };
        if (kind === 'urge') return this.#notify({ ...reply, kind: 'done', message: null });
        if (kind === 'ask' && answer !== undefined)
          return this.#notify({ ...reply, kind: 'answer', message: answer });
        return undefined;
      })
      .catch((error: unknown) =>
        this.#options.log.error({ err: error, topic }, 'a message of another process failed'),
      );
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const end of this.#cutOff) end();
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }
}

/** JSON with every character beyond ASCII escaped, so that it can be cut anywhere. */
function asciiJson(value: Envelope): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

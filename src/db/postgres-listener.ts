import { hash } from 'node:crypto';
import pg from 'pg';
import type { Clock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { type Random, randomId } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import { createLoop, type Loop } from '../core/loop.ts';
import type { Peer } from './bus.ts';
import type { Moments } from './moments.ts';
import { clientConfig, READS_ONLY, READS_ONLY_SENTENCE } from './postgres.ts';

export interface ListenerOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Updated with the server's time at every heartbeat. */
  readonly moments: Moments;
  /** Sends a notification over another connection than the one that listens. */
  notify(channel: string, text: string): Promise<void>;
}

interface ListenerEvents {
  /** A text from any process, including this one. */
  heard(text: string): void;
  /** The connection was lost: texts are missed from now on. */
  lost(): void;
  /** The connection is back. */
  back(): void;
}

/** PostgreSQL refuses a NOTIFY payload of 8,000 bytes or more; a part is ASCII, so characters are bytes. */
const PART_CHARACTERS = 7_500;
const HEARTBEAT_MS = 2_000;
/** What was notified before is there after a query; where it is not, it is asked for once more, so long after. */
const ASKED_AGAIN_SECONDS = 0.5;
/** A connection on which the server does not respond for this long is treated as lost. */
const SILENT_MS = 2_000;
const FIRST_RETRY_MS = 100;
const MOST_RETRY_MS = 3_000;
/** The server, too, notices a lost connection within seconds, and then no longer counts its process. */
const NOTICED_BY_THE_SERVER =
  'set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3';

/**
 * The connection on which this process listens to the others, and sends them ASCII texts of any length. After a lost connection it
 * retries until it is connected.
 */
export class PostgresListener {
  readonly #options: ListenerOptions;
  readonly #events: ListenerEvents;
  readonly #parts = new Map<string, string[]>();
  /** Work that waits for a connection. */
  #whenBack: (() => void)[] = [];
  readonly #reconnecting: Loop;
  #heartbeat: Loop | undefined;
  #echoes: Loop | undefined;
  /** Where only this connection listens. */
  #ownChannel = '';
  #lastEcho = '';
  #lostBecause: string | undefined;
  #client: pg.Client | undefined;
  #peer: number | undefined;
  #peerSince = '';
  #channel = '';
  /** Queries by connection: a connection of the driver takes one at a time. */
  readonly #queries = new WeakMap<pg.Client, Promise<unknown>>();
  /** Parts of texts that wait for their turn: they are sent by one statement, and so by one commit. */
  readonly #unsent = new WeakMap<pg.Client, { readonly parts: string[]; readonly sent: Promise<void> }>();

  constructor(options: ListenerOptions, events: ListenerEvents) {
    this.#options = options;
    this.#events = events;
    this.#reconnecting = createLoop({
      clock: options.clock,
      run: () => this.#reconnect(),
      retryMs: (failures) => Math.min(FIRST_RETRY_MS * 2 ** failures, MOST_RETRY_MS),
      failed: (error) => options.log.debug({ err: error }, 'still no connection to the other processes'),
    });
  }

  /** Undefined while there is no connection. */
  get client(): pg.Client | undefined {
    return this.#client;
  }

  /** The backend on which this process listens, or did before the connection was lost. */
  get peer(): Peer {
    return this.#peer;
  }

  /** Why there is no connection, where the operator can do something. */
  get lostBecause(): string | undefined {
    return this.#lostBecause;
  }

  get #isClosed(): boolean {
    return this.#reconnecting.isClosed;
  }

  /** Starts to listen. */
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

    // publishAndWait counts listeners by this name.
    const client = new pg.Client(clientConfig(url, this.#channel));
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client, new Error('the connection ended')));
    const ownChannel = `${this.#channel}_${randomId(this.#options.random).slice(0, 16)}`;
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === ownChannel) this.#lastEcho = payload;
      else this.#receive(payload);
    });
    try {
      await client.connect();
      await this.#query(client, NOTICED_BY_THE_SERVER);
      await this.#learnTime(client);
      await this.#query(client, `listen ${this.#channel}`);
      await this.#query(client, `listen "${ownChannel}"`);
      this.#ownChannel = ownChannel;
      await this.#hearItself(client);
      await this.#introduce(client);
    } catch (error) {
      client.end().catch(() => {});
      this.#lostBecause = reasonOf(error);
      throw error;
    }
    if (this.#isClosed) {
      await client.end();
      return;
    }
    this.#client = client;
    this.#lostBecause = undefined;
    const every = (run: () => Promise<void>) => {
      const failed = (error: unknown) => this.lost(client, error);
      const loop = createLoop({ clock, run, everyMs: HEARTBEAT_MS, failed });
      loop.wake(HEARTBEAT_MS);
      return loop;
    };
    this.#heartbeat = every(() => this.#learnTime(client));
    this.#echoes = every(() => this.#hearItself(client));
    log.debug({ channel: this.#channel }, 'listening to the other processes');
  }

  /** Reads this process's backend pid, and ends its previous backend, so that no peer waits for it. */
  async #introduce(client: pg.Client): Promise<void> {
    const before = [this.#peer, this.#peerSince];
    const { rows } = await this.#query<{ pid: number; since: string }>(
      client,
      'select pid, backend_start::text as since from pg_stat_activity where pid = pg_backend_pid()',
    );
    this.#peer = rows[0]?.pid;
    this.#peerSince = rows[0]?.since ?? '';
    await this.#query(
      client,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and backend_start::text = $2',
      before,
    );
  }

  /**
   * Checks that what others notify arrives here. A pooler that lends a connection for a transaction at a time takes LISTEN, and drops
   * what is notified between two transactions: nothing else fails then, and caches keep what others have revoked.
   */
  async #hearItself(client: pg.Client): Promise<void> {
    const text = randomId(this.#options.random);
    try {
      await this.#options.notify(this.#ownChannel, text);
    } catch {
      // That says nothing of the connection that listens: all others may be in use.
      return;
    }
    // The server passes on what it has been notified of before it responds.
    await this.#query(client, 'select 1');
    if (this.#lastEcho === text) return;
    await this.#query(client, 'select pg_sleep($1)', [ASKED_AGAIN_SECONDS]);
    if (this.#lastEcho !== text)
      throw new OperatorError(
        'PostgreSQL is reached through a pooler in transaction mode, which drops LISTEN: connect directly, or with a pooler in session mode',
      );
  }

  /** Reads the server's clock. Throws an `OperatorError` where the server does not take writes. */
  #learnTime(client: pg.Client): Promise<void> {
    const { clock, moments } = this.#options;
    return this.#inTurn(client, async () => {
      const askedAt = clock.now();
      const { rows } = await client.query<{ now: number; reads_only: boolean }>(
        timed(
          `select (extract(epoch from clock_timestamp()) * 1000)::bigint as now, ${READS_ONLY} as reads_only`,
        ),
      );
      const [row] = rows;
      if (row?.reads_only === true) throw new OperatorError(READS_ONLY_SENTENCE);
      if (row !== undefined) moments.learn(row.now, askedAt);
    });
  }

  /** Fails when the server does not respond within the limit for heartbeats. */
  #query<R extends pg.QueryResultRow>(
    client: pg.Client,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<pg.QueryResult<R>> {
    return this.#inTurn(client, () => client.query<R>(timed(text, values)));
  }

  /** Does the work after all that was asked of the connection before. */
  #inTurn<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
    const turn = (this.#queries.get(client) ?? Promise.resolve()).then(work);
    this.#queries.set(
      client,
      turn.catch(() => {}),
    );
    return turn;
  }

  /** Gives up a failed connection, and opens another. */
  lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client || this.#isClosed) return;
    this.#client = undefined;
    this.#lostBecause = reasonOf(error);
    void this.#heartbeat?.close();
    void this.#echoes?.close();
    this.#options.log.warn(
      { err: error },
      'the connection to the other processes was lost; memory is not trusted until it is back',
    );
    client.end().catch(() => {});
    this.#events.lost();
    this.#reconnecting.wake(FIRST_RETRY_MS);
  }

  async #reconnect(): Promise<void> {
    await this.connect();
    this.#events.back();
    const waiting = this.#whenBack;
    this.#whenBack = [];
    for (const go of waiting) go();
  }

  /** Runs `work` now, or again after each reconnect: changes that are stored must reach the other processes. */
  async surely(work: (client: pg.Client) => Promise<void>): Promise<void> {
    while (!this.#isClosed) {
      const client = this.#client;
      if (client === undefined) {
        await new Promise<void>((resolve) => this.#whenBack.push(resolve));
        continue;
      }
      try {
        await work(client);
        return;
      } catch (error) {
        this.lost(client, error);
      }
    }
  }

  /** Processes that listen, without this one. */
  async others(client: pg.Client): Promise<Set<Peer>> {
    const { rows } = await this.#query<{ pid: number }>(
      client,
      'select pid from pg_stat_activity where application_name = $1 and datname = current_database() and pid <> pg_backend_pid()',
      [this.#channel],
    );
    return new Set(rows.map(({ pid }) => pid));
  }

  async isThere(client: pg.Client, peer: Peer): Promise<boolean> {
    const { rows } = await this.#query(
      client,
      'select 1 from pg_stat_activity where pid = $1 and application_name = $2',
      [peer, this.#channel],
    );
    return rows.length > 0;
  }

  /** Sends an ASCII text to every process. */
  send(client: pg.Client, text: string): Promise<void> {
    const parts = this.#partsOf(text);
    const waiting = this.#unsent.get(client);
    if (waiting !== undefined) {
      waiting.parts.push(...parts);
      return waiting.sent;
    }
    const sent = this.#inTurn(client, async () => {
      this.#unsent.delete(client);
      const notify = 'select pg_notify($1, part) from unnest($2::text[]) as part';
      await client.query(timed(notify, [this.#channel, parts]));
    });
    this.#unsent.set(client, { parts, sent });
    return sent;
  }

  #partsOf(text: string): string[] {
    const count = Math.ceil(text.length / PART_CHARACTERS);
    const id = randomId(this.#options.random).slice(0, 12);
    return Array.from({ length: count }, (_, index) => {
      const slice = text.slice(index * PART_CHARACTERS, (index + 1) * PART_CHARACTERS);
      return `${id} ${index} ${count} ${slice}`;
    });
  }

  #receive(payload: string): void {
    const [part = '', index = '', count = ''] = payload.split(' ', 3);
    const text = payload.slice(part.length + index.length + count.length + 3);
    if (count === '1') {
      this.#events.heard(text);
      return;
    }
    const parts = this.#parts.get(part) ?? [];
    parts[Number(index)] = text;
    this.#parts.set(part, parts);
    if (parts.filter((slice) => slice !== undefined).length < Number(count)) return;
    this.#parts.delete(part);
    this.#events.heard(parts.join(''));
  }

  async close(): Promise<void> {
    // A connection that is being opened ends itself.
    void this.#reconnecting.close();
    void this.#heartbeat?.close();
    void this.#echoes?.close();
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }
}

/** Sentences for operators say what to do; other errors only that the connection is lost. */
const reasonOf = (error: unknown): string | undefined =>
  error instanceof OperatorError ? error.message : undefined;

/** A query with the limit for heartbeats. The driver's types lack the timeout of a single query. */
function timed(
  text: string,
  values: readonly unknown[] = [],
): pg.QueryConfig & { readonly query_timeout: number } {
  return { text, values: [...values], query_timeout: SILENT_MS };
}

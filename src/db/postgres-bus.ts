import type pg from 'pg';
import { randomId } from '../core/ids.ts';
import type { Json } from '../core/json.ts';
import {
  addResponder,
  type Bus,
  deliver,
  type Peer,
  type QuestionResult,
  type Responders,
  type Wait,
} from './bus.ts';
import { type ListenerOptions, PostgresListener } from './postgres-listener.ts';

interface Envelope {
  readonly id: string;
  readonly from: string;
  /** The backend on which the sender listens; older versions do not send it. */
  readonly peer?: number;
  /** `urge` is a `tell` that expects a `done`. */
  readonly kind: 'tell' | 'urge' | 'ask' | 'done' | 'answer';
  readonly topic: string;
  readonly message: Json;
}

const ACKNOWLEDGED_WITHIN_MS = 2_000;
/** How often a peer is checked. */
const CHECK_MS = 1_000;

/** Uses LISTEN and NOTIFY on the shared database, so that coherence needs no further server. */
export async function postgresBus(options: ListenerOptions): Promise<Bus> {
  const bus = new PostgresBus(options);
  await bus.connect();
  return bus;
}

class PostgresBus implements Bus {
  readonly #options: ListenerOptions;
  readonly #listener: PostgresListener;
  readonly #self: string;
  readonly #responders: Responders = new Map();
  readonly #gaps: (() => void)[] = [];
  /** Pending publishAndWait and request calls by message id. */
  readonly #waiting = new Map<string, (envelope: Envelope) => void>();
  /** Ends pending questions when the connection is lost. */
  readonly #cutOff = new Set<() => void>();

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#self = randomId(options.random);
    const forget = () => {
      for (const each of this.#gaps) each();
    };
    this.#listener = new PostgresListener(options, {
      heard: (text) => this.#handle(text),
      lost: () => {
        for (const end of this.#cutOff) end();
        forget();
      },
      back: forget,
    });
  }

  connect(): Promise<void> {
    return this.#listener.connect();
  }

  get live(): boolean {
    return this.#listener.client !== undefined;
  }

  get lostBecause(): string | undefined {
    return this.#listener.lostBecause;
  }

  on(topic: string, responder: (message: Json) => Promise<Json | undefined> | Json | undefined): void {
    addResponder(this.#responders, topic, responder);
  }

  onGap(forget: () => void): void {
    this.#gaps.push(forget);
  }

  async publish(topic: string, message: Json): Promise<void> {
    await deliver(this.#responders, topic, message);
    const sent = this.#listener.surely((client) =>
      this.#send(client, this.#envelope('tell', topic, message)),
    );
    if (this.live) await this.#atMostFor(sent);
  }

  async publishAndWait(topic: string, message: Json): Promise<readonly Peer[]> {
    await deliver(this.#responders, topic, message);
    // Until the listeners are counted they are unknown.
    let silent = new Set<Peer>([undefined]);
    await this.#atMostFor(
      this.#listener.surely(async (client) => {
        silent = await this.#listener.others(client);
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

  async #atMostFor(work: Promise<void>): Promise<void> {
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
    return { from: this.#self, ...(this.#listener.peer === undefined ? {} : { peer: this.#listener.peer }) };
  }

  async request(topic: string, message: Json, { timeoutMs, peer }: Wait): Promise<QuestionResult> {
    const client = this.#listener.client;
    if (client === undefined) return { state: 'lost', isSent: false };
    const question = this.#envelope('ask', topic, message);
    return new Promise((resolve) => {
      let cancelCheck = () => {};
      const end = (asked: QuestionResult) => {
        cancel();
        cancelCheck();
        this.#waiting.delete(question.id);
        this.#cutOff.delete(lost);
        resolve(asked);
      };
      const lost = () => end({ state: 'lost', isSent: true });
      const cancel = this.#options.clock.after(timeoutMs, () => end({ state: 'silent' }));
      const checkAgain = () => {
        cancelCheck = this.#options.clock.after(CHECK_MS, () => {
          this.#listener.isThere(client, peer).then(
            (isThere) => (isThere ? this.#waiting.has(question.id) && checkAgain() : end({ state: 'gone' })),
            (error: unknown) => this.#listener.lost(client, error),
          );
        });
      };
      this.#waiting.set(question.id, (answer) =>
        end({ state: 'answered', message: answer.message, peer: answer.peer }),
      );
      this.#cutOff.add(lost);
      if (peer !== undefined) checkAgain();
      this.#send(client, question)
        .then(async () => {
          // Only processes that listened by then can respond.
          if (!this.#waiting.has(question.id) || peer !== undefined) return;
          if ((await this.#listener.others(client)).size === 0) end({ state: 'silent' });
        })
        .catch((error: unknown) => this.#listener.lost(client, error));
    });
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

  /** Sends a response; it is dropped when the connection is lost, since nobody waits for it then. */
  async #notify(envelope: Envelope): Promise<void> {
    const client = this.#listener.client;
    if (client === undefined) return;
    await this.#send(client, envelope).catch((error: unknown) => this.#listener.lost(client, error));
  }

  #send(client: pg.Client, envelope: Envelope): Promise<void> {
    return this.#listener.send(client, asciiJson(envelope));
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
    for (const end of this.#cutOff) end();
    await this.#listener.close();
  }
}

/** JSON with non-ASCII characters escaped, so that it can be split anywhere. */
function asciiJson(value: Envelope): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

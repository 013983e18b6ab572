import type { Duplex } from 'node:stream';
import { type IPublishPacket, MqttClient } from 'mqtt';
import type { Broker, MqttMessage, MqttRequest, Publication } from '../../adapter/connections.ts';
import { outcomeUnknown } from '../../adapter/failures.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { Inbox } from '../inbox.ts';
import { lost, type Named, notUnderstoodAt, refusesSignIn, timedOut } from './failures.ts';
import { type LargeMessages, MqttFrames, type SkippedMessage } from './mqtt-frames.ts';
import type { Channel } from './pool.ts';

/** Whether a topic is one that the filter of a subscription names (MQTT 3.1.1, section 4.7). */
export function matchesTopic(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const given = topic.split('/');
  // What begins with $ is the broker's own, and no wildcard means it.
  if (topic.startsWith('$') && (wanted[0] === '#' || wanted[0] === '+')) return false;
  for (const [at, part] of wanted.entries()) {
    if (part === '#') return true;
    if (at >= given.length || (part !== '+' && part !== given[at])) return false;
  }
  return wanted.length === given.length;
}

/** A test of topics against many filters: a link may have thousands of topics, and few filters with a wildcard. */
export function topicsIn(filters: readonly string[]): (topic: string) => boolean {
  const plain = new Set(filters);
  const wild = filters.filter((filter) => /[+#]/.test(filter));
  return (topic) => plain.has(topic) || wild.some((filter) => matchesTopic(filter, topic));
}

const KEEP_ALIVE_SECONDS = 30;
const ACKNOWLEDGED_WITHIN_MS = 5_000;
const REPLY_WITHIN_MS = 10_000;
/** CONNACK: a bad user name or password, and not authorised. */
const SIGN_IN_REFUSED = new Set([4, 5]);

interface Listener {
  readonly topics: readonly string[];
  readonly hasTopic: (topic: string) => boolean;
  readonly inbox: Inbox<MqttMessage>;
  readonly heard: () => void;
}

/** What one piece of work over a connection may take, and who is told that it is sent. */
export interface Sending {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly sent: () => void;
}

/** One connection to an MQTT broker, with everybody who listens over it. */
export class MqttChannel implements Channel {
  readonly #client: MqttClient;
  readonly #socket: Duplex;
  readonly #named: Named;
  readonly #listeners = new Set<Listener>();
  /** What is being unsubscribed: some brokers take a subscription that follows at once for the older of the two. */
  #leaving: Promise<unknown> = Promise.resolve();
  /** Aborted, with the failure as its reason, once the connection is gone. */
  readonly #gone = new AbortController();

  /** Signs in over a connection that has been dialled. */
  static async open(
    socket: Duplex,
    {
      broker,
      clientId,
      named,
      large,
      signal,
    }: { broker: Broker; clientId: string; named: Named; large: LargeMessages; signal: AbortSignal },
  ): Promise<MqttChannel> {
    const channel = new MqttChannel(socket, { broker, clientId, named, large });
    const opened = Promise.withResolvers<void>();
    const giveUp = () => opened.reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    channel.#client.once('connect', () => opened.resolve());
    channel.#gone.signal.addEventListener('abort', () => opened.reject(channel.#gone.signal.reason));
    try {
      await opened.promise;
      return channel;
    } catch (error) {
      channel.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  private constructor(
    socket: Duplex,
    {
      broker,
      clientId,
      named,
      large,
    }: { broker: Broker; clientId: string; named: Named; large: LargeMessages },
  ) {
    this.#socket = socket;
    this.#named = named;
    const { username, password } = broker;
    const frames = new MqttFrames(socket, {
      large,
      skipped: (message) => this.#miss(message),
      failed: () => this.#fail(notUnderstoodAt(named, 'sent a message that is too large')),
    });
    this.#client = new MqttClient(() => frames, {
      protocolVersion: 4,
      clean: true,
      clientId,
      keepalive: KEEP_ALIVE_SECONDS,
      // What is lost is opened again when it is needed.
      reconnectPeriod: 0,
      queueQoSZero: false,
      timerVariant: 'native',
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
    });
    socket.on('data', () => {
      for (const { heard } of this.#listeners) heard();
    });
    this.#client.on('message', (topic, payload, packet) => this.#take(topic, payload, packet));
    this.#client.on('error', (error) => {
      const code: unknown = 'code' in error ? error.code : undefined;
      this.#fail(
        typeof code === 'number' && SIGN_IN_REFUSED.has(code) ? refusesSignIn(named, broker) : lost(named),
      );
    });
    this.#client.on('close', () => this.#fail(lost(named)));
  }

  get isAlive(): boolean {
    return !this.#gone.signal.aborted;
  }

  onClosed(tell: () => void): void {
    if (this.isAlive) this.#gone.signal.addEventListener('abort', tell, { once: true });
    else tell();
  }

  close(): void {
    this.#fail(lost(this.#named));
  }

  #fail(failure: AppError): void {
    if (!this.isAlive) return;
    this.#gone.abort(failure);
    for (const { inbox } of this.#listeners) inbox.end(failure);
    this.#client.end(true);
    this.#socket.destroy();
  }

  #take(topic: string, payload: Buffer, { retain }: IPublishPacket): void {
    const message: MqttMessage = { topic, payload, isRetained: retain, text: () => payload.toString() };
    for (const { hasTopic, inbox } of this.#listeners) if (hasTopic(topic)) inbox.push(message);
  }

  #miss({ topic, bytes: skippedBytes, isRetained }: SkippedMessage): void {
    const payload = new Uint8Array();
    const message: MqttMessage = { topic, payload, isRetained, skippedBytes, text: () => '' };
    for (const { hasTopic, inbox } of this.#listeners) if (hasTopic(topic)) inbox.push(message);
  }

  /** Settles as the work does, unless the connection is lost, the time is over or the caller gives up before. */
  async #within<T>(
    work: Promise<T>,
    { signal, clock }: Pick<Sending, 'signal' | 'clock'>,
    ms: number,
  ): Promise<T> {
    const over = Promise.withResolvers<never>();
    const giveUp = () => over.reject(timedOut(this.#named));
    const cancel = clock.after(ms, giveUp);
    const gone = this.#gone.signal;
    const lose = () => over.reject(gone.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    gone.addEventListener('abort', lose, { once: true });
    if (gone.aborted) lose();
    if (signal.aborted) giveUp();
    try {
      return await Promise.race([work, over.promise]);
    } catch (error) {
      if (error instanceof AppError) throw error;
      // The library's words may hold what was sent.
      const { name, address } = this.#named;
      throw gone.aborted ? gone.reason : new AppError('vendor.refused', `${name} at ${address} refused it`);
    } finally {
      cancel();
      signal.removeEventListener('abort', giveUp);
      gone.removeEventListener('abort', lose);
    }
  }

  /** Subscribes; the messages are taken in until the inbox ends. */
  async listen(
    topics: readonly string[],
    { signal, clock, heard }: Pick<Sending, 'signal' | 'clock'> & { readonly heard: () => void },
  ): Promise<Inbox<MqttMessage>> {
    const listener: Listener = {
      topics,
      hasTopic: topicsIn(topics),
      heard,
      inbox: new Inbox(({ payload }) => payload.length),
    };
    const { inbox } = listener;
    const stop = () => inbox.end();
    signal.addEventListener('abort', stop, { once: true });
    this.#listeners.add(listener);
    void inbox.ended.then(() => {
      signal.removeEventListener('abort', stop);
      this.#listeners.delete(listener);
      this.#leave(topics);
    });
    try {
      const subscribed = this.#leaving.then(() => this.#client.subscribeAsync([...topics], { qos: 1 }));
      await this.#within(subscribed, { signal, clock }, ACKNOWLEDGED_WITHIN_MS);
      return inbox;
    } catch (error) {
      inbox.end();
      throw error;
    }
  }

  #leave(topics: readonly string[]): void {
    if (!this.isAlive) return;
    const others = new Set([...this.#listeners].flatMap((listener) => listener.topics));
    const unwanted = topics.filter((topic) => !others.has(topic));
    // That it failed is told by the connection, if at all.
    if (unwanted.length === 0) return;
    const left = this.#client.unsubscribeAsync(unwanted).catch(() => {});
    this.#leaving = Promise.all([this.#leaving, left]);
  }

  async publish({ topic, payload, isRetained = false, use }: Publication, sending: Sending): Promise<void> {
    if (sending.signal.aborted) throw timedOut(this.#named);
    sending.sent();
    const bytes = typeof payload === 'string' ? payload : Buffer.from(payload);
    const published = this.#client.publishAsync(topic, bytes, { qos: 1, retain: isRetained });
    await this.#within(published, sending, ACKNOWLEDGED_WITHIN_MS).catch((error: AppError) => {
      throw use === 'command' ? outcomeUnknown(this.#named.name, error) : error;
    });
  }

  async request(request: MqttRequest, sending: Sending): Promise<MqttMessage> {
    const { replyTopic, isReply, use, timeoutMs = REPLY_WITHIN_MS } = request;
    const { signal, clock } = sending;
    const replies = await this.listen([replyTopic], { signal, clock, heard: () => {} });
    try {
      await this.publish(request, sending);
      const reply = (async () => {
        for await (const message of replies) if (!message.isRetained && isReply(message)) return message;
        throw timedOut(this.#named);
      })();
      return await this.#within(reply, sending, timeoutMs).catch((error: AppError) => {
        throw use === 'command' ? outcomeUnknown(this.#named.name, error) : error;
      });
    } finally {
      replies.end();
    }
  }
}

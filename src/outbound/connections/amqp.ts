import type { Duplex } from 'node:stream';
import rhea, { type Connection, type EventContext, type Receiver } from 'rhea';
import type { AmqpMessage, Broker } from '../../adapter/connections.ts';
import { AppError } from '../../core/errors.ts';
import { Inbox } from '../inbox.ts';
import { lost, type Named, notUnderstoodAt, refusesSignIn, timedOut } from './failures.ts';
import { amqpLength, limitFrames } from './frame-meter.ts';
import type { Channel } from './pool.ts';

/** The broker sends something at least as often, or is treated as dead. */
const IDLE_MS = 60_000;
const MOST_FRAME_BYTES = 64 * 1024;
/** Messages that a broker may send before the first is accepted. */
const CREDIT = 20;
/** Of what came since a message was whole: one that is made of ever more frames has no end. */
const MOST_UNFINISHED_BYTES = 4 * 1024 * 1024;

interface Arrived {
  readonly message: AmqpMessage;
  readonly size: number;
  readonly taken: () => void;
}

/** One connection to a broker that speaks AMQP 1.0. */
export class AmqpChannel implements Channel {
  readonly #socket: Duplex;
  readonly #named: Named;
  readonly #connection: Connection;
  readonly #inboxes = new Set<Inbox<Arrived>>();
  readonly #heard = new Set<() => void>();
  /** Aborted, with the failure as its reason, once the connection is gone. */
  readonly #gone = new AbortController();
  #unfinished = 0;

  /** Signs in over a connection that has been dialled. */
  static async open(
    socket: Duplex,
    { broker, named, signal }: { broker: Broker; named: Named; signal: AbortSignal },
  ): Promise<AmqpChannel> {
    const channel = new AmqpChannel(socket, { broker, named });
    const opened = Promise.withResolvers<void>();
    const giveUp = () => opened.reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    channel.#connection.once('connection_open', () => opened.resolve());
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

  private constructor(socket: Duplex, { broker, named }: { broker: Broker; named: Named }) {
    this.#socket = socket;
    this.#named = named;
    const { host, port, username, password } = broker;
    limitFrames(socket, amqpLength, () =>
      this.#fail(notUnderstoodAt(named, 'sent a frame that is too large')),
    );
    socket.on('data', (chunk: Buffer) => {
      for (const heard of this.#heard) heard();
      this.#unfinished += chunk.length;
      if (this.#unfinished > MOST_UNFINISHED_BYTES)
        this.#fail(notUnderstoodAt(named, 'sent a message that is too large'));
    });
    const container = rhea.create_container();
    // Whatever happens to its connections is told by them.
    container.on('error', () => {});
    this.#connection = container.connect({
      connection_details: () => ({
        host,
        port,
        connect(_port: number, _host: string, _options: unknown, connected: () => void) {
          process.nextTick(connected);
          return socket;
        },
      }),
      host,
      port,
      hostname: host,
      reconnect: false,
      idle_time_out: IDLE_MS,
      max_frame_size: MOST_FRAME_BYTES,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
    });
    const connection = this.#connection;
    connection.on('connection_error', ({ error }: EventContext) => this.#fail(this.#refusal(error, broker)));
    connection.on('connection_close', () => this.#fail(lost(named)));
    connection.on('disconnected', () => this.#fail(lost(named)));
    connection.on('protocol_error', () => this.#fail(notUnderstoodAt(named, 'did not respond in AMQP 1.0')));
    connection.on('error', () => this.#fail(lost(named)));
    connection.on('session_error', () => this.#fail(lost(named)));
    socket.on('close', () => this.#fail(lost(named)));
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
    for (const inbox of this.#inboxes) inbox.end(failure);
    if (this.#socket.writable && !this.#socket.readableEnded) this.#connection.close();
    // What it says of the end goes out before; with an error, as the library clears its timers for nothing less.
    setImmediate(() => this.#socket.destroy(new Error('the connection is closed')));
  }

  /** By the condition alone: what the broker writes besides may hold anything. */
  #refusal(error: unknown, broker: Broker): AppError {
    const condition = conditionOf(error);
    if (condition === 'amqp:unauthorized-access') return refusesSignIn(this.#named, broker);
    return condition === 'amqp:connection:forced' ? lost(this.#named) : this.#refused(condition);
  }

  #refused(condition: string): AppError {
    const { name, address } = this.#named;
    return new AppError('vendor.refused', `${name} at ${address} refused it (${condition})`);
  }

  /** Attaches to an address of the broker; messages are taken in until the inbox ends. */
  async listen(
    address: string,
    { signal, heard }: { readonly signal: AbortSignal; readonly heard: () => void },
  ): Promise<{ readonly ended: Promise<void>; readonly messages: AsyncIterable<AmqpMessage> }> {
    if (!this.isAlive) throw this.#gone.signal.reason;
    const inbox = new Inbox<Arrived>(({ size }) => size);
    const stop = () => inbox.end();
    const receiver: Receiver = this.#connection.open_receiver({
      source: { address },
      credit_window: 0,
      autoaccept: false,
    });
    const attached = Promise.withResolvers<void>();
    const detached = (failure: AppError) => {
      attached.reject(failure);
      inbox.end(failure);
    };
    receiver.on('receiver_open', () => {
      // A broker that knows no such address attaches to nothing, and says why in the detach that follows.
      if (receiver.source?.address != null) attached.resolve();
    });
    receiver.on('receiver_error', () => detached(this.#refused(conditionOf(receiver.error))));
    receiver.on('receiver_close', () => detached(lost(this.#named)));
    receiver.on('message', (context) => this.#take(context, receiver, inbox));
    signal.addEventListener('abort', stop, { once: true });
    this.#inboxes.add(inbox);
    this.#heard.add(heard);
    void inbox.ended.then(() => {
      signal.removeEventListener('abort', stop);
      attached.reject(this.isAlive ? timedOut(this.#named) : this.#gone.signal.reason);
      this.#inboxes.delete(inbox);
      this.#heard.delete(heard);
      if (this.isAlive) receiver.close();
    });
    if (signal.aborted) stop();
    await attached.promise;
    receiver.add_credit(CREDIT);
    return { ended: inbox.ended, messages: inTurn(inbox) };
  }

  #take({ message, delivery }: EventContext, receiver: Receiver, inbox: Inbox<Arrived>): void {
    this.#unfinished = 0;
    const text = textOf(message?.body);
    const id = message?.message_id;
    inbox.push({
      message: { id: id === undefined ? undefined : String(id), text: () => text },
      size: text.length,
      taken: () => {
        if (!this.isAlive) return;
        delivery?.accept();
        receiver.add_credit(1);
      },
    });
  }
}

/** A message is accepted when the next one is requested: a reader that fails has not accepted it. */
async function* inTurn(inbox: Inbox<Arrived>): AsyncGenerator<AmqpMessage> {
  for await (const { message, taken } of inbox) {
    yield message;
    taken();
  }
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  // A data section, of which there may be several.
  if (isSection(body)) return [body.content].flat().map(textOf).join('');
  return JSON.stringify(body) ?? '';
}

const isSection = (body: unknown): body is { readonly content: unknown } =>
  typeof body === 'object' && body !== null && 'typecode' in body && 'content' in body;

function conditionOf(error: unknown): string {
  const condition =
    typeof error === 'object' && error !== null && 'condition' in error ? error.condition : '';
  return typeof condition === 'string' && /^[a-z][a-z0-9:._-]{1,60}$/i.test(condition)
    ? condition
    : 'unknown error';
}

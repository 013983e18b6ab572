import type { Json } from '../core/json.ts';

/** Answers a message; undefined means "not mine". */
export type Responder = (message: Json) => Promise<Json | undefined> | Json | undefined;

/** A process as the others see it: the PostgreSQL backend of its bus, by its process id; `undefined` is one that cannot be told. */
export type Peer = number | undefined;

export interface Wait {
  readonly timeoutMs: number;
  /** Who is asked: that it is gone is noticed within about a second. */
  readonly peer?: Peer;
}

/**
 * What becomes of a question. `silent`: nobody answered in time. `gone`: the peer that was asked is. `lost`: this process is
 * cut off from the others; `isSent` when they may have got the question all the same.
 */
export type Asked<A = Json> =
  | { readonly state: 'answered'; readonly message: A; readonly peer: Peer }
  | { readonly state: 'silent' }
  | { readonly state: 'gone' }
  | { readonly state: 'lost'; readonly isSent: boolean };

/**
 * Messages between the processes that share a database: what one changes, the others drop from their memory.
 * On the embedded database there is one process, and the bus is a plain call.
 */
export interface Bus {
  /** False while messages may be missed: what is cached must then not be trusted. */
  readonly live: boolean;
  /** Tells every process, this one included; does not wait for the others. */
  publish(topic: string, message: Json): Promise<void>;
  /** Tells every process and resolves when each has acted on it, or after two seconds; answers who had not by then. */
  publishAndWait(topic: string, message: Json): Promise<readonly Peer[]>;
  /** Asks the other processes; resolves with the first answer, or with why there is none. */
  request(topic: string, message: Json, wait: Wait): Promise<Asked>;
  on(topic: string, responder: Responder): void;
  /** Called when messages may have been missed. */
  onGap(forget: () => void): void;
  close(): Promise<void>;
}

export type Responders = Map<string, Responder[]>;

export function addResponder(responders: Responders, topic: string, responder: Responder): void {
  responders.set(topic, [...(responders.get(topic) ?? []), responder]);
}

/** Hands a message to this process; the first answer that is not undefined counts. */
export async function deliver(
  responders: Responders,
  topic: string,
  message: Json,
): Promise<Json | undefined> {
  let answer: Json | undefined;
  for (const responder of responders.get(topic) ?? []) {
    const reply = await responder(message);
    if (answer === undefined) answer = reply;
  }
  return answer;
}

/** The bus of a single process. */
export function localBus(): Bus {
  const responders: Responders = new Map();
  const publish = async (topic: string, message: Json) => {
    await deliver(responders, topic, message);
  };
  return {
    live: true,
    publish,
    // There is nobody else to wait for, or to ask.
    publishAndWait: async (topic, message) => {
      await publish(topic, message);
      return [];
    },
    request: async () => ({ state: 'silent' }),
    on: (topic, responder) => addResponder(responders, topic, responder),
    onGap: () => {},
    close: async () => {},
  };
}

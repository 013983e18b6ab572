import type { Json } from '../core/json.ts';

/** Responds to a message; undefined means "not mine". */
type Responder = (message: Json) => Promise<Json | undefined> | Json | undefined;

/** Another process, by the PostgreSQL backend pid of its bus; `undefined`: unknown. */
export type Peer = number | undefined;

export interface Wait {
  readonly timeoutMs: number;
  /** The process that should respond; its end is noticed within about a second. */
  readonly peer?: Peer;
}

/**
 * The result of a question. `silent`: no response in time, or no other process. `gone`: the peer has ended. `lost`: this process is disconnected from the
 * others; `isSent` when they may have received the question.
 */
export type QuestionResult<A = Json> =
  | { readonly state: 'answered'; readonly message: A; readonly peer: Peer }
  | { readonly state: 'silent' }
  | { readonly state: 'gone' }
  | { readonly state: 'lost'; readonly isSent: boolean };

/**
 * Messages between the processes that share a database, such as changes that invalidate their caches.
 * With the embedded database there is one process, and the bus is a function call.
 */
export interface Bus {
  /** False while messages may be missed: caches must then not be trusted. */
  readonly live: boolean;
  /** Why it is not live, where the operator can do something. */
  readonly lostBecause: string | undefined;
  /** Sends to every process, including this one, without waiting for the others. */
  publish(topic: string, message: Json): Promise<void>;
  /** Sends to every process and resolves when all have acted on it, or after two seconds; returns the peers that had not. */
  publishAndWait(topic: string, message: Json): Promise<readonly Peer[]>;
  /** Asks the other processes; resolves with the first response, or with the reason why there is none. */
  request(topic: string, message: Json, wait: Wait): Promise<QuestionResult>;
  on(topic: string, responder: Responder): void;
  /** Called when messages may have been missed. */
  onGap(forget: () => void): void;
  close(): Promise<void>;
}

export type Responders = Map<string, Responder[]>;

export function addResponder(responders: Responders, topic: string, responder: Responder): void {
  responders.set(topic, [...(responders.get(topic) ?? []), responder]);
}

/** Delivers a message to this process; the first response that is not undefined counts. */
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
    lostBecause: undefined,
    publish,
    // There is no other process.
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

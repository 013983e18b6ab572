import type { Json } from '../core/json.ts';

/** Answers a message; undefined means "not mine". */
export type Responder = (message: Json) => Promise<Json | undefined> | Json | undefined;

/**
 * Messages between the processes that share a database: what one changes, the others drop from their memory.
 * On the embedded database there is one process, and the bus is a plain call.
 */
export interface Bus {
  /** False while messages may be missed: what is cached must then not be trusted. */
  readonly live: boolean;
  /** Tells every process, this one included; does not wait for the others. */
  publish(topic: string, message: Json): Promise<void>;
  /** Tells every process and resolves when each has acted on it (or has been silent for two seconds). */
  publishAndWait(topic: string, message: Json): Promise<void>;
  /** Asks the other processes; resolves with the first answer, or undefined after `timeoutMs` without any. */
  request(topic: string, message: Json, timeoutMs: number): Promise<Json | undefined>;
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
    publishAndWait: publish,
    // There is nobody else to ask.
    request: async () => undefined,
    on: (topic, responder) => addResponder(responders, topic, responder),
    onGap: () => {},
    close: async () => {},
  };
}

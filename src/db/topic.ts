import type { Json } from '../core/json.ts';
import type { Bus, Peer, QuestionResult, Wait } from './bus.ts';

/** Messages of one name between the processes of a database. A message consists of JSON values. */
export interface Topic<M> {
  publish(bus: Bus, message: M): Promise<void>;
  publishAndWait(bus: Bus, message: M): Promise<readonly Peer[]>;
  /** Handles messages from any process, including this one. */
  on(bus: Bus, act: (message: M) => unknown): void;
}

/** Questions of one name between the processes, and their responses; both consist of JSON values. */
export interface Question<M, A> {
  ask(bus: Bus, message: M, wait: Wait): Promise<QuestionResult<A>>;
  /** Responds to the others; undefined leaves it to another process. */
  answer(bus: Bus, respond: (message: M) => Promise<A | undefined> | A | undefined): void;
}

// A name has one type of message, and senders are checked against that type, so received messages have it.

export function topic<M>(name: string): Topic<M> {
  return {
    publish: (bus, message) => bus.publish(name, message as unknown as Json),
    publishAndWait: (bus, message) => bus.publishAndWait(name, message as unknown as Json),
    on: (bus, act) =>
      bus.on(name, async (message) => {
        await act(message as unknown as M);
        return undefined;
      }),
  };
}

export function question<M, A>(name: string): Question<M, A> {
  return {
    ask: (bus, message, wait) =>
      bus.request(name, message as unknown as Json, wait) as Promise<QuestionResult<A>>,
    answer: (bus, respond) =>
      bus.on(name, async (message) => (await respond(message as unknown as M)) as Json | undefined),
  };
}

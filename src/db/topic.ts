import type { Json } from '../core/json.ts';
import type { Asked, Bus, Peer, Wait } from './bus.ts';

/** What the processes of a database tell each other under one name. A message is made of what JSON holds. */
export interface Topic<M> {
  publish(bus: Bus, message: M): Promise<void>;
  publishAndWait(bus: Bus, message: M): Promise<readonly Peer[]>;
  /** Acts on what any process tells, this one included. */
  on(bus: Bus, act: (message: M) => unknown): void;
}

/** What a process asks the others under one name, and what one of them answers; both are made of what JSON holds. */
export interface Question<M, A> {
  ask(bus: Bus, message: M, wait: Wait): Promise<Asked<A>>;
  /** Answers the others; undefined leaves it to another process. */
  answer(bus: Bus, respond: (message: M) => Promise<A | undefined> | A | undefined): void;
}

// A name has one type of message, and whoever sends under it is checked against that type: what arrives is of it.

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
    ask: (bus, message, wait) => bus.request(name, message as unknown as Json, wait) as Promise<Asked<A>>,
    answer: (bus, respond) =>
      bus.on(name, async (message) => (await respond(message as unknown as M)) as Json | undefined),
  };
}

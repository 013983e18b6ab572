import type { LoggedEvent } from '../../src/domain/records/events/index.ts';
import type { SubscriptionKey } from '../../src/domain/records/subscriptions/index.ts';
import type { Core, CoreWorld } from './core-world.ts';
import type { Receiver } from './receiver.ts';
import { until } from './until.ts';

let written = 0;

/** Writes so many events of devices in turn, each about a user of its own; answers the users, in the order of the log. */
export async function writeEvents(
  { database }: Pick<Core, 'database'>,
  account: number,
  { count, devices = ['a', 'b'] }: { readonly count: number; readonly devices?: readonly string[] },
): Promise<string[]> {
  const names: string[] = [];
  for (let made = 0; made < count; made += 1) {
    written += 1;
    const userRef = `user ${written}`;
    names.push(userRef);
    const event = {
      ...{ account, type: 'device.reachable', link: null, device: devices[made % devices.length] ?? '' },
      ...{ userRef, occurredAt: written, data: {} },
    };
    await database.transaction((inside) => database.events.append(inside, [event]));
  }
  return names;
}

export const usersOf = (events: readonly LoggedEvent[]): unknown[] =>
  events.filter(({ type }) => type !== 'subscription.paused').map(({ subject }) => subject.user_ref);

/** Turns the clock until something is so, as attempts are hours apart. */
export const turnUntil = (
  { clock }: Pick<CoreWorld, 'clock'>,
  what: string,
  { ms, holds }: { readonly ms: number; readonly holds: () => boolean | Promise<boolean> },
): Promise<void> =>
  until(what, async () => {
    if (await holds()) return true;
    clock.turn(ms);
    return false;
  });

/** The attempts to deliver to a subscription that fails. */
export function attemptsOf(
  { clock, subscriptions }: Pick<CoreWorld, 'clock' | 'subscriptions'>,
  key: SubscriptionKey,
) {
  const failed = (failures: number) =>
    until(
      `${failures} deliveries have failed`,
      async () => (await subscriptions.find(key)).failures >= failures,
    );
  /** To the moment of the next one. */
  async function turnToNext(): Promise<void> {
    const { next_attempt_at: next } = await subscriptions.find(key);
    if (next !== null) clock.turn(Math.max(0, Date.parse(next) - clock.now()));
  }
  return {
    failed,
    turnToNext,
    /** Has the next one fail. */
    async next(): Promise<void> {
      const { failures } = await subscriptions.find(key);
      await turnToNext();
      await failed(failures + 1);
    },
    /** Turns to each next attempt until one fails for such a reason. */
    failsWith: (reason: RegExp) =>
      until(`an attempt fails with ${reason}`, async () => {
        if (reason.test((await subscriptions.attempts(key))[0]?.error ?? '')) return true;
        await turnToNext();
        return false;
      }),
    /** Turns to each next attempt until so many events are handled, and that is stored. */
    succeeds: ({ handled }: Pick<Receiver, 'handled'>, events: number) =>
      until(`${events} events are handled`, async () => {
        // Before the cursor is read, which moves afterwards.
        const isHandled = handled.length >= events;
        const { failures, lag_seconds: lag } = await subscriptions.find(key);
        if (isHandled && failures === 0 && lag === 0) return true;
        await turnToNext();
        return false;
      }),
  };
}

import type { Clock } from '../../core/clock.ts';
import type { MqttConnection, MqttMessage } from '../connections.ts';

interface Gathering {
  readonly topics: readonly string[];
  readonly withinMs: number;
  /** Called once the subscription stands: to ask devices for what they would not tell by themselves. */
  readonly subscribed?: () => Promise<unknown>;
  /** Takes a message; true when it is enough. */
  readonly take: (message: MqttMessage) => boolean;
}

/**
 * Takes messages until it is enough, or the time is over: a read of devices that are not asked but tell.
 * @returns whether it was enough
 */
export async function gather(
  { clock }: { readonly clock: Clock },
  broker: MqttConnection,
  { topics, withinMs, subscribed, take }: Gathering,
): Promise<boolean> {
  const over = new AbortController();
  const cancel = clock.after(withinMs, () => over.abort());
  try {
    const messages = await broker.messages(topics, { signal: over.signal });
    await subscribed?.();
    for await (const message of messages) if (take(message)) return true;
    return false;
  } finally {
    cancel();
    // Where asking failed nobody takes the messages.
    over.abort();
  }
}

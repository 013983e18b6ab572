import { createHmac } from 'node:crypto';
import type { SimulatorOptions } from '../../adapter/simulator.ts';
import type { JsonObject } from '../../core/json.ts';

interface Subscription {
  url: string | null;
  failures: number;
  /** Nothing is posted before this, ms since 1970. */
  bannedUntil: number;
}

const MOST_FAILURES = 5;
const BAN_MS = 24 * 3_600_000;
/** A delivery leaves within so long of its event, so one can overtake another. */
const MOST_DELAY_MS = 3_000;
/** One in so many deliveries is posted twice. */
const TWICE_IN = 4;

/**
 * Posts what happens to whoever subscribed, signed with the client secret: sometimes twice, sometimes out of order, and after
 * failures in a row not at all for a day. Without a client secret nothing can be signed, and nothing is posted.
 */
export function createSimulatedWebhooks({ clock, random, partner, post }: SimulatorOptions) {
  const subscriptions = new Map<string, Subscription>();

  const byte = () => random(1)[0] ?? 0;

  async function deliver(userId: string, body: string): Promise<void> {
    const subscription = subscriptions.get(userId);
    if (subscription === undefined || subscription.url === null) return;
    if (post === undefined || partner === undefined || subscription.bannedUntil > clock.now()) return;
    const signature = createHmac('sha256', partner.clientSecret).update(body).digest('hex');
    try {
      await post(subscription.url, {
        body,
        headers: { 'content-type': 'application/json', 'x-netatmo-secret': signature },
      });
      subscription.failures = 0;
    } catch {
      subscription.failures += 1;
      if (subscription.failures < MOST_FAILURES) return;
      subscription.failures = 0;
      subscription.bannedUntil = clock.now() + BAN_MS;
    }
  }

  function tell(userId: string, event: JsonObject): void {
    const body = JSON.stringify({
      user_id: userId,
      user: { id: userId, email: 'simulated@example.com' },
      ...event,
    });
    const times = byte() % TWICE_IN === 0 ? 2 : 1;
    for (let sent = 0; sent < times; sent += 1)
      clock.after((byte() / 255) * MOST_DELAY_MS, () => void deliver(userId, body));
  }

  return {
    /** Something changed; it is posted soon. */
    tell,

    subscribe(userId: string, url: string): void {
      const known = subscriptions.get(userId);
      subscriptions.set(userId, { url, failures: 0, bannedUntil: known?.bannedUntil ?? 0 });
      tell(userId, { push_type: 'webhook_activation' });
    },

    unsubscribe(userId: string): void {
      const known = subscriptions.get(userId);
      if (known !== undefined) known.url = null;
    },
  };
}

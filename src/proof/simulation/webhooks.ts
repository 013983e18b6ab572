import { isIPv4 } from 'node:net';
import type { Post, SimulatorOptions } from '../../adapter/simulator.ts';
import type { JsonObject } from '../../core/json.ts';

const TIMEOUT_MS = 5_000;

/** Whether an address leads to this machine alone. A name that is not `localhost` may lead anywhere, whatever it is called. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}

/**
 * Posts a simulator's webhooks, to this machine alone: the address comes from the subscriber, and a simulator that
 * posted to any would be a way into other networks. Throws when it was not taken within five seconds.
 */
export const postToLoopback: Post = async (url, { body, headers }) => {
  if (!isLoopback(url)) throw new Error('a simulator posts to this machine alone');
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`it answered ${answer.status}`);
};

interface Subscription {
  readonly url: string;
  failures: number;
}

interface WebhookOptions {
  /** The headers that show who posts a body, made with the secret. */
  readonly sign: (body: string, secret: string) => Readonly<Record<string, string>>;
  /** Which of `Partner.more` is the secret; the client secret unless it is said. */
  readonly secret?: string;
  /** After so many failures in a row nothing is posted to a user's address for so long; for ever unless it is said. */
  readonly ban?: { readonly failures: number; readonly ms: number };
}

/** A delivery leaves within so long of its event, so that one can overtake another. */
const MOST_DELAY_MS = 3_000;
/** One in so many deliveries is posted twice. */
const TWICE_IN = 4;

/**
 * Posts what happens to the one address that each user of the app is subscribed with: some of it twice, some out of order. Without a
 * client secret nothing can be signed, and nothing is posted.
 */
export function simulatedWebhooks(
  { clock, random, partner, post }: SimulatorOptions,
  { sign, secret: field, ban }: WebhookOptions,
) {
  const subscriptions = new Map<string, Subscription>();
  /** Until when, ms since 1970. */
  const banned = new Map<string, number>();
  const byte = () => random(1)[0] ?? 0;

  async function deliver(user: string, body: string): Promise<void> {
    const subscription = subscriptions.get(user);
    const secret = field === undefined ? partner?.clientSecret : partner?.more?.[field];
    if (subscription === undefined || post === undefined || secret === undefined) return;
    if ((banned.get(user) ?? 0) > clock.now()) return;
    const headers = { 'content-type': 'application/json', ...sign(body, secret) };
    try {
      await post(subscription.url, { body, headers });
      subscription.failures = 0;
    } catch {
      subscription.failures += 1;
      if (ban === undefined || subscription.failures < ban.failures) return;
      subscription.failures = 0;
      banned.set(user, clock.now() + ban.ms);
    }
  }

  return {
    /** Something happened; it is posted soon. */
    post(user: string, event: JsonObject): void {
      const body = JSON.stringify(event);
      const times = byte() % TWICE_IN === 0 ? 2 : 1;
      for (let sent = 0; sent < times; sent += 1)
        clock.after((byte() / 255) * MOST_DELAY_MS, () => void deliver(user, body));
    },

    /** False for what is no address. A ban outlives a new subscription. */
    subscribe(user: string, url: unknown): boolean {
      if (typeof url !== 'string' || !URL.canParse(url)) return false;
      subscriptions.set(user, { url, failures: 0 });
      return true;
    },

    unsubscribe: (user: string): void => void subscriptions.delete(user),
  };
}

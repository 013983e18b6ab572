import { isIPv4 } from 'node:net';
import type { Post } from '../adapter/simulator.ts';

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

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { DeviceState } from '../../../adapter/device.ts';
import type { Delivery, DeviceChange, Webhook } from '../../../adapter/webhook.ts';
import type { Json, JsonObject } from '../../../core/json.ts';

/** What `openCore` has as the secret of every partner. */
const SECRET = 'a-secret-of-the-tests';

/** What the vendor of these tests posts: an id of its own, and a list of what it tells. */
export interface Post {
  readonly id?: string;
  readonly told: readonly DeviceChange[];
}

const signatureOf = (body: Uint8Array): Buffer => createHmac('sha256', SECRET).update(body).digest();

const pushes = {
  trust: 'signed',
  verify({ body, headers }, secret) {
    const sent = Buffer.from(headers['x-signature'] ?? '', 'hex');
    const right = createHmac('sha256', secret).update(body).digest();
    return sent.length === right.length && timingSafeEqual(sent, right);
  },
  idOf: (_delivery, body) => (body as JsonObject).id as string | undefined,
  read: (body) => (body as unknown as Post).told,
} satisfies Webhook;

/** The adapter with webhooks. */
export const pushing = (adapter: Adapter, changed: Partial<Webhook> = {}): Adapter => ({
  ...adapter,
  pushes: true,
  webhook: { ...pushes, ...changed },
});

export function signed(body: Uint8Array | Json, receivedAt: number): Delivery {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
  return { body: bytes, headers: { 'x-signature': signatureOf(bytes).toString('hex') }, receivedAt };
}

/** A delivery that tells a device's state. */
export const news = (id: string, told: { device: string; at?: number; state?: Partial<DeviceState> }): Json =>
  ({ id, told: [told] }) as unknown as Json;

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Webhook } from '../webhook.ts';

/** `Webhook.verify` for the lower-case hex HMAC-SHA256 of the body as it arrived (RFC 2104), in one header. */
export function hmacHexIn(header: string): NonNullable<Webhook['verify']> {
  return ({ body, headers }, secret) => {
    const stated = Buffer.from(headers[header] ?? '');
    const computed = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
    return stated.length === computed.length && timingSafeEqual(stated, computed);
  };
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Delivery, Told, Webhook } from '../../adapter/webhook.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { addWebhook, dropWebhook } from './client.ts';
import { idIn } from './payloads.ts';
import { deviceIdOf } from './translate.ts';

/** Something happened to a room, or to all rooms of a home; everything else is of cameras and weather stations. */
const OF_A_ROOM = new Set(['set_point', 'setpoint_event', 'cancel_set_point']);
const OF_A_HOME = new Set(['therm_mode', 'schedule']);

const objectIn = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

/** Lower-case hex HMAC-SHA256 of the body as it arrived, with the client secret. */
function isSigned({ body, headers }: Delivery, secret: string): boolean {
  const stated = Buffer.from(headers['x-netatmo-secret'] ?? '');
  const computed = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  return stated.length === computed.length && timingSafeEqual(stated, computed);
}

/**
 * Deliveries have no time, no number and no id, and overtake each other: whatever one says may be older than what is known. So each
 * only makes its rooms be read again, which is right in any order and however often it is repeated.
 */
function read(body: Json): readonly Told[] {
  const told = objectIn(body);
  const home = objectIn(told.home);
  const homeId = idIn(told.home_id ?? home.id);
  const user = idIn(told.user_id ?? objectIn(told.user).id);
  const account = user === undefined ? {} : { vendorAccount: user };
  const { event_type: event } = told;
  if (typeof event !== 'string' || homeId === undefined) return [];
  const rooms = new Set([told.room_id, ...roomsOf(home)].flatMap((id) => idIn(id) ?? []));
  if (OF_A_ROOM.has(event) || (OF_A_HOME.has(event) && user === undefined))
    return [...rooms].map((room) => ({ ...account, device: deviceIdOf(homeId, room) }));
  return OF_A_HOME.has(event) ? [account] : [];
}

function roomsOf({ rooms }: JsonObject): (Json | undefined)[] {
  return Array.isArray(rooms) ? rooms.map((room) => objectIn(room).id) : [];
}

/** Equal bodies mean new events: cancelling today says what cancelling said yesterday. Within a second they are repeats. */
function idOf({ body, receivedAt }: Delivery): string {
  return `${createHash('sha256').update(body).digest('hex')}@${Math.floor(receivedAt / 1_000)}`;
}

export const webhook = {
  trust: 'signed',
  verify: isSigned,
  idOf,
  read,
  subscribe: addWebhook,
  unsubscribe: dropWebhook,
  // Netatmo stops posting for a day after failures.
  subscribedSeconds: 86_400,
} satisfies Webhook;

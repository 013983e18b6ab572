import { createHash } from 'node:crypto';
import { fits, hmacHexIn } from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import type { Delivery, DeviceChange, Webhook } from '../../adapter/webhook.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { api } from './failure.ts';
import { deviceIdOf, Ordered, RoomId } from './translate.ts';

/** Something happened to a room, or to all rooms of a home; everything else is of cameras and weather stations. */
const OF_A_ROOM = new Set(['set_point', 'setpoint_event', 'cancel_set_point']);
const OF_A_HOME = new Set(['therm_mode', 'schedule']);

const objectIn = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
const idIn = (value: Json | undefined): string | undefined => (fits(RoomId, value) ? value : undefined);

/**
 * Deliveries have no time, no number and no id, and overtake each other: whatever one says may be older than what is stored. So each
 * only makes its rooms be read again, which is right in any order and however often it is repeated.
 */
function read(body: Json): readonly DeviceChange[] {
  const payload = objectIn(body);
  const home = objectIn(payload.home);
  const homeId = idIn(payload.home_id ?? home.id);
  const user = idIn(payload.user_id ?? objectIn(payload.user).id);
  const account = user === undefined ? {} : { vendorAccount: user };
  const { event_type: event } = payload;
  if (typeof event !== 'string' || homeId === undefined) return [];
  const listed = Array.isArray(home.rooms) ? home.rooms.map((room) => objectIn(room).id) : [];
  const rooms = new Set([payload.room_id, ...listed].flatMap((id) => idIn(id) ?? []));
  if (OF_A_ROOM.has(event) || (OF_A_HOME.has(event) && user === undefined))
    return [...rooms].map((room) => ({ ...account, device: deviceIdOf(homeId, room) }));
  return OF_A_HOME.has(event) ? [account] : [];
}

/** Equal bodies mean new events: cancelling today says what cancelling said yesterday. Within a second they are repeats. */
function idOf({ body, receivedAt }: Delivery): string {
  return `${createHash('sha256').update(body).digest('hex')}@${Math.floor(receivedAt / 1_000)}`;
}

async function call(session: Session, path: string, form: Record<string, string>): Promise<void> {
  await api.send(session, { method: 'POST', path, form, use: 'list', repeatable: true }, Ordered, 'webhooks');
}

export const webhook = {
  trust: 'signed',
  verify: hmacHexIn('x-netatmo-secret'),
  idOf,
  read,
  /** Netatmo posts to one address for each user of the app; naming it again replaces it. */
  subscribe: (session, url) => call(session, '/api/addwebhook', { url }),
  unsubscribe: (session) => call(session, '/api/dropwebhook', {}),
  // Netatmo stops posting for a day after failures.
  subscribedSeconds: 86_400,
} satisfies Webhook;

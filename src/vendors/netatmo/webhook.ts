import { createHash } from 'node:crypto';
import { fits, hmacHexIn, objectIn, PlainId } from '../../adapter/kit/index.ts';
import type { Session } from '../../adapter/session.ts';
import type { DeviceChange, Webhook } from '../../adapter/webhook.ts';
import type { Json } from '../../core/json.ts';
import { api } from './api.ts';
import { deviceIdOf, Ordered } from './translate.ts';

/** Something happened to a room, or to all rooms of a home; everything else is of cameras and weather stations. */
const OF_A_ROOM: readonly unknown[] = ['set_point', 'setpoint_event', 'cancel_set_point'];
const OF_A_HOME: readonly unknown[] = ['therm_mode', 'schedule'];

/**
 * Deliveries have no time, no number and no id, and overtake each other: whatever one says may be older than what is stored. So each
 * only makes its rooms be read again, which is right in any order and however often it is repeated.
 */
function read(body: Json): readonly DeviceChange[] {
  const { event_type: event, room_id, ...payload } = objectIn(body);
  const home = objectIn(payload.home);
  const homeId = payload.home_id ?? home.id;
  const user = payload.user_id ?? objectIn(payload.user).id;
  if (!fits(PlainId, homeId)) return [];
  const account = fits(PlainId, user) ? { vendorAccount: user } : undefined;
  if (OF_A_HOME.includes(event) && account !== undefined) return [account];
  if (!OF_A_HOME.includes(event) && !OF_A_ROOM.includes(event)) return [];
  const listed = Array.isArray(home.rooms) ? home.rooms.map((room) => objectIn(room).id) : [];
  const rooms = new Set([room_id, ...listed].filter((id) => fits(PlainId, id)));
  return [...rooms].map((room) => ({ ...account, device: deviceIdOf(homeId, room) }));
}

async function call(session: Session, path: string, form: Record<string, string>): Promise<void> {
  await api.send(session, { method: 'POST', path, form, use: 'list', repeatable: true }, Ordered, 'webhooks');
}

export const webhook = {
  trust: 'signed',
  verify: hmacHexIn('x-netatmo-secret'),
  /** Equal bodies mean new events: cancelling today says what cancelling said yesterday. Within a second they are repeats. */
  idOf: ({ body, receivedAt }) =>
    `${createHash('sha256').update(body).digest('hex')}@${Math.floor(receivedAt / 1_000)}`,
  read,
  /** Netatmo posts to one address for each user of the app; naming it again replaces it. */
  subscribe: (session, url) => call(session, '/api/addwebhook', { url }),
  unsubscribe: (session) => call(session, '/api/dropwebhook', {}),
  // Netatmo stops posting for a day after failures.
  subscribedSeconds: 86_400,
} satisfies Webhook;

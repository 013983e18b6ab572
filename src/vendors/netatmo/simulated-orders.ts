import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import type { SimulatedAccount } from './simulated-accounts.ts';
import { type SimulatedHome, type SimulatedRoom, setRoom, settle } from './simulated-home.ts';
import type { createSimulatedWebhooks } from './simulated-webhooks.ts';

interface OrdersOptions {
  readonly clock: Clock;
  readonly webhooks: ReturnType<typeof createSimulatedWebhooks>;
}

interface Order {
  readonly mode: unknown;
  readonly temp: unknown;
  readonly endTime: unknown;
}

interface Place {
  readonly account: SimulatedAccount;
  readonly home: SimulatedHome;
  readonly room: SimulatedRoom;
}

export function refusal(code: number, message: string, status = 400): SimulatedAnswer {
  return { status, json: { error: { code, message } } };
}

const MODES: readonly unknown[] = ['manual', 'max', 'home', 'off'];

/** What rooms are told, by calls and by hand; every change is told to who subscribed. */
export function createSimulatedOrders({ clock, webhooks }: OrdersOptions) {
  function tellOfRoom({ account, home, room }: Place, eventType: string): void {
    const timed: JsonObject =
      room.mode === 'home'
        ? {}
        : {
            therm_setpoint_temperature: room.target,
            therm_setpoint_start_time: Math.floor(room.startedAt / 1_000),
            therm_setpoint_end_time: room.endsAt === null ? 0 : Math.floor(room.endsAt / 1_000),
          };
    webhooks.tell(account.userId, {
      home_id: home.id,
      room_id: room.id,
      home: {
        id: home.id,
        name: home.name,
        country: 'SE',
        rooms: [{ id: room.id, name: room.name, type: room.type, therm_setpoint_mode: room.mode, ...timed }],
        modules: room.modules.map(({ id, type }) => ({ id, name: type, type })),
      },
      mode: room.mode,
      event_type: eventType,
      ...(room.mode === 'manual' ? { temperature: room.target } : {}),
      push_type: 'display_change',
    });
  }

  /** Null when the order was taken. */
  function order(place: Place, { mode, temp, endTime }: Order): SimulatedAnswer | null {
    const { home, room } = place;
    const now = clock.now();
    if (mode === undefined) return refusal(10, 'mode is missing');
    const isValve = room.modules.every(({ type }) => type === 'NRV');
    if (!MODES.includes(mode) || (mode === 'off' && isValve)) return refusal(21, 'mode not authorized');
    const target = Number(temp);
    if (mode === 'manual' && !(target >= 7 && target <= 30)) return refusal(21, 'Invalid temp');
    if (mode === 'manual' && target % 0.5 !== 0) return refusal(21, 'Invalid temp');
    const stated = endTime === undefined ? undefined : Number(endTime) * 1_000;
    if (stated !== undefined && !(stated > now)) return refusal(21, 'Invalid endtime');
    settle(room, home, now);
    if (mode === 'home' || mode === 'off') setRoom(room, { mode, now });
    else
      setRoom(room, {
        mode: mode as 'manual' | 'max',
        now,
        endsAt: stated ?? now + home.defaultMinutes * 60_000,
        ...(mode === 'manual' ? { target } : {}),
      });
    tellOfRoom(place, mode === 'home' ? 'cancel_set_point' : 'set_point');
    return null;
  }

  return {
    order,

    setByHand({ account, home, room, celsius }: Place & { readonly celsius: number }): void {
      const now = clock.now();
      settle(room, home, now);
      setRoom(room, { mode: 'manual', target: celsius, now, endsAt: now + 3_600_000 });
      tellOfRoom({ account, home, room }, 'setpoint_event');
    },
  };
}

/** Rooms of newer modules are set by setstate alone, the others by setroomthermpoint alone. */
export function isNewer(room: SimulatedRoom, home: SimulatedHome): boolean {
  const has = (type: string) => room.modules.some((module) => module.type === type);
  const isModulating = home.rooms.some(({ modules }) => modules.some(({ type }) => type === 'OTM'));
  return !has('NATherm1') && (isModulating || !has('NRV'));
}

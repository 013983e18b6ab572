import type { SimulatedAnswer, SimulatedRequest, SimulatedSocket } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { type Random, randomBase62 } from '../../core/ids.ts';
import { asRecord, createRecords, invocation, MESSAGE, PING } from './hub.ts';
import type { SimulatedUser } from './simulated-accounts.ts';
import type { SimulatedCharger } from './simulated-charger.ts';

const TICK_MS = 15_000;
const POLICY_VIOLATION = 1008;
/** Frames end anywhere: what is longer is cut, also in the middle of a record. */
const FRAME_CHARS = 700;

interface Connection {
  readonly socket: SimulatedSocket;
  /** What was last told of each charger: value by observation. */
  readonly told: Map<string, Map<number, unknown>>;
}

interface HubOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly userOf: (authorization: string | undefined) => SimulatedUser | undefined;
  readonly chargerOf: (user: SimulatedUser, id: string) => SimulatedCharger | undefined;
}

/** Easee's SignalR hub: negotiation with a sticky cookie, the JSON protocol, observations and outcomes as text. */
export function createSimulatedHub({ clock, random, userOf, chargerOf }: HubOptions) {
  const agreed = new Map<string, string>();
  const connections = new Set<Connection>();

  function send({ socket }: Connection, records: string): void {
    for (let start = 0; start < records.length; start += FRAME_CHARS)
      socket.send(records.slice(start, start + FRAME_CHARS));
  }

  function tellChanges(connection: Connection, charger: SimulatedCharger): void {
    const told = connection.told.get(charger.id);
    if (told === undefined) return;
    const changed = charger.observe().filter(({ id, value }) => told.get(id) !== value);
    for (const { id, value } of changed) told.set(id, value);
    const records = changed.map(({ id, value, dataType, at }) =>
      invocation('ProductUpdate', [
        {
          mid: charger.id,
          dataType,
          id,
          timestamp: new Date(at).toISOString(),
          value: typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value),
          simulated: true,
        },
      ]),
    );
    send(connection, records.join(''));
  }

  function subscribe(connection: Connection, user: SimulatedUser, call: Call): void {
    const charger = chargerOf(user, String(call.args[0]));
    const error = charger === undefined ? { error: 'An unexpected error occurred' } : {};
    if (call.id !== undefined)
      send(connection, asRecord({ type: MESSAGE.completion, invocationId: call.id, ...error }));
    if (charger === undefined) return;
    connection.told.set(charger.id, new Map());
    tellChanges(connection, charger);
  }

  return {
    negotiate(): SimulatedAnswer {
      const token = randomBase62(random, 22);
      const cookie = randomBase62(random, 40);
      agreed.set(token, cookie);
      return {
        status: 200,
        headers: {
          'set-cookie': `AWSALB=${cookie}; Expires=Sat, 28 Nov 2026 09:00:00 GMT; Path=/, AWSALBCORS=${cookie}; Expires=Sat, 28 Nov 2026 09:00:00 GMT; Path=/; SameSite=None; Secure`,
        },
        json: {
          negotiateVersion: 1,
          connectionId: randomBase62(random, 22),
          connectionToken: token,
          availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }],
        },
      };
    },

    open(request: SimulatedRequest, socket: SimulatedSocket): void {
      const user = userOf(request.headers.authorization);
      const cookie = agreed.get(request.query.get('id') ?? '');
      const isSticky = cookie !== undefined && request.headers.cookie?.includes(`AWSALB=${cookie}`) === true;
      agreed.delete(request.query.get('id') ?? '');
      if (user === undefined || !isSticky) {
        socket.close(POLICY_VIOLATION);
        return;
      }
      const connection: Connection = { socket, told: new Map() };
      const records = createRecords();
      let isReady = false;
      let cancel = () => {};
      const tick = () => {
        cancel = clock.after(TICK_MS, () => {
          send(connection, PING);
          for (const id of connection.told.keys()) {
            const charger = chargerOf(user, id);
            if (charger !== undefined) tellChanges(connection, charger);
          }
          tick();
        });
      };
      socket.onFrame((frame) => {
        for (const message of records(frame)) {
          if (!isReady) {
            isReady = true;
            connections.add(connection);
            send(connection, asRecord({}));
            tick();
          } else if (message.target === 'SubscribeWithCurrentState') {
            const id = message.invocationId ?? undefined;
            subscribe(connection, user, {
              args: message.arguments ?? [],
              ...(id === undefined ? {} : { id }),
            });
          }
        }
      });
      socket.onClose(() => {
        cancel();
        connections.delete(connection);
      });
    },

    changed(charger: SimulatedCharger): void {
      for (const connection of connections) tellChanges(connection, charger);
    },

    answered(charger: SimulatedCharger, ticks: string, wasAccepted: boolean): void {
      const at = new Date(clock.now()).toISOString();
      // Written by hand: ticks have more digits than a number keeps.
      const record = invocation('CommandResponse', [
        {
          serialNumber: charger.id,
          id: 48,
          timestamp: at,
          deliveredAt: at,
          wasAccepted,
          resultCode: wasAccepted ? 0 : 3,
          comment: '',
          ticks: 0,
        },
      ]).replace('"ticks":0', `"ticks":${ticks}`);
      for (const connection of connections) if (connection.told.has(charger.id)) send(connection, record);
    },

    /** Says goodbye to every client, as a server that is replaced does. */
    closeAll(): void {
      for (const connection of [...connections]) {
        send(connection, asRecord({ type: MESSAGE.close, allowReconnect: true }));
        connection.socket.close(1000);
      }
    },
  };
}

interface Call {
  readonly id?: string;
  readonly args: readonly unknown[];
}

export type SimulatedHub = ReturnType<typeof createSimulatedHub>;

import { asRecord, MESSAGE, messagesIn } from '../../adapter/kit/signalr.ts';
import type { SimulatedAnswer, SimulatedRequest, SimulatedSocket } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { type Random, randomBase62 } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';

const TICK_MS = 15_000;
const POLICY_VIOLATION = 1008;

/** A client that a simulated hub is connected with. */
export interface HubClient<Home> {
  readonly home: Home;
  /** Calls a method of the client with one argument; several calls may travel in one frame. */
  invoke(target: string, ...payloads: readonly JsonObject[]): void;
}

interface HubOptions<Home> {
  readonly clock: Clock;
  readonly random: Random;
  /** The client calls the hub; a text is why the call fails. */
  invoked(client: HubClient<Home>, target: string, args: readonly unknown[]): string | undefined;
  /** Called every 15 seconds. */
  ticked(client: HubClient<Home>): void;
  closed(client: HubClient<Home>): void;
}

/**
 * ASP.NET Core SignalR as a server speaks it: negotiation of version 0 (`connectionId` alone) and 1 (`connectionToken`), and the JSON
 * protocol over a WebSocket whose messages hold whole records. It sets the cookie of a load balancer, and does without it.
 */
export function simulatedHub<Home>({ clock, random, invoked, ticked, closed }: HubOptions<Home>) {
  const agreed = new Set<string>();

  return {
    negotiate({ query }: SimulatedRequest): SimulatedAnswer {
      const version = query.get('negotiateVersion') === '1' ? 1 : 0;
      const id = randomBase62(random, 22);
      const token = randomBase62(random, 22);
      agreed.add(version === 1 ? token : id);
      const cookie = randomBase62(random, 40);
      const attributes = 'Expires=Sat, 28 Nov 2026 09:00:00 GMT; Path=/';
      return {
        status: 200,
        headers: {
          'set-cookie': `AWSALB=${cookie}; ${attributes}, AWSALBCORS=${cookie}; ${attributes}; SameSite=None; Secure`,
        },
        json: {
          negotiateVersion: version,
          connectionId: id,
          ...(version === 1 ? { connectionToken: token } : {}),
          availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }],
        },
      };
    },

    open(socket: SimulatedSocket, { home, request }: { home: Home; request: SimulatedRequest }): void {
      if (!agreed.delete(request.query.get('id') ?? '')) {
        socket.close(POLICY_VIOLATION);
        return;
      }
      const client: HubClient<Home> = {
        home,
        invoke(target, ...payloads) {
          const records = payloads.map((payload) =>
            asRecord({ type: MESSAGE.invocation, target, arguments: [payload] }),
          );
          if (records.length > 0) socket.send(records.join(''));
        },
      };
      let isReady = false;
      let cancel = () => {};
      const tick = () => {
        cancel = clock.after(TICK_MS, () => {
          socket.send(asRecord({ type: MESSAGE.ping }));
          ticked(client);
          tick();
        });
      };
      socket.onFrame((frame) => {
        for (const { type, target, invocationId, arguments: args = [] } of messagesIn(frame)) {
          // The first record is the handshake.
          if (!isReady) {
            isReady = true;
            socket.send(asRecord({}));
            tick();
          } else if (type === MESSAGE.invocation) {
            const error = invoked(client, target ?? '', args);
            // A call without an id wants no answer.
            if (invocationId == null) continue;
            socket.send(
              asRecord({ type: MESSAGE.completion, invocationId, ...(error === undefined ? {} : { error }) }),
            );
          }
        }
      });
      socket.onClose(() => {
        cancel();
        closed(client);
      });
    },
  };
}

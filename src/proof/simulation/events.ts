import type { SimulatedAnswer, SimulatedEvents, SimulatedRequest } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';

interface SentEvent {
  /** None makes a `message`. */
  readonly event?: string;
  readonly data: string;
  readonly id?: string;
}

/** Who a simulated vendor sends events to. */
interface EventsClient<Home> {
  readonly home: Home;
  /** Where the client wants to go on; undefined for one that comes again. */
  readonly lastEventId: string | undefined;
  send(event: SentEvent): void;
}

interface EventsOptions<Home> {
  readonly clock: Clock;
  /** How often something is sent so that the connection is known to live, seconds; never unless it is said. */
  readonly everySeconds?: number;
  /** What is sent then: a comment unless the vendor has an event for it. */
  readonly heartbeat?: SentEvent;
  /** What is sent first, as it goes over the wire. */
  readonly greeting?: string;
  /** A client has come: the vendor may tell it what is so now. */
  readonly opened?: (client: EventsClient<Home>) => void;
}

/** Server-sent events as a vendor's server sends them: a heartbeat, and what it tells to those who listen at a home. */
export function simulatedEvents<Home>({
  clock,
  everySeconds,
  heartbeat,
  greeting,
  opened,
}: EventsOptions<Home>) {
  const open = new Map<SimulatedEvents, EventsClient<Home>>();

  return {
    /** The answer to a request for the events of a home. */
    open({ home, request }: { readonly home: Home; readonly request: SimulatedRequest }): SimulatedAnswer {
      return {
        status: 200,
        events(stream) {
          const client: EventsClient<Home> = {
            home,
            lastEventId: request.headers['last-event-id'],
            send: (event) => stream.write(asText(event)),
          };
          open.set(stream, client);
          let cancel = () => {};
          const beat = () => {
            if (everySeconds === undefined) return;
            cancel = clock.after(everySeconds * 1_000, () => {
              stream.write(heartbeat === undefined ? ':\n\n' : asText(heartbeat));
              beat();
            });
          };
          beat();
          stream.onClose(() => {
            cancel();
            open.delete(stream);
          });
          if (greeting !== undefined) stream.write(greeting);
          opened?.(client);
        },
      };
    },

    /** Sends it to the listeners of the home. */
    tell(home: Home, event: SentEvent): void {
      for (const client of [...open.values()]) if (client.home === home) client.send(event);
    },

    /** How many listen to the home. */
    listeners: (home: Home): number => [...open.values()].filter((client) => client.home === home).length,

    /** Asks everybody to come back no sooner than after so many milliseconds, once they are gone. */
    askToWait(ms: number): void {
      for (const stream of open.keys()) stream.write(`retry: ${ms}\n\n`);
    },

    /** Ends every stream, as a server that is replaced does. */
    closeAll(): void {
      for (const stream of [...open.keys()]) stream.end();
    },
  };
}

function asText({ event, data, id }: SentEvent): string {
  const fields = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...data.split('\n').map((line) => `data: ${line}`),
    ...(id === undefined ? [] : [`id: ${id}`]),
  ];
  return `${fields.join('\n')}\n\n`;
}

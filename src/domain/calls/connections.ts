import type { Adapter } from '../../adapter/adapter.ts';
import type { Connections, MessagesWatch, Purpose } from '../../adapter/connections.ts';
import type { ConnectionWork, KeptConnections, Listening } from '../../adapter/reach.ts';
import { type LinkKey, WITHOUT_CALLS } from '../../adapter/session.ts';
import type { Spend, Trace } from './vendor-http.ts';

interface ConnectionsOfLink {
  readonly adapter: Adapter;
  readonly link: LinkKey;
  readonly kept: KeptConnections | undefined;
  readonly spend: Spend;
  readonly trace: Trace;
  readonly signal: AbortSignal;
}

/** The connections of a session: within the vendor's limits, for as long as the session lasts. */
export function connectionsOf({ adapter, link, kept, spend, trace, signal }: ConnectionsOfLink): Connections {
  const { ports, name } = adapter;
  if (ports === undefined) return WITHOUT_CALLS.connections;
  const owner = { account: link.account, link: link.link, name, ports };
  const here = (): KeptConnections => {
    if (kept === undefined) throw new Error('no connections can be opened here');
    return kept;
  };

  /** Takes what it costs, and answers how the work is noted. */
  async function begin(
    { use = 'read', device, site, costs }: { readonly [N in keyof Purpose]: Purpose[N] | undefined },
    host: string,
  ): Promise<ConnectionWork> {
    await spend({ host, use, device, site, costs });
    return {
      signal,
      sent() {
        trace.isCommandSent ||= use === 'command';
      },
    };
  }

  const listening = (watch: MessagesWatch = {}): Listening => ({ signal, heard: () => watch.heard?.() });

  return {
    tcp: (target) => ({
      async exchange({ device, site, costs, ...asked }) {
        const work = await begin({ use: asked.use, device, site, costs }, 'tcp');
        return here().exchange(owner, { ...asked, target }, work);
      },
    }),
    mqtt: (broker) => ({
      async publish({ device, costs, ...publication }) {
        const work = await begin({ use: publication.use, device, costs }, 'mqtt');
        return here().publish(owner, { ...publication, broker }, work);
      },
      async request({ device, costs, ...request }) {
        const work = await begin({ use: request.use, device, costs }, 'mqtt');
        return here().request(owner, { ...request, broker }, work);
      },
      messages: async (topics, watch) => here().mqttMessages(owner, { broker, topics }, listening(watch)),
    }),
    amqp: (broker) => ({
      messages: async (address, watch) => here().amqpMessages(owner, { broker, address }, listening(watch)),
    }),
  };
}

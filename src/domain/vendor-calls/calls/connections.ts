import type { Adapter } from '../../../adapter/adapter.ts';
import type { Connections, MessagesWatch, PinnedCertificate, Purpose } from '../../../adapter/connections.ts';
import type {
  ApplicationCertificate,
  ConnectionOwner,
  ConnectionWork,
  KeptConnections,
  Listening,
  OpcuaTasks,
} from '../../../adapter/reach.ts';
import { type LinkKey, WITHOUT_CALLS } from '../../../adapter/session.ts';
import type { PlacedLink } from './store-links.ts';
import type { Spend, Trace } from './vendor-http.ts';

interface ConnectionsOfLink {
  readonly adapter: Adapter;
  readonly link: LinkKey & Pick<PlacedLink, 'gateway'>;
  /** The certificate that is kept with the link. */
  readonly pinned?: PinnedCertificate | undefined;
  readonly kept: KeptConnections | undefined;
  readonly spend: Spend;
  readonly trace: Trace;
  /** What the account proves itself with to OPC UA servers. */
  readonly applicationOf: () => Promise<ApplicationCertificate>;
  readonly signal: AbortSignal;
}

/** Whose connections they are, to whom opens them. */
export const ownerOf = (
  { name, ports = [], deviceCertificates }: Adapter,
  { account, link, gateway }: ConnectionsOfLink['link'],
  pinned?: PinnedCertificate,
): ConnectionOwner => ({
  ...{ account, link, name, ports, pinned },
  gateway: gateway ?? undefined,
  roots: deviceCertificates?.roots,
});

/** The connections of a session: within the vendor's limits, for as long as the session lasts. */
export function connectionsOf(options: ConnectionsOfLink): Connections {
  const { adapter, link, kept, spend, trace, applicationOf, signal } = options;
  if (adapter.ports === undefined) return WITHOUT_CALLS.connections;
  const owner = ownerOf(adapter, link, options.pinned);
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

  const listening = (watch: MessagesWatch = {}): Listening => ({
    signal: watch.signal === undefined ? signal : AbortSignal.any([signal, watch.signal]),
    heard: () => watch.heard?.(),
  });

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
    opcua(server) {
      const ask = async <T>(
        { use, device, site, costs }: Purpose = {},
        task: (tasks: OpcuaTasks) => Promise<T>,
      ): Promise<T> => {
        const work = await begin({ use, device, site, costs }, 'opcua');
        const place = { server, application: await applicationOf() };
        return here().opcua(owner, { ...place, task, isCommand: use === 'command' }, work);
      };
      return {
        identity: (purpose) => ask(purpose, (tasks) => tasks.identity()),
        read: (nodes, purpose) => ask(purpose, (tasks) => tasks.read(nodes)),
        describe: (nodes, purpose) => ask(purpose, (tasks) => tasks.describe(nodes)),
        browse: (nodes, { most, ...purpose }) => ask(purpose, (tasks) => tasks.browse(nodes, most)),
        write: (writes, purpose) => ask(purpose, (tasks) => tasks.write(writes)),
        changes: async (subscription, watch) =>
          here().opcuaChanges(
            owner,
            { server, application: await applicationOf(), subscription },
            listening(watch),
          ),
      };
    },
  };
}

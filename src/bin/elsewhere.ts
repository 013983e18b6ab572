import { GATEWAY_FIELD } from '../adapter/gateway-field.ts';
import type { LinkKey, LinkOf } from '../adapter/session.ts';
import type { Calls, Sealed, Vault } from '../domain/calls/index.ts';
import type { CommandedDevice, Devices, Relisted } from '../domain/devices/index.ts';
import type { Discovery } from '../domain/discovery/index.ts';
import type { Discover, Discovered, GatewayKey, Relay } from '../domain/gateways/index.ts';
import type { Linking, Links } from '../domain/links/index.ts';
import type { SetPoints } from '../domain/set-points/index.ts';

interface Parts {
  readonly relay: Relay;
  readonly vault: Vault;
  readonly calls: Pick<Calls, 'find'>;
  readonly devices: Pick<Devices, 'find'>;
  readonly links: Links;
  readonly discovery: Discovery;
  readonly setPoints: SetPoints;
  readonly discover: Discover;
}

interface LinkMessage extends Omit<Parameters<Links['link']>[0], 'credentials' | 'begun'> {
  readonly gateway: string | null;
  /** The credentials: other processes get them over the database. */
  readonly sealed: Sealed;
}

type EndMessage = Parameters<SetPoints['end']>[0];

/** What only the process can do that a gateway is connected to, for callers of every process. */
export function doneWhereGatewaysAre(parts: Parts) {
  const { relay, vault, calls, devices, links, discovery, setPoints } = parts;
  const gatewayOf = async (link: LinkKey): Promise<string | undefined> =>
    (await calls.find(link))?.gateway ?? undefined;
  const boundTo = ({ account }: Pick<LinkOf, 'account'>) => ({ account, link: '', field: 'relayed' });

  const link = relay<LinkMessage, Linking>({
    name: 'links.link',
    gatewayOf: async ({ gateway }) => gateway ?? undefined,
    work: ({ sealed, gateway: _, ...message }, begun) => {
      const credentials: unknown = JSON.parse(vault.open(sealed, boundTo(message)));
      return links.link({ ...message, credentials, begun });
    },
  });
  const refresh = relay<LinkKey, Relisted>({
    name: 'links.refresh',
    gatewayOf,
    work: discovery.refresh,
  });
  const end = relay<EndMessage, CommandedDevice>({
    name: 'set-points.end',
    gatewayOf: async ({ account, deviceId, vendor }) =>
      gatewayOf((await devices.find(account, deviceId, vendor)).row),
    work: setPoints.end,
  });
  const discover = relay<GatewayKey, Discovered>({
    name: 'gateways.discover',
    gatewayOf: async ({ id }) => id,
    work: parts.discover,
  });
  const nothingToNote = async () => {};
  return {
    links: {
      ...links,
      link: (request: Parameters<Links['link']>[0]): Promise<Linking> => {
        const { begun, credentials, ...message } = request;
        const gateway = gatewayIn(credentials);
        if (gateway === null) return links.link(request);
        const sealed = vault.seal(JSON.stringify(credentials), boundTo(message));
        return link({ ...message, gateway, sealed }, begun);
      },
    },
    discovery: { ...discovery, refresh: (key: LinkKey) => refresh(key, nothingToNote) },
    discover: (gateway: GatewayKey) => discover(gateway, nothingToNote),
    setPoints: { ...setPoints, end: (message: EndMessage) => end(message, nothingToNote) },
  };
}

/** They have not been checked yet. */
function gatewayIn(credentials: unknown): string | null {
  if (typeof credentials !== 'object' || credentials === null || !(GATEWAY_FIELD in credentials)) return null;
  const { [GATEWAY_FIELD]: gateway } = credentials;
  return typeof gateway === 'string' ? gateway : null;
}

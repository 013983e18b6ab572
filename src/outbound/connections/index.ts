import type { Target } from '../../adapter/connections.ts';
import type { ConnectionOwner, KeptConnections } from '../../adapter/reach.ts';
import type { LinkKey } from '../../adapter/session.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/ids.ts';
import { type Dialer, secured } from './dialer.ts';
import { addressOf } from './failures.ts';
import { createPool, type Place } from './pool.ts';
import { exchangeOver, TcpChannel } from './tcp.ts';

export { type Dialer, directDialer } from './dialer.ts';

interface ConnectionsOptions {
  /** How the connections of a link are dialled. */
  readonly dialerOf: (link: LinkKey) => Dialer;
  readonly clock: Clock;
  readonly random: Random;
}

const IDLE_SECONDS = 60;

export interface OutboundConnections extends KeptConnections {
  /** How many are open. */
  count(): number;
  close(): void;
}

/** Connections of links to devices and brokers, kept over calls. */
export function createConnections({ dialerOf, clock, random }: ConnectionsOptions): OutboundConnections {
  const pool = createPool({ clock, random });

  const placeOf = (owner: ConnectionOwner, target: Target, identity: string): Place => ({
    owner: { account: owner.account, link: owner.link },
    name: owner.name,
    address: addressOf(target),
    identity: `${identity} ${target.isSecure === true}`,
    idleMs: (target.idleSeconds ?? IDLE_SECONDS) * 1_000,
  });

  async function dial(owner: ConnectionOwner, target: Target, signal: AbortSignal) {
    const { host, port, isSecure = false } = target;
    const socket = await dialerOf(owner).dial({ host, port, ports: owner.ports }, signal);
    return isSecure ? secured(socket, host, signal) : socket;
  }

  return {
    async exchange(owner, { target, ...asked }, { signal, sent }) {
      const place = placeOf(owner, target, 'tcp');
      return exchangeOver(asked, {
        pool,
        place,
        open: async (opening) => new TcpChannel(await dial(owner, target, opening), place),
        signal,
        clock,
        sent,
        isCommand: asked.use === 'command',
      });
    },

    closeLink: pool.closeLink,
    count: () => pool.count,
    close: pool.close,
  };
}

import type { Duplex } from 'node:stream';
import type { Target } from '../../adapter/connections.ts';
import type { ConnectionOwner, KeptConnections, OpcuaPlace, OpcuaTasks } from '../../adapter/reach.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { OpcuaChannel } from './opcua.ts';
import { held, type Lease, type Place, type Pool } from './pool.ts';

/** Keys of RSA take small controllers seconds. */
const OPCUA_OPENING_MS = 10_000;

interface OpcuaOptions {
  readonly pool: Pool;
  readonly placeOf: (owner: ConnectionOwner, target: Target, identity: string) => Place;
  readonly dial: (owner: ConnectionOwner, target: Target, signal: AbortSignal) => Promise<Duplex>;
  readonly clock: Clock;
}

/** Sessions of links at OPC UA servers, kept over calls. */
export function createOpcua({
  pool,
  placeOf,
  dial,
  clock,
}: OpcuaOptions): Pick<KeptConnections, 'opcua' | 'opcuaChanges' | 'makeApplicationCertificate'> {
  function overOpcua<T>(
    owner: ConnectionOwner,
    { server, application }: OpcuaPlace,
    signal: AbortSignal,
    work: (lease: Lease<OpcuaChannel>) => Promise<T>,
  ): Promise<T> {
    const { path = '', mode, policy = '', username = '', fingerprint = '' } = server;
    const place = {
      ...placeOf(owner, server, JSON.stringify(['opcua', path, mode, policy, username, fingerprint])),
      openingMs: OPCUA_OPENING_MS,
    };
    const open = async (opening: AbortSignal) => {
      const { OpcuaChannel } = await import('./opcua.ts');
      const at = { server, application, named: place, clock, signal: opening };
      return OpcuaChannel.open(() => dial(owner, server, opening), at);
    };
    return pool.use(place, open, { signal, work });
  }

  return {
    async opcua(owner, { task, isCommand, ...place }, { signal, sent }) {
      const sending = { signal, sent, isCommand };
      const attempt = () =>
        overOpcua(owner, place, signal, async ({ channel, isReused }) => {
          const tasks: OpcuaTasks = {
            identity: () => channel.identity(sending),
            read: (nodes) => channel.read(nodes, sending),
            describe: (nodes) => channel.describe(nodes, sending),
            browse: (nodes, most) => channel.browse(nodes, most, sending),
            write: (writes) => channel.write(writes, sending),
          };
          try {
            return { answer: await task(tasks) };
          } catch (error) {
            // The other end may have gone while nobody used it. A command is not sent twice.
            const isLost = error instanceof AppError && error.code === 'vendor.unreachable';
            if (isReused && isLost && !channel.isAlive && !isCommand && !signal.aborted) return undefined;
            throw error;
          }
        });
      const { answer } = (await attempt()) ?? (await attempt()) ?? {};
      return answer as Awaited<ReturnType<typeof task>>;
    },

    opcuaChanges: (owner, { subscription, ...place }, { signal, heard }) =>
      held((hold) =>
        overOpcua(owner, place, signal, async ({ channel }) => {
          const inbox = await channel.listen(subscription, { signal, heard });
          await hold(inbox, inbox.ended);
        }),
      ),

    async makeApplicationCertificate(applicationUri) {
      const { makeApplicationCertificate } = await import('./opcua-security.ts');
      return makeApplicationCertificate(applicationUri, clock);
    },
  };
}

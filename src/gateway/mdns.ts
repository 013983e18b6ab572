import type { RemoteInfo } from 'node:dgram';
import type { QueryOutgoingPacket, ResponsePacket } from 'multicast-dns';
import { type Clock, sleep } from '../core/clock.ts';
import type { Instance } from '../tunnel/discovery.ts';
import { createInstances } from './instances.ts';

/** A device may wait up to half a second before it answers (RFC 6762 §6), and one question in some gets lost. */
const ROUND_MS = 1_000;
const ROUNDS = 3;
/** Names in one question: what fits into a packet of Ethernet. */
const MOST_QUESTIONS = 20;
/** Packets that are read; a network that sends more in this time is not asked any longer. */
const MOST_PACKETS = 5_000;

interface BrowseOptions {
  /** Types such as `_shelly._tcp`. */
  readonly services: readonly string[];
  /** Own addresses, one in each network that is asked. */
  readonly interfaces: readonly string[];
  readonly isPermitted: (address: string) => boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Another than that of mDNS, in tests. */
  readonly port?: number;
}

/** Asks what announces itself by multicast DNS (RFC 6762), for some seconds. Throws where the port of mDNS cannot be used. */
export async function browse(
  options: BrowseOptions,
): Promise<{ readonly instances: readonly Instance[]; readonly areAll: boolean }> {
  const { services, interfaces, isPermitted, clock, signal, port } = options;
  if (interfaces.length === 0 || services.length === 0) return { instances: [], areAll: true };
  // Loaded when it is first needed: most gateways are asked seldom.
  const { default: multicastDns } = await import('multicast-dns');
  const known = createInstances(services);
  let packets = 0;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const ends = interfaces.map((address) => {
    const end = multicastDns({
      interface: address,
      // Multicast does not reach a socket that is bound to one address.
      bind: '0.0.0.0',
      ...(port === undefined ? {} : { port }),
    });
    end.on('error', (error: Error) => failed.reject(error));
    // A packet that is not understood, or a network that is down.
    end.on('warning', () => {});
    end.on(
      'response',
      ({ answers = [], additionals = [] }: ResponsePacket, { address: from }: RemoteInfo) => {
        packets += 1;
        if (packets > MOST_PACKETS || !isPermitted(from)) return;
        for (const record of [...answers, ...additionals]) known.take(record);
      },
    );
    return end;
  });
  const ask = (questions: QueryOutgoingPacket['questions']) => {
    for (let at = 0; at < questions.length; at += MOST_QUESTIONS)
      for (const end of ends) end.query(questions.slice(at, at + MOST_QUESTIONS));
  };
  const of = (names: readonly string[], ...types: ('PTR' | 'SRV' | 'TXT' | 'A')[]) =>
    names.flatMap((name) => types.map((type) => ({ name, type })));
  try {
    for (let round = 0; round < ROUNDS && packets <= MOST_PACKETS && !signal.aborted; round += 1) {
      const { instances, hosts } = known.missing;
      // Twice, as a question may be lost; what the answers lack is asked for in the rounds after them.
      const types = services.map((service) => `${service}.local`);
      ask([...of(round < 2 ? types : [], 'PTR'), ...of(instances, 'SRV', 'TXT'), ...of(hosts, 'A')]);
      await Promise.race([sleep(clock, ROUND_MS, signal).catch(() => {}), failed.promise]);
    }
  } finally {
    await Promise.all(ends.map((end) => new Promise<void>((resolve) => end.destroy(() => resolve()))));
  }
  const { instances, areAll } = known.list(isPermitted);
  return { instances, areAll: areAll && packets <= MOST_PACKETS };
}

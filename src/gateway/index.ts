import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { isIn, whyNoDevice } from '../core/addresses.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { type Random, systemRandom } from '../core/ids.ts';
import { ownNetworks } from '../core/local-networks.ts';
import type { Environment } from '../core/settings/setting.ts';
import { createDiscover } from './discover.ts';
import { runGateway } from './gateway.ts';
import { openConnection } from './open.ts';
import { readGatewaySettings } from './settings.ts';
import { willFile } from './will-file.ts';
import { createWills } from './wills.ts';
import { DISCOVER } from './wire/discovery.ts';
import type { Services } from './wire/server.ts';

const FILE = 'gateway.key';

/**
 * The key of this gateway. It makes the key itself, and keeps it before anybody is told of it: a pairing that is cut off in the middle is
 * begun again with the same key.
 */
function loadKey(dataDir: string, random: Random): string {
  const file = join(dataDir, FILE);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannot('read', file, error);
  }
  const key = random(32).toString('base64url');
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw cannot('write', file, error);
  }
  return key;
}

const cannot = (what: string, file: string, cause: unknown): OperatorError =>
  new OperatorError(`Cannot ${what} ${file} (${(cause as NodeJS.ErrnoException).code}).`, { cause });

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** The private networks that this machine is in; it may be moved to others while the gateway runs. */
const networksOfMachine = ownNetworks({ interfaces: networkInterfaces, hasLoopback: false }).current;

const widthOf = (address: string): 32 | 128 => (isIP(address) === 4 ? 32 : 128);

/** The addresses of this machine in its networks; it may get others while the gateway runs. */
const addressesOfMachine = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));

/**
 * Whether an IP address is one of a device in these networks. This machine is none: what else runs on it is not lent with the network, unless
 * one of its addresses is listed by itself, as `192.168.1.5/32`.
 */
export function isPermitted(address: string, networks: readonly string[], own: readonly string[]): boolean {
  const width = widthOf(address);
  const isOwn = isIn(
    address,
    own.map((one) => `${one}/${widthOf(one)}`),
  );
  return (
    whyNoDevice(address) === null &&
    // control: a gateway opens nothing on its own machine [gateway/networks]
    !isIn(address, LOOPBACK) &&
    // control: a gateway opens nothing outside of its networks [gateway/networks]
    isIn(address, networks) &&
    // The address of a gateway in its network is lent only where it is listed.
    (!isOwn ||
      isIn(
        address,
        networks.filter((one) => one.endsWith(`/${width}`)),
      ))
  );
}

interface StartOptions {
  readonly environment: Environment;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  /** Whether connections to an IP address may be opened; what `networks.ts` says, unless a test has its devices elsewhere. */
  readonly mayOpen?: (address: string, networks: readonly string[]) => boolean;
  /** The clock of the system, unless a test turns its own. */
  readonly clock?: Clock;
}

/** Runs a gateway until the signal fires. Throws an `OperatorError` for what its owner has to mend. */
export async function startGateway({
  environment,
  version,
  signal,
  print,
  mayOpen = (address, permitted) => isPermitted(address, permitted, addressesOfMachine()),
  clock = systemClock,
}: StartOptions): Promise<void> {
  const { url, code, networks, dataDir } = readGatewaySettings(environment);
  const key = loadKey(dataDir, systemRandom);
  const current = () => networks ?? networksOfMachine();
  print(`elnav gateway ${version} opens connections in ${current().join(', ') || 'no network'}`);
  const open: Services['open'] = (to, given) =>
    openConnection(to, { isPermitted: (address) => mayOpen(address, current()), signal: given });
  const wills = createWills({ file: willFile(dataDir, print), clock, open, print });
  const discover = createDiscover({
    interfaces: networkInterfaces,
    networks: current,
    isPermitted: (address) => mayOpen(address, current()),
    ...{ clock, print },
  });
  // The timers of the clock keep no process alive, and between two connections there is nothing else.
  const alive = setInterval(() => {}, 2 ** 31 - 1);
  try {
    await runGateway({
      ...{ url, key, code: code?.reveal(), networks: current, version },
      services: {
        open,
        answer: (path, question, given) => {
          if (path === DISCOVER) return discover(question, given);
          const answered = wills.answer(path, question);
          return answered === undefined ? undefined : Promise.resolve(answered);
        },
      },
      ...{ wills, clock, random: systemRandom, print, signal },
    });
  } finally {
    wills.close();
    clearInterval(alive);
  }
}

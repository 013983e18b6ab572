import { networkInterfaces } from 'node:os';
import { type Clock, systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import type { Environment } from '../core/settings/setting.ts';
import { DISCOVER } from '../tunnel/discovery.ts';
import type { Services } from '../tunnel/server.ts';
import { createDiscover } from './discover.ts';
import { runGateway } from './gateway.ts';
import { loadKey } from './key-file.ts';
import { isPermitted, networksOfMachine } from './networks.ts';
import { openConnection } from './open.ts';
import { readGatewaySettings } from './settings.ts';
import { willFile } from './will-file.ts';
import { createWills } from './wills.ts';

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
  mayOpen = isPermitted,
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

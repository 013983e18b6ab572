import type { IncomingMessage } from 'node:http';
import { AppError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { isLoopback } from '../domain/access/accounts/index.ts';

type Received = Pick<IncomingMessage, 'headers'>;

/** Who reaches the services of this process, as far as that decides what they do for a caller. */
export interface Exposure {
  /** Whether nobody but this machine reaches them, by the settings and by every request so far. */
  isHereAlone(): boolean;
  /** Looks at a request. Throws `host.unknown` for one that names a host which this machine is not. */
  note(request: Received): void;
}

/**
 * Names that lead to this machine, and that nobody else can have lead here: a page of any other name whose address changes to that of this
 * machine would read what is here as its own (DNS rebinding).
 */
const OF_THIS_MACHINE =
  /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|host\.docker\.internal)(?::\d{1,5})?$/i;

/** Whether a proxy says that it passes on the request of another machine. Programs that develop on this one forward their own. */
function isForAnotherMachine({ headers }: Received): boolean {
  const { forwarded, 'x-forwarded-for': addresses, 'x-real-ip': address } = headers;
  if (forwarded !== undefined) return true;
  return [addresses, address]
    .flatMap((header) => header ?? [])
    .flatMap((header) => header.split(','))
    .some((one) => !isLoopback(one.trim()));
}

/** @param isSetToHereAlone what the settings say */
export function createExposure(isSetToHereAlone: boolean, log: Pick<Log, 'warn'>): Exposure {
  let isReached = !isSetToHereAlone;
  return {
    isHereAlone: () => !isReached,
    note(request) {
      // No network of this machine is called for strangers that a proxy passes on.
      if (!isReached && isForAnotherMachine(request)) {
        isReached = true;
        log.warn(
          'a proxy passes on requests of other machines, and no setting says so: until the next start, no local network and nothing on this machine is called for accounts. Set ELNAV_TRUST_PROXY, ELNAV_CONNECT_URL and ELNAV_GRID_URL',
        );
      }
      const { host } = request.headers;
      // A service of this machine alone answers under its own names.
      if (isSetToHereAlone && host !== undefined && !OF_THIS_MACHINE.test(host))
        throw new AppError(
          'host.unknown',
          'the settings say that this service is for its own machine, where it is at localhost; to serve another name, set ELNAV_CONNECT_URL and ELNAV_GRID_URL, and ELNAV_TRUST_PROXY where a proxy is before it',
        );
    },
  };
}

import type { NetworkInterfaceInfo } from 'node:os';
import { isPublicAddress } from '../core/addresses.ts';
import type { Settings } from '../core/settings/index.ts';

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/;

interface Exposed {
  readonly settings: Pick<Settings, 'host' | 'connectUrl' | 'gridUrl' | 'tls' | 'trustProxy' | 'people'> & {
    readonly connectPort: number;
  };
  /** Names of the vendors that simulators stand in for. */
  readonly simulated: readonly string[];
  readonly interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>;
}

/**
 * What a start tells an operator whose services other machines reach without https and without a proxy: often that was meant for a
 * development machine. Empty where nothing is to be said.
 */
export function dangersOf({ settings, simulated, interfaces }: Exposed): readonly string[] {
  const { host, connectUrl, gridUrl, tls, trustProxy, people } = settings;
  const isEncrypted = [connectUrl, gridUrl].some((url) => url?.startsWith('https:')) || tls !== undefined;
  if (LOOPBACK.test(host) || isEncrypted || trustProxy.length > 0) return [];
  const dangers = [
    'passwords, API keys and cookies can be read on the way: this is http. Set ELNAV_TLS_CERT_FILE and ELNAV_TLS_KEY_FILE, or a proxy before it and ELNAV_TRUST_PROXY',
  ];
  if (people.isSignUpOpen)
    dangers.push('anybody who reaches it can sign up. Set ELNAV_SIGN_UP=closed to turn this off');
  if (simulated.length > 0)
    dangers.push('vendors are simulated, for real users too. Set ELNAV_SIMULATE=none to turn this off');
  if (connectUrl === undefined || gridUrl === undefined) {
    const own = Object.values(interfaces)
      .flatMap((addresses = []) => addresses)
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .toSorted(
        (one, other) => Number(isPublicAddress(other.address)) - Number(isPublicAddress(one.address)),
      );
    const example =
      own[0] === undefined ? '' : `, here perhaps to http://${own[0].address}:${settings.connectPort}`;
    dangers.push(
      `links in emails and on link pages lead to this machine alone. Set ELNAV_CONNECT_URL and ELNAV_GRID_URL to the addresses that others use${example}`,
    );
  }
  return dangers;
}

/** The block of lines that says it. */
export const warningOf = (dangers: readonly string[]): string =>
  ['Other machines reach these services, and:', ...dangers.map((danger) => `  - ${danger}.`), ''].join('\n');

import { OperatorError } from '../core/errors.ts';
import { httpUrl, networks, secret, text } from '../core/settings/kinds.ts';
import {
  type Declared,
  type Environment,
  optional,
  readAll,
  setting,
  type Values,
} from '../core/settings/setting.ts';

/** The settings of a gateway: a process of its own, that reads none of the services'. */
export const GATEWAY_SETTINGS = {
  url: setting('ELNAV_GATEWAY_URL', httpUrl, {
    fallback: 'http://127.0.0.1:8080',
    description: 'Address of Connect, as the gateway reaches it',
  }),
  code: optional('ELNAV_GATEWAY_CODE', secret('a pairing code'), {
    description: 'Pairing code of POST /gateways; needed for the first start alone',
  }),
  networks: optional('ELNAV_GATEWAY_NETWORKS', networks, {
    description:
      'Networks in which the gateway opens connections; the private networks of its machine without it. Addresses of the machine itself only where they are listed by themselves, as 192.168.1.5/32. Loopback, link-local and multicast addresses and those of the control of clouds are never opened',
  }),
  dataDir: setting('ELNAV_GATEWAY_DATA_DIR', text('a directory'), {
    fallback: './data/gateway',
    description: 'Directory in which the gateway keeps its key',
  }),
} satisfies Declared;

type GatewaySettings = Values<typeof GATEWAY_SETTINGS>;

const PREFIX = 'ELNAV_GATEWAY_';

/** Throws one `OperatorError` that lists all faults. */
export function readGatewaySettings(environment: Environment): GatewaySettings {
  const faults: string[] = [];
  const known = new Set(Object.values(GATEWAY_SETTINGS).map(({ name }) => name));
  for (const name of Object.keys(environment))
    if (name.startsWith(PREFIX) && !known.has(name)) faults.push(`${name} is not a setting of a gateway`);
  const settings = readAll(GATEWAY_SETTINGS, environment, faults);
  if (faults.length > 0)
    throw new OperatorError(`The settings are invalid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  return settings;
}

import { isIP } from 'node:net';
import type { JsonObject } from '../../core/json.ts';
import type { DevicePlace } from '../discovers.ts';
import { type Field, text } from './credentials.ts';

/** A name or an IP address and nothing else, for the pattern of a field: no port, and no user name or password, which would be shown with it. */
export const NAME_OR_ADDRESS = '(?:[A-Za-z0-9_]+(?:[.-]+[A-Za-z0-9_]+)*|[0-9A-Fa-f:.]+)';

/** A name, an IPv4 address, or an IPv6 address in brackets; a port where it is another than the usual. People copy it from the address bar. */
const ADDRESS =
  '^ *(?:https?://)?((?:[A-Za-z0-9]+(?:[.-]+[A-Za-z0-9]+)*|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?)/? *$';

/**
 * The field `host`: where a device is in the user's network. `fault` is what the link page says of anything else.
 * @param hint how the user finds the address
 */
export const deviceAddress = (hint: { readonly en: string; readonly sv: string }): Field =>
  text(
    {
      en: {
        label: 'Address in your network',
        hint: hint.en,
        fault: 'An address looks like 192.168.1.20.',
      },
      sv: {
        label: 'Adress i ditt nätverk',
        hint: hint.sv,
        fault: 'En adress ser ut som 192.168.1.20.',
      },
    },
    {
      pattern: ADDRESS,
      description:
        'IP address or name of the device in the network of its user, with :port where that is not the usual one',
    },
  );

/** For `chosenAddress`: the device that `host` names, over plain HTTP, which is all that most such devices speak. */
export const httpAddressOf = ({ host }: JsonObject): string => `http://${placeIn(host)}`;

/** The same of a device that speaks TLS, with a certificate of its own (`deviceCertificates`). */
export const httpsAddressOf = ({ host }: JsonObject): string => `https://${placeIn(host)}`;

/** For `discovers`: the field `host` of a device at a place. */
export const hostAt =
  (usualPort: number) =>
  ({ host, port }: DevicePlace): JsonObject => {
    const name = isIP(host) === 6 ? `[${host}]` : host;
    return { host: port === usualPort ? name : `${name}:${port}` };
  };

function placeIn(host: unknown): string {
  const [, place = ''] = new RegExp(ADDRESS).exec(String(host)) ?? [];
  return place.toLowerCase();
}

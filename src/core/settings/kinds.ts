import { isIP } from 'node:net';
import { faultInNetwork } from '../addresses.ts';
import { Secret } from '../secret.ts';
import type { Kind } from './setting.ts';

/** Any text. */
export const text = (values: string): Kind<string> => ({ values, isSecret: false, parse: (value) => value });

/** Text whose fault names what would be valid, and repeats the value. */
function written<T>(values: string, take: (value: string) => T | undefined): Kind<T> {
  return {
    values,
    isSecret: false,
    parse(value) {
      const taken = take(value);
      if (taken === undefined) throw new Error(`must be ${values}, not "${value}"`);
      return taken;
    },
  };
}

/** A whole number in a range. */
export const whole = (what: string, least: number, most: number): Kind<number> =>
  written(`${what} from ${least} to ${most}`, (value) => {
    const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? number : undefined;
  });

/** A number with at most two decimals, from 0. */
export const amount = (most: number): Kind<number> =>
  written(`a number from 0 to ${most} such as 10 or 12.50`, (value) => {
    const number = /^\d{1,7}(\.\d{1,2})?$/.test(value) ? Number(value) : Number.NaN;
    return number <= most ? number : undefined;
  });

/** One of these words. */
export const oneOf = <const T extends string>(...choices: readonly T[]): Kind<T> =>
  written(`one of ${choices.join(', ')}`, (value) => choices.find((choice) => choice === value));

/** A list of these words, separated by commas, each once. */
export const listOf = <const T extends string>(
  what: string,
  ...choices: readonly T[]
): Kind<readonly T[]> => ({
  values: `${what}, comma-separated: ${choices.join(', ')}`,
  isSecret: false,
  parse(value) {
    const one = oneOf(...choices);
    const list = value.split(',').map((part) => one.parse(part.trim()));
    const twice = list.find((part, place) => list.indexOf(part) !== place);
    if (twice !== undefined) throw new Error(`names ${twice} twice`);
    return list;
  },
});

const urlIn = (value: string, protocols: readonly string[]): URL | undefined => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && protocols.includes(url.protocol) ? url : undefined;
};

const WEB = ['http:', 'https:'];

/** The address of a service, without a trailing slash. */
export const httpUrl: Kind<string> = written(
  'an http or https address such as https://connect.example.com',
  (value) => {
    const url = urlIn(value, WEB);
    return url?.search === '' && url.hash === '' ? url.href.replace(/\/$/, '') : undefined;
  },
);

/** The address of a page. */
export const webAddress: Kind<string> = written(
  'an http or https address such as https://example.com/privacy',
  (value) => urlIn(value, WEB)?.href,
);

const PUBLIC_EMAIL = /^[^\s@<>",;:\\?&#%]{1,64}@[a-z0-9.-]{1,253}$/i;

/** security.txt requires a URI, with TLS on the web (RFC 9116, 2.5.3). */
export const contact: Kind<string> = written('an email address or an https address', (value) =>
  PUBLIC_EMAIL.test(value) ? `mailto:${value}` : urlIn(value, ['https:'])?.href,
);

const EMAIL = /^[^\s@<>",;:\\]{1,64}@[a-z0-9.-]{1,253}$/i;

/** The sender of emails. */
export const email: Kind<string> = written('an email address such as elnav@example.com', (value) =>
  EMAIL.test(value) ? value : undefined,
);

/** A secret of at least this many characters. */
export const secret = (values: string, least = 1): Kind<Secret> => ({
  values,
  isSecret: true,
  parse(value) {
    if (value.length < least) throw new Error(`must have at least ${least} characters`);
    return new Secret(value);
  },
});

/** An address that may contain a password, so that it is not repeated. */
export function secretUrl(
  schemes: readonly string[],
  { needsHost = false }: { readonly needsHost?: boolean } = {},
): Kind<Secret> {
  const values = `an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  const protocols = schemes.map((scheme) => `${scheme}:`);
  return {
    values,
    isSecret: true,
    parse(value) {
      const url = urlIn(value, protocols);
      if (url === undefined || (needsHost && url.host === '')) throw new Error(`must be ${values}`);
      return new Secret(value);
    },
  };
}

/** IP addresses and networks. */
export const networks: Kind<readonly string[]> = {
  values: 'IP addresses or networks such as 10.0.0.0/8, comma-separated',
  isSecret: false,
  parse(value) {
    if (value === '') return [];
    return value.split(',').map((part) => {
      const [address = '', prefix] = part.trim().split('/', 2);
      const version = isIP(address);
      const widest = version === 4 ? 32 : 128;
      if (version === 0 || (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= widest)))
        throw new Error(`must list IP addresses or networks such as 10.0.0.0/8, not "${part.trim()}"`);
      return part.trim();
    });
  },
};

export type LocalNetworksChoice = 'on' | 'off' | readonly string[];

/** Networks of users: those of the machine, none, or these. */
export const localNetworks: Kind<LocalNetworksChoice> = {
  values: 'on, off, or networks such as 192.168.1.0/24, comma-separated',
  isSecret: false,
  parse(value) {
    if (value === 'on' || value === 'off') return value;
    return value.split(',').map((part) => {
      const network = part.trim();
      const fault = faultInNetwork(network);
      if (fault === null) return network;
      throw new Error(
        `must be on, off, or networks such as 192.168.1.0/24, comma-separated; "${network}" ${fault}`,
      );
    });
  },
};

export interface VaultKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/** Parses `id:base64,id:base64`; also used for the file that the first start writes. */
export function parseVaultKeys(value: string): VaultKey[] {
  const keys = value
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part, index) => {
      const [id = '', encoded = ''] = part.split(':', 2);
      if (!/^[A-Za-z0-9_-]{1,32}$/.test(id))
        throw new Error('needs key ids of 1 to 32 letters, digits, - and _, as in k1:base64');
      const key = Buffer.from(encoded, 'base64');
      // The id is not repeated: if both parts were swapped, or the id left out, it is the key.
      if (key.length !== 32)
        throw new Error(`holds as key number ${index + 1} not 32 bytes in base64 but ${key.length}`);
      return { id, key };
    });
  if (new Set(keys.map((key) => key.id)).size !== keys.length) throw new Error('has two keys of one id');
  return keys;
}

/** Vault keys, of which the first encrypts. */
export const vaultKeys: Kind<readonly VaultKey[]> = {
  values: '`id:base64` of 32 bytes, comma-separated',
  isSecret: true,
  parse: parseVaultKeys,
};

/** A share of a whole. */
export const ratio: Kind<number> = written('a number from 0 to 1 such as 0.1', (value) => {
  const number = /^\d?(?:\.\d{1,9})?$/.test(value) && value !== '' ? Number(value) : Number.NaN;
  return number <= 1 ? number : undefined;
});

/** Headers with values that are never shown, as OpenTelemetry writes them. */
export const secretHeaders: Kind<Readonly<Record<string, Secret>>> = {
  values: 'headers as name=value, comma-separated, with values URL-encoded',
  isSecret: true,
  parse(value) {
    const pairs = value.split(',').map((pair) => {
      const [, name = '', text = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(\S+)\s*$/.exec(pair) ?? [];
      const decoded = decodedIn(text);
      if (name === '' || decoded === undefined)
        throw new Error('must be headers as name=value, comma-separated, with values URL-encoded');
      return [name, new Secret(decoded)] as const;
    });
    return Object.fromEntries(pairs);
  },
};

function decodedIn(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

import { Secret } from './secret.ts';
import { parseHttpUrl, type Setting, type SettingReader } from './setting.ts';

/** What a vendor may be set, as its adapter says. */
export interface VendorNeeds {
  readonly slug: string;
  readonly name: string;
  /** What it calls its addresses, each of which can be replaced; none where it is not called. */
  readonly hosts: readonly string[];
  /** It is linked by OAuth with a client of ours. */
  readonly hasPartner: boolean;
  /** Further settings that name a file: ELNAV_TESLA_PUBLIC_KEY_FILE. */
  readonly files: readonly { readonly setting: string; readonly description: string }[];
  /** Settings that change the amount of a limit: ELNAV_TESLA_MONTHLY_USD. */
  readonly amounts: readonly {
    readonly setting: string;
    readonly description: string;
    readonly fallback: number;
  }[];
}

export interface VendorSettings {
  readonly baseUrl: string | undefined;
  /** By the name of the host; each goes before `baseUrl`. */
  readonly baseUrls: Readonly<Record<string, string>>;
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
  /** Paths by the name of their setting. */
  readonly files: Readonly<Record<string, string>>;
  /** By the name of their setting. */
  readonly amounts: Readonly<Record<string, number>>;
}

const prefixOf = (slug: string) => `ELNAV_${slug.toUpperCase()}`;

/** Names of the settings of a vendor. */
export const vendorSettingNames = (slug: string) => ({
  baseUrl: `${prefixOf(slug)}_BASE_URL`,
  clientId: `${prefixOf(slug)}_CLIENT_ID`,
  clientSecret: `${prefixOf(slug)}_CLIENT_SECRET`,
});

/** The setting for one of a vendor's addresses: `ELNAV_TESLA_COMMANDS_BASE_URL`. */
export const hostSettingName = (slug: string, host: string) =>
  `${prefixOf(slug)}_${host.toUpperCase()}_BASE_URL`;

/** The settings that vendors add to those of the services. */
export function settingsOfVendors(vendors: readonly VendorNeeds[]): Setting[] {
  return vendors.flatMap(({ slug, name, hosts, hasPartner, files, amounts }) => {
    const names = vendorSettingNames(slug);
    return [
      ...(hasPartner
        ? [
            { name: names.clientId, fallback: '', description: `Client id of your app at ${name}` },
            {
              name: names.clientSecret,
              fallback: '',
              secret: true,
              description: 'Client secret of that app',
            },
          ]
        : []),
      ...(hosts.length > 0
        ? [
            {
              name: names.baseUrl,
              fallback: '',
              description: `Base URL for calls to ${name}, to replace the default, such as a simulator`,
            },
          ]
        : []),
      // A vendor with one address has one setting for it.
      ...(hosts.length > 1 ? hosts : []).map((host) => ({
        name: hostSettingName(slug, host),
        fallback: '',
        description: `Base URL for calls to the host \`${host}\` of ${name}, to replace the default`,
      })),
      ...files.map(({ setting, description }) => ({ name: setting, fallback: '', description })),
      ...amounts.map(({ setting, description, fallback }) => ({
        name: setting,
        fallback: String(fallback),
        description,
      })),
    ];
  });
}

/** Reads the settings of vendors, by slug. */
export function readVendorSettings(
  { parsed, optional, faults }: SettingReader,
  vendors: readonly VendorNeeds[],
): ReadonlyMap<string, VendorSettings> {
  const read = ({ slug, hosts, files, amounts }: VendorNeeds): VendorSettings => {
    const names = vendorSettingNames(slug);
    const clientId = optional(names.clientId);
    const clientSecret = parsed(names.clientSecret, (value) => new Secret(value));
    if ((clientId === undefined) !== (clientSecret === undefined))
      faults.push(`${names.clientId} and ${names.clientSecret} must be set together`);
    const addresses = hosts.flatMap((host) => {
      const address = parsed(hostSettingName(slug, host), parseHttpUrl);
      return address === undefined ? [] : [[host, address] as const];
    });
    const paths = files.flatMap(({ setting }) => {
      const path = optional(setting);
      return path === undefined ? [] : [[setting, path] as const];
    });
    return {
      baseUrl: parsed(names.baseUrl, parseHttpUrl),
      baseUrls: Object.fromEntries(addresses),
      clientId,
      clientSecret,
      files: Object.fromEntries(paths),
      amounts: Object.fromEntries(
        amounts.flatMap(({ setting }) => {
          const amount = parsed(setting, parseAmount);
          return amount === undefined ? [] : [[setting, amount] as const];
        }),
      ),
    };
  };
  return new Map(vendors.map((vendor) => [vendor.slug, read(vendor)]));
}

const MOST_AMOUNT = 1_000_000;

function parseAmount(value: string): number {
  const amount = /^\d{1,7}(\.\d{1,2})?$/.test(value) ? Number(value) : Number.NaN;
  if (amount <= MOST_AMOUNT) return amount;
  throw new Error(`must be a number from 0 to ${MOST_AMOUNT} such as 10 or 12.50, not "${value}"`);
}

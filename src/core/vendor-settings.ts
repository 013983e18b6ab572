import type { Setting } from './config.ts';
import type { Secret } from './secret.ts';

/** What a vendor may be set, as its adapter says. */
export interface VendorNeeds {
  readonly slug: string;
  readonly name: string;
  /** It is called at an address that can be replaced. */
  readonly hasHosts: boolean;
  /** It is linked by OAuth with a client of ours. */
  readonly hasPartner: boolean;
  /** Further settings that name a file: ELNAV_TESLA_PUBLIC_KEY_FILE. */
  readonly files: readonly { readonly setting: string; readonly description: string }[];
}

export interface VendorSettings {
  readonly baseUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
  /** Paths by the name of their setting. */
  readonly files: Readonly<Record<string, string>>;
}

const prefixOf = (slug: string) => `ELNAV_${slug.toUpperCase()}`;

/** Names of the settings of a vendor. */
export const vendorSettingNames = (slug: string) => ({
  baseUrl: `${prefixOf(slug)}_BASE_URL`,
  clientId: `${prefixOf(slug)}_CLIENT_ID`,
  clientSecret: `${prefixOf(slug)}_CLIENT_SECRET`,
});

/** The settings that vendors add to those of the services. */
export function settingsOfVendors(vendors: readonly VendorNeeds[]): Setting[] {
  return vendors.flatMap(({ slug, name, hasHosts, hasPartner, files }) => {
    const names = vendorSettingNames(slug);
    return [
      ...(hasPartner
        ? [
            { name: names.clientId, fallback: '', description: `Client id that ${name} gave to its partner` },
            {
              name: names.clientSecret,
              fallback: '',
              secret: true,
              description: 'The secret of that client',
            },
          ]
        : []),
      ...(hasHosts
        ? [
            {
              name: names.baseUrl,
              fallback: '',
              description: `Another address for the calls to ${name}; a simulator's, say`,
            },
          ]
        : []),
      ...files.map(({ setting, description }) => ({ name: setting, fallback: '', description })),
    ];
  });
}

import type { Secret } from '../secret.ts';
import { amount, httpUrl, oneOf, secret, text } from './kinds.ts';
import { type Environment, given, type Kind, optional, readAll, type Setting, setting } from './setting.ts';

/** The settings that a vendor's adapter declares. */
export interface VendorNeeds {
  readonly slug: string;
  readonly name: string;
  /** Names of its hosts, whose addresses can be replaced; empty for a vendor that is never called. */
  readonly hosts: readonly string[];
  /** Linked by OAuth, with a client of ours. */
  readonly hasPartner: boolean;
  /** The client has an API key besides its secret. */
  readonly hasApiKey: boolean;
  /** What the operator gets besides a client id and secret: `application_id` for ELNAV_SMARTCAR_APPLICATION_ID. */
  readonly partnerSettings?: readonly {
    readonly name: string;
    readonly description: string;
    readonly isSecret: boolean;
    readonly isRequired: boolean;
  }[];
  /** Further settings that name a file: ELNAV_TESLA_PUBLIC_KEY_FILE. */
  readonly files: readonly { readonly setting: string; readonly description: string }[];
  /** Settings that change the amount of a limit: ELNAV_TESLA_MONTHLY_USD. */
  readonly amounts: readonly {
    readonly setting: string;
    readonly description: string;
    readonly fallback: number;
  }[];
  /** Settings that say which plan the operator has, and so the amounts of limits: ELNAV_ENPHASE_PLAN. */
  readonly plans: readonly {
    readonly setting: string;
    readonly description: string;
    readonly names: readonly string[];
    readonly fallback: string;
  }[];
}

export interface VendorSettings {
  readonly baseUrl: string | undefined;
  /** By the name of the host; each takes precedence over `baseUrl`. */
  readonly baseUrls: Readonly<Record<string, string>>;
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
  readonly apiKey: Secret | undefined;
  /** By the name that the adapter gives each. */
  readonly partnerSettings: Readonly<Record<string, Secret>>;
  /** Paths by the name of their setting. */
  readonly files: Readonly<Record<string, string>>;
  /** By the name of their setting. */
  readonly amounts: Readonly<Record<string, number>>;
  /** The chosen plans by the name of their setting. */
  readonly plans: Readonly<Record<string, string>>;
}

const MOST_AMOUNT = 1_000_000;

const prefixOf = (slug: string) => `ELNAV_${slug.toUpperCase()}`;

/** Names of the settings of a vendor. */
export const vendorSettingNames = (slug: string) => ({
  baseUrl: `${prefixOf(slug)}_BASE_URL`,
  clientId: `${prefixOf(slug)}_CLIENT_ID`,
  clientSecret: `${prefixOf(slug)}_CLIENT_SECRET`,
  apiKey: `${prefixOf(slug)}_API_KEY`,
});

/** The settings that stand for what a partner has besides client id and secret. */
export const moreSettings = (
  slug: string,
  { more = {} }: { readonly more?: Readonly<Record<string, string>> },
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(more).map(([name, value]) => [moreNameOf(slug, name), value]));

/** The setting of what a partner has besides: `application_id` is ELNAV_SMARTCAR_APPLICATION_ID. */
export const moreNameOf = (slug: string, name: string) => `${prefixOf(slug)}_${name.toUpperCase()}`;

/** Text that is no secret, read as those are, so that both are one kind of value. */
const shown: Kind<Secret> = { ...secret('text'), isSecret: false };

type Group<T> = Readonly<Record<string, Setting<T>>>;

const byName = <T>(settings: readonly (readonly [string, Setting<T>])[]): Group<T> =>
  Object.fromEntries(settings);

/** The settings that a vendor adds to those of the services. */
function declarationsOf(vendor: VendorNeeds) {
  const { slug, name, hosts, hasPartner, hasApiKey, partnerSettings = [], files, amounts, plans } = vendor;
  const names = vendorSettingNames(slug);
  const service = 'connect';
  const partner = {
    clientId: optional(names.clientId, text('text'), {
      service,
      description: `Client id of your app at ${name}`,
      together: names.clientSecret,
    }),
    clientSecret: optional(names.clientSecret, secret('text'), {
      service,
      description: 'Client secret of that app',
    }),
  };
  const key = {
    apiKey: optional(names.apiKey, secret('text'), {
      service,
      description: `API key of your app at ${name}, which calls carry besides the user's token`,
      together: names.clientId,
    }),
  };
  const more = byName(
    partnerSettings.map(({ name: field, description, isSecret, isRequired }) => [
      field,
      optional(moreNameOf(slug, field), isSecret ? secret('text') : shown, {
        service,
        description,
        ...(isRequired ? { requiredWith: names.clientId } : {}),
      }),
    ]),
  );
  const address = {
    baseUrl: optional(names.baseUrl, httpUrl, {
      service,
      description: `Base URL for calls to ${name}, to replace the default or what users enter, such as a simulator`,
    }),
  };
  // A vendor with one address has one setting for it.
  const addresses = byName(
    (hosts.length > 1 ? hosts : []).map((host) => [
      host,
      optional(`${prefixOf(slug)}_${host.toUpperCase()}_BASE_URL`, httpUrl, {
        service,
        description: `Base URL for calls to the host \`${host}\` of ${name}, to replace the default`,
      }),
    ]),
  );
  const paths = byName(
    files.map(({ setting: file, description }) => [
      file,
      optional(file, text('path of a file'), { service, description }),
    ]),
  );
  const limits = byName(
    amounts.map(({ setting: limit, description, fallback }) => [
      limit,
      setting(limit, amount(MOST_AMOUNT), { service, description, fallback: String(fallback) }),
    ]),
  );
  const chosen = byName(
    plans.map(({ setting: plan, description, names: words, fallback }) => [
      plan,
      setting(plan, oneOf(...words), { service, description, fallback }),
    ]),
  );
  return {
    partner: hasPartner ? partner : undefined,
    key: hasApiKey ? key : undefined,
    more,
    address: hosts.length > 0 ? address : undefined,
    addresses,
    paths,
    limits,
    chosen,
  };
}

/** The settings of vendors, in the order of the documents. */
export const settingsOfVendors = (vendors: readonly VendorNeeds[]): Setting[] =>
  vendors.flatMap((vendor) =>
    Object.values(declarationsOf(vendor)).flatMap((group) => Object.values<Setting>(group ?? {})),
  );

/** Reads the settings of vendors, by slug. */
export function readVendorSettings(
  vendors: readonly VendorNeeds[],
  environment: Environment,
  faults: string[],
): ReadonlyMap<string, VendorSettings> {
  const read = (vendor: VendorNeeds): VendorSettings => {
    const { partner, key, more, address, addresses, paths, limits, chosen } = declarationsOf(vendor);
    const client = partner === undefined ? undefined : readAll(partner, environment, faults);
    return {
      baseUrl: address === undefined ? undefined : readAll(address, environment, faults).baseUrl,
      baseUrls: given(readAll(addresses, environment, faults)),
      clientId: client?.clientId,
      clientSecret: client?.clientSecret,
      apiKey: key === undefined ? undefined : readAll(key, environment, faults).apiKey,
      partnerSettings: given(readAll(more, environment, faults)),
      files: given(readAll(paths, environment, faults)),
      amounts: readAll(limits, environment, faults),
      plans: readAll(chosen, environment, faults),
    };
  };
  return new Map(vendors.map((vendor) => [vendor.slug, read(vendor)]));
}

import type { Adapter } from '../../../adapter/adapter.ts';
import { GATEWAY_FIELD } from '../../../adapter/credential-fields.ts';
import type { DevicePlace, Identified } from '../../../adapter/discovers.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Finder } from './places.ts';
import type { VendorAccount } from './store.ts';

/* What a discovery says of devices: never a secret, and nothing of a device that could not be printed. */

const MOST_NAME = 100;

/** A device in the network of a gateway, ready to be linked. */
export interface DiscoveredDevice {
  readonly vendor: string;
  readonly name: string;
  /** Its IP address. */
  readonly host: string;
  /** For `POST /link`, which takes `user_ref` and what is missing besides. */
  readonly link: { readonly vendor: string; readonly credentials: JsonObject };
  /** Names of credentials that the user has to give. */
  readonly missing: readonly string[];
  readonly is_linked: boolean;
  /** False where only linking tells whether it is a device of the vendor. */
  readonly certain: boolean;
}

/** A device that was identified, before it is known whether it is linked. */
export interface FoundDevice {
  readonly device: DiscoveredDevice;
  readonly account: VendorAccount | undefined;
}

/** The credentials of every vendor are an object. */
const fieldsOf = ({ credentials }: Pick<Adapter, 'credentials'>) => {
  const { properties = {}, required = [] } = credentials as {
    readonly properties?: Readonly<Record<string, { readonly writeOnly?: boolean }>>;
    readonly required?: readonly string[];
  };
  return { properties, required };
};

const missingIn = (
  adapter: Pick<Adapter, 'credentials'>,
  credentials: JsonObject,
  needs: readonly string[] = [],
): string[] =>
  [...new Set([...fieldsOf(adapter).required, ...needs])].filter((name) => credentials[name] === undefined);

/** A device may say anything: what is not printed is left out, and what is too long is cut. */
const nameIn = (name: string | undefined, { name: vendor }: Pick<Adapter, 'name'>): string => {
  const printed = (name ?? '').replace(/[\p{C}\s]+/gu, ' ').trim();
  return printed === '' ? vendor : printed.slice(0, MOST_NAME).toWellFormed();
};

/** What an adapter has identified at a place. */
export function foundAt(
  { host, port }: DevicePlace,
  { finder, identified, gateway }: { finder: Finder; identified: Identified; gateway: string },
): FoundDevice {
  const { slug: vendor, discovers } = finder;
  const { name, needs, vendorAccount, isUncertain = false } = identified;
  const credentials = { ...discovers.credentialsAt({ host, port }), ...identified.credentials };
  return {
    device: {
      ...{ vendor, name: nameIn(name, finder), host },
      link: { vendor, credentials: { ...credentials, [GATEWAY_FIELD]: gateway } },
      missing: missingIn(finder, credentials, needs),
      is_linked: false,
      certain: !isUncertain,
    },
    account: vendorAccount === undefined ? undefined : { vendor, vendorAccount },
  };
}

/** A device that answers the same at two ports is one. */
export function distinct(found: readonly FoundDevice[]): FoundDevice[] {
  const taken = new Set<string>();
  return found.filter(({ device: { vendor, host }, account }) => {
    if (account === undefined) return true;
    const key = JSON.stringify([vendor, host, account.vendorAccount]);
    return !taken.has(key) && taken.add(key);
  });
}

/** A device of a link, with its credentials but the secret ones. */
export function linkedAt(
  { host }: DevicePlace,
  { finder, name, credentials, gateway }: LinkedThrough,
): DiscoveredDevice {
  const { properties } = fieldsOf(finder);
  const shown = Object.fromEntries(
    Object.entries(credentials).filter(
      ([field]) => properties[field]?.writeOnly === undefined && field in properties,
    ),
  );
  return {
    ...{ vendor: finder.slug, name: nameIn(name, finder), host },
    link: { vendor: finder.slug, credentials: { ...shown, [GATEWAY_FIELD]: gateway } },
    // An optional secret was given: linking it again needs it too.
    missing: [
      ...new Set([
        ...missingIn(finder, shown),
        ...Object.keys(credentials).filter((field) => properties[field]?.writeOnly),
      ]),
    ],
    is_linked: true,
    certain: true,
  };
}

interface LinkedThrough {
  readonly finder: Finder;
  readonly name: string | undefined;
  readonly credentials: JsonObject;
  readonly gateway: string;
}

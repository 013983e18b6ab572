import type { Adapter, Linked } from '../../../adapter/adapter.ts';
import { adapterNamed } from '../../../adapter/adapters.ts';
import { GATEWAY_FIELD } from '../../../adapter/credential-fields.ts';
import type { Tokens } from '../../../adapter/login.ts';
import type { LinkOf } from '../../../adapter/session.ts';
import { grantedWith } from '../../../adapter/tokens.ts';
import type { Begin } from '../../../core/begin.ts';
import { AppError } from '../../../core/errors.ts';
import { randomId } from '../../../core/ids.ts';
import type { JsonObject } from '../../../core/json.ts';
import { validator } from '../../../core/validate.ts';
import type { Host } from '../../../db/host.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import type { Devices } from '../../devices/devices/index.ts';
import type { SetPoints } from '../../devices/set-points/index.ts';
import type { Calls, Given, LinkEvents, LinkRow, NewLink } from '../../vendor-calls/calls/index.ts';
import type { Interventions } from '../../vendor-calls/interventions/index.ts';
import type { LinkCodes } from './link-codes.ts';
import { linkLinked } from './link-events.ts';
import { markedAsSimulated } from './simulated-names.ts';
import type { LinkStore } from './store.ts';

export type DropReason = 'deleted' | 'credentials_changed' | 'taken_over';

interface LinkRequest {
  readonly account: number;
  readonly vendor: string;
  readonly userRef: string;
  readonly credentials: unknown;
  /** Whose spot prices its energy has; of a link that is there already, the one that it has stays without it. */
  readonly priceArea?: PriceArea | undefined;
  /** Called right before the vendor is asked: from then on the request has had an effect. */
  readonly begun: Begin;
}

export interface LinkedDevice {
  readonly id: string;
  readonly vendor: string;
  readonly device_type: string;
}

/** What came of linking. */
export interface Linking {
  /** Id of the link. */
  readonly link: string;
  readonly devices: readonly LinkedDevice[];
}

/** What an account is signed in with from now on. */
interface Kept {
  readonly credentials: JsonObject;
  /** What the platform keeps with them. */
  readonly pinned: JsonObject;
  readonly tokens: Tokens | undefined;
  readonly priceArea: PriceArea | undefined;
}

export interface LinksOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly calls: Calls;
  readonly devices: Devices;
  readonly interventions: Pick<Interventions, 'signedIn'>;
  readonly setPoints: Pick<SetPoints, 'releaseLink' | 'remain' | 'removals'>;
  readonly events: LinkEvents;
  readonly linkCodes: LinkCodes;
  /** Whether a simulator stands in for the vendor. */
  readonly isSimulated: (vendor: string) => boolean;
  /** How many links an account may have. */
  readonly mostLinks: (account: number) => Promise<number>;
  /** Throws `gateway.not_found` for a gateway that the account does not have. */
  readonly requireGateway: (gateway: { readonly account: number; readonly id: string }) => Promise<unknown>;
}

/** What making a link needs of the links that are there. */
interface Others {
  readonly store: LinkStore;
  /** Ends the link's connections, on every process. */
  drop(row: LinkOf, reason: DropReason): Promise<void>;
}

const hasLinkCode = (credentials: unknown): boolean =>
  typeof credentials === 'object' && credentials !== null && Object.hasOwn(credentials, 'link_code');

const linkCodeMissing = ({ name, slug }: Adapter): AppError =>
  new AppError(
    'link.credentials_invalid',
    `credentials.link_code is missing: ${name} is linked by signing in with a browser; open /oauth/${slug}/authorize there to get a link_code, or use POST /link/sessions, which needs none`,
  );

/** A check of credentials by the vendor's schema; it throws `link.credentials_invalid`, which names the field. */
function credentialChecks(adapters: ReadonlyMap<string, Adapter>) {
  const checks = new Map(
    [...adapters].map(([vendor, { credentials }]) => [
      vendor,
      validator(credentials, { name: 'credentials', code: 'link.credentials_invalid' }),
    ]),
  );
  return (vendor: string, credentials: unknown): JsonObject => {
    const check = checks.get(vendor);
    if (check === undefined) throw new Error(`${vendor} was no vendor at the start`);
    return check(credentials) as JsonObject;
  };
}

/** What the platform keeps of the credentials for itself, and what is the adapter's. */
function withoutGateway({ [GATEWAY_FIELD]: gateway, ...credentials }: JsonObject): {
  readonly gateway: string | null;
  readonly credentials: JsonObject;
} {
  return { gateway: typeof gateway === 'string' ? gateway : null, credentials };
}

interface Making extends Given {
  readonly account: number;
  readonly vendor: string;
  readonly userRef: string;
  readonly priceArea: PriceArea | undefined;
  readonly gateway: string | null;
}

/** A link before the vendor has said whose account it is. */
const newLink = ({ account, vendor, userRef, gateway }: Making, link: string, now: number): NewLink => ({
  ...{ account, link, vendor, userRef, vendorAccount: '' },
  ...{ status: 'active', statusSince: now, statusReason: null, refusedSince: null },
  ...{ createdAt: now, linkedAt: now, gateway },
});

/** Whether an account may have one more link. */
function createRoom({ mostLinks }: Pick<LinksOptions, 'mostLinks'>, store: LinkStore) {
  async function refuseBeyond(account: number): Promise<void> {
    const most = await mostLinks(account);
    if ((await store.count(account)) < most) return;
    throw new AppError(
      'link.too_many',
      `the account has ${most} links, which is its limit; remove one, or ask the operator for more`,
    );
  }

  /**
   * Throws `link.too_many` where nothing that the vendor says could be kept: a link code must not be spent for it, nor a user sent to
   * sign in. Where the account has links of the vendor, only the vendor's answer tells whether one of them is linked again.
   */
  async function requireRoom(account: number, vendor: string): Promise<void> {
    if (!(await store.hasAny(account, vendor))) await refuseBeyond(account);
  }

  return { refuseBeyond, requireRoom };
}

/** Links vendor accounts: signs in, asks what is there, and keeps it; one that is linked already is brought up to date. */
export function createLinkMaker(options: LinksOptions, { store, drop }: Others) {
  const { adapters, calls, devices, interventions, events, linkCodes } = options;
  const { database, clock, random } = options.host;
  const { credentials: vaulted, tokens } = calls;
  const linking = new Map<string, Promise<unknown>>();
  const checkCredentials = credentialChecks(options.adapters);
  const { refuseBeyond, requireRoom } = createRoom(options, store);

  async function link(request: LinkRequest): Promise<Linking> {
    const { account, vendor, userRef, priceArea } = request;
    const adapter = adapterNamed(adapters, vendor);
    if (adapter.oauth !== undefined && !hasLinkCode(request.credentials)) throw linkCodeMissing(adapter);
    const { gateway, credentials: given } = withoutGateway(checkCredentials(vendor, request.credentials));
    if (gateway !== null) await options.requireGateway({ account, id: gateway });
    await requireRoom(account, vendor);
    await request.begun();
    if (adapter.oauth === undefined) {
      const signIn: Given['signIn'] = (session) => adapter.login?.signIn?.(session, given);
      return linkAs({ account, vendor, userRef, priceArea, gateway, credentials: given, signIn });
    }
    return linkCodes.spend(vendor, String(given.link_code), (signedIn) =>
      linkSignedIn({ account, vendor, userRef, priceArea, tokens: signedIn }),
    );
  }

  /** Links an account whose user has signed in at the vendor; there are no credentials to keep. */
  function linkSignedIn(made: {
    readonly account: number;
    readonly vendor: string;
    readonly userRef: string;
    readonly priceArea: PriceArea | undefined;
    readonly tokens: Tokens;
  }): Promise<Linking> {
    const { account, vendor, userRef, priceArea, tokens: signedIn } = made;
    return linkAs({
      ...{ account, vendor, userRef, priceArea, credentials: {} },
      gateway: null,
      signIn: async () => signedIn,
    });
  }

  async function linkAs(making: Making): Promise<Linking> {
    const { account, vendor, priceArea, credentials } = making;
    const adapter = adapterNamed(adapters, vendor);
    const provisional = newLink(making, randomId(random), clock.now());
    const made = await calls.withNewLink(provisional, making, (session) => adapter.link(session));
    const { result: linked, tokens: latest, pinned } = made;
    // One at a time for a vendor account: two requests that link it at once make one link.
    const key = `${account}/${vendor}/${linked.vendorAccount}`;
    const saved = (linking.get(key) ?? Promise.resolve())
      .catch(() => {})
      .then(() => saveOnce(provisional, linked, { credentials, priceArea, pinned, tokens: latest }));
    linking.set(key, saved);
    return saved.finally(() => linking.get(key) === saved && linking.delete(key));
  }

  /** Another process may have made the same link a moment ago; then this one updates it. */
  async function saveOnce(provisional: NewLink, linked: Linked, kept: Kept): Promise<Linking> {
    try {
      return await save(provisional, linked, kept);
    } catch (error) {
      const { account, vendor } = provisional;
      if ((await store.findByVendorAccount(account, vendor, linked.vendorAccount)) === undefined) throw error;
      return save(provisional, linked, kept);
    }
  }

  async function save(provisional: NewLink, linked: Linked, kept: Kept): Promise<Linking> {
    const { account, vendor } = provisional;
    const adapter = adapterNamed(adapters, vendor);
    const before = await store.findByVendorAccount(account, vendor, linked.vendorAccount);
    if (before === undefined) await refuseBeyond(account);
    const key = { account, link: before?.link ?? provisional.link };
    const row: LinkRow = {
      ...provisional,
      ...key,
      vendorAccount: linked.vendorAccount,
      createdAt: before?.createdAt ?? provisional.createdAt,
      sealed: vaulted.seal(key, { ...(linked.credentials ?? kept.credentials), ...kept.pinned }),
    };
    const reported = options.isSimulated(vendor)
      ? markedAsSimulated(adapter, linked.devices)
      : linked.devices;
    const old = before === undefined ? [] : await devices.ofLink(row);
    // A station reports its own devices; what linking found holds only until it has.
    const keepsDevices = before !== undefined && adapter.dialIn !== undefined && old.length > 0;
    await database.transaction(async (transaction) => {
      await store.save(transaction, row, kept.priceArea);
      await database.events.append(transaction, [linkLinked(row, before !== undefined)]);
      if (kept.tokens !== undefined) await tokens.put(transaction, row, kept.tokens);
      await interventions.signedIn(transaction, row);
      if (keepsDevices) await devices.setUserRef(transaction, row);
      else
        await devices.replace(transaction, row, {
          found: reported,
          granted: kept.tokens === undefined ? undefined : grantedWith(adapter, kept.tokens),
        });
    });
    if (kept.tokens !== undefined) await tokens.forget(row);
    await devices.changed(account, [...old, ...linked.devices]);
    if (before !== undefined) await drop(row, 'credentials_changed');
    await events.emit('linked', row);
    const found = await devices.ofLink(row);
    return {
      link: row.link,
      devices: found.map(({ id, type }) => ({ id, vendor, device_type: type })),
    };
  }

  return { link, linkSignedIn, requireRoom };
}

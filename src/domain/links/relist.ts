import type { Adapter, Found } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import { grantedWith } from '../../adapter/scopes.ts';
import type { LinkOf } from '../../adapter/session.ts';
import type { Queries } from '../../db/database.ts';
import type { Evidence, Relisted } from '../devices/index.ts';
import type { LinksOptions } from './make-link.ts';
import { markedAsSimulated } from './simulated-names.ts';
import type { LinkStore } from './store.ts';

/** What a vendor has listed of a link. */
export interface Listed {
  readonly found: readonly Found[];
  readonly began: number;
  readonly evidence: ReadonlyMap<string, Evidence>;
  /** When the link had been linked last, as it was when the list began. */
  readonly linkedAt: number;
  /** Makes the list the one that counts, within the transaction; false when a newer one does. */
  readonly take: (transaction: Queries) => Promise<boolean>;
}

const NOTHING: Relisted = { added: [], changed: [], removed: [], missing: [] };

/** Brings stored devices up to date with lists of their accounts, and reports what changed. */
export function createRelist(
  { host, adapters, calls, devices, events, isSimulated }: LinksOptions,
  store: LinkStore,
) {
  const { database } = host;

  /** What the user grants with the tokens that hold now, where capabilities depend on it. */
  async function grantedTo(adapter: Adapter, link: LinkOf): Promise<readonly string[] | undefined> {
    const needsAny = Object.values(adapter.kinds).some(({ needs }) => needs !== undefined);
    if (adapter.oauth === undefined || !needsAny) return undefined;
    return grantedWith(adapter, await calls.tokens.stored(link));
  }

  /** Nothing happens where the account was linked again since the list began, or a newer list counts. */
  return async (link: LinkOf, listed: Listed): Promise<Relisted> => {
    const { account, vendor } = link;
    const { began, evidence, linkedAt, take } = listed;
    const adapter = adapterOf(adapters, vendor);
    const found = isSimulated(vendor) ? markedAsSimulated(adapter, listed.found) : listed.found;
    const granted = await grantedTo(adapter, link);
    const relisted = await database.transaction(async (transaction) => {
      // The link first, as linking it again does, then its devices in the order of those who only write what they are like.
      const held = await store.hold(transaction, link);
      if (held?.linkedAt !== linkedAt || !(await take(transaction))) return NOTHING;
      const of = { account, link: link.link, vendor, userRef: held.userRef };
      return devices.relist(transaction, of, { found, granted, began, evidence });
    });
    const { added, changed, removed } = relisted;
    const others = [...added, ...changed, ...removed].map((id) => ({ id }));
    if (others.length === 0) return relisted;
    await devices.changed(account, others);
    await events.emit('relisted', { account, link: link.link, vendor, added, changed, removed });
    return relisted;
  };
}

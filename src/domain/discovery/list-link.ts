import type { Adapter, Found } from '../../adapter/adapter.ts';
import { kindOf } from '../../adapter/derive.ts';
import type { Session } from '../../adapter/session.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { CONFIRMED_MS, type DeviceRow, type Evidence } from '../devices/index.ts';

/** What a vendor says of a link's devices now. */
export interface Listing {
  readonly found: readonly Found[];
  /** When it was asked. */
  readonly began: number;
  readonly evidence: ReadonlyMap<string, Evidence>;
}

type Lists = NonNullable<Adapter['list']>;

/** Missing devices that are asked about for one list; the others wait for the next one. */
const MOST_ASKED = 20;

/** Lists a link, and asks about the devices that have been missing for a while: a list alone may be half of one. */
export async function listLink(
  adapter: Adapter & { readonly list: Lists },
  session: Session,
  { known, clock }: { readonly known: readonly DeviceRow[]; readonly clock: Clock },
): Promise<Listing> {
  const began = clock.now();
  const found = await adapter.list(session, known);
  const listed = new Set(found.map(({ id }) => id));
  const doubtful = known.filter(
    ({ id, missingSince }) =>
      !listed.has(id) && missingSince !== null && began - missingSince >= CONFIRMED_MS,
  );
  const evidence = new Map<string, Evidence>();
  for (const device of doubtful.slice(0, MOST_ASKED))
    evidence.set(device.id, await evidenceOf(adapter, session, device));
  return { found, began, evidence };
}

/** Whether the vendor answers for a device that it does not list. */
async function evidenceOf(adapter: Adapter, session: Session, device: DeviceRow): Promise<Evidence> {
  const kind = kindOf(adapter, device.type);
  try {
    return kind.status(await kind.read(session, device)).online ? 'online' : 'unclear';
  } catch (error) {
    return error instanceof AppError && error.code === 'vendor.refused' ? 'refused' : 'unclear';
  }
}

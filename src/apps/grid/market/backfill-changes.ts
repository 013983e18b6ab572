import type { Accounts, Actor } from '../../../domain/access/accounts/index.ts';
import type { Backfill, BackfillRequest, Prices } from '../../../domain/market/prices/index.ts';

/** What back-fills are begun and cancelled with. */
export interface BackfillChanges {
  readonly prices: Pick<Prices, 'backfill'>;
  readonly accounts: Pick<Accounts, 'noteChange'>;
}

/** Begins a back-fill, and puts it into the audit trail. Throws as `Backfills.begin` does. */
export async function beginBackfill(
  { prices, accounts }: BackfillChanges,
  request: BackfillRequest,
  actor: Actor,
): Promise<Backfill> {
  const begun = await prices.backfill.begin(request);
  const { from, until, areas, refresh } = begun;
  await accounts.noteChange(actor, {
    action: 'backfill.begun',
    target: `backfill/${begun.id}`,
    detail: { from, to: until, areas: [...areas], refresh },
  });
  return begun;
}

/** Cancels a back-fill, and puts that into the audit trail; of one that is over, nothing. Throws `backfill.not_found`. */
export async function cancelBackfill(
  { prices, accounts }: BackfillChanges,
  id: string,
  actor: Actor,
): ReturnType<Prices['backfill']['cancel']> {
  const ended = await prices.backfill.cancel(id);
  if (ended.isCancelled)
    await accounts.noteChange(actor, {
      action: 'backfill.cancelled',
      target: `backfill/${ended.backfill.id}`,
      detail: {},
    });
  return ended;
}

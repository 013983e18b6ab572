import type { DeviceType } from '../../../adapter/device.ts';
import type { Capability } from '../../../adapter/fields.ts';
import { GRANT_PERMISSIONS, type Said } from '../../../adapter/interventions.ts';
import type { LinkOf } from '../../../adapter/session.ts';
import { randomId } from '../../../core/ids.ts';
import type { Queries } from '../../../db/database.ts';
import type { Host } from '../../../db/host.ts';
import type { InterventionRow } from './response.ts';
import type { InterventionStore } from './store.ts';

/** What is to be opened and resolved of a device, or of a link where `device` is null. */
interface Change extends LinkOf {
  readonly device: { readonly id: string; readonly type: DeviceType } | null;
  readonly said: Said;
  readonly open: readonly InterventionRow[];
  readonly capabilitiesOf: (code: string) => readonly Capability[] | undefined;
}

/** Opens and resolves interventions, each with its event. */
export function createApply(
  { database, random, log }: Pick<Host, 'database' | 'random' | 'log'>,
  store: InterventionStore,
) {
  const { clock } = database.moments;

  function logged(
    transaction: Queries,
    row: InterventionRow,
    { type, occurredAt }: { type: 'intervention.opened' | 'intervention.resolved'; occurredAt: number },
  ): Promise<void> {
    const { account, link, vendor, device, id, code, capabilities } = row;
    return database.events.append(transaction, [
      {
        ...{ account, type, link, vendor, occurredAt },
        ...(device === null ? {} : { device }),
        data: { intervention_id: id, code, capabilities },
      },
    ]);
  }

  /** The one place where an intervention begins. */
  async function opened(transaction: Queries, row: InterventionRow): Promise<void> {
    await store.add(transaction, row);
    await logged(transaction, row, { type: 'intervention.opened', occurredAt: row.openedAt });
  }

  /** The one place where it ends. */
  async function resolved(transaction: Queries, row: InterventionRow, at: number): Promise<void> {
    await store.resolve(transaction, row, at);
    await logged(transaction, row, { type: 'intervention.resolved', occurredAt: at });
  }

  /** Opens and resolves what is news, within a transaction that holds the link; answers what is open then. */
  return async (transaction: Queries, change: Change): Promise<readonly InterventionRow[]> => {
    const { account, link, vendor, device, said, capabilitiesOf } = change;
    const at = clock.now();
    let { open } = change;
    for (const [code, isNeeded] of said) {
      const row = open.find((one) => one.code === code && one.device === (device?.id ?? null));
      if (row !== undefined && isNeeded && code === GRANT_PERMISSIONS) {
        // Others may be missing by now.
        const capabilities = capabilitiesOf(code) ?? [];
        await store.setCapabilities(transaction, row, capabilities);
        open = open.map((one) => (one === row ? { ...row, capabilities } : one));
      }
      if ((row !== undefined) === isNeeded) continue;
      if (row !== undefined) {
        await resolved(transaction, row, at);
        open = open.filter((one) => one !== row);
        continue;
      }
      const capabilities = capabilitiesOf(code);
      if (capabilities === undefined) {
        log.error(
          { vendor, code },
          'an adapter says that an intervention is needed which it does not declare',
        );
        continue;
      }
      const now: InterventionRow = {
        ...{ account, link, vendor, code, capabilities },
        id: randomId(random),
        device: device?.id ?? null,
        deviceType: device?.type ?? null,
        openedAt: at,
        resolvedAt: null,
      };
      await opened(transaction, now);
      open = [...open, now];
    }
    return open;
  };
}

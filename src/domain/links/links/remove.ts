import type { LinkOf } from '../../../adapter/session.ts';
import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { linkRemoved } from './link-events.ts';
import type { DropReason, LinksOptions } from './make-link.ts';
import type { LinkStore } from './store.ts';

/** What the deletion of a link waits for. */
export interface Removal {
  readonly id: string;
  /** The link is deleted then, whatever its devices hold. */
  readonly removed_by: string;
  readonly set_points: readonly {
    readonly device: string;
    readonly type: string;
    readonly error: string;
  }[];
}

interface How {
  /** Deletes it at once, though a device may hold a set-point for ever. */
  readonly isForced?: boolean;
  /** Deletes it only if it was last linked then. */
  readonly ifLinkedAt?: number;
}

interface Others {
  readonly store: LinkStore;
  /** Ends the link's connections, on every process. */
  drop(row: LinkOf, reason: DropReason): Promise<void>;
}

/** Set-points that come into force while others are released are released too, so often. */
const ATTEMPTS = 3;

export const linkNotFound = (id: string): AppError =>
  new AppError('link.not_found', `there is no link ${id.slice(0, 100)}`);

/**
 * Forgets a link with its credentials, documents, devices and states, returns its devices to automatic operation, and revokes at the vendor
 * where it can. A device that would hold a set-point for ever and cannot be reached needs the credentials of the link: then the link stays, and
 * what it waits for is the result.
 */
export function createRemoval(options: LinksOptions, { store, drop }: Others) {
  const { adapters, calls, devices, setPoints, events } = options;
  const { database, clock, log } = options.host;

  return async function remove(account: number, id: string, how: How = {}): Promise<Removal | undefined> {
    const row = await calls.stored({ account, link: id });
    if (row === undefined) throw linkNotFound(id);
    if (how.ifLinkedAt !== undefined && how.ifLinkedAt !== row.linkedAt) return undefined;
    const unreleased = await setPoints.releaseLink(row);
    if (unreleased.length > 0 && !how.isForced)
      return {
        id,
        removed_by: rfc3339(Math.max(...unreleased.map(({ givenUpAt }) => givenUpAt))),
        set_points: unreleased.map(({ device, type, error }) => ({ device, type, error })),
      };
    const adapter = adapters.get(row.vendor);
    const isLast = (await store.expecting(row.vendor, row.vendorAccount)).length === 1;
    await events.emit('unlinking', { account, link: id, vendor: row.vendor, isLast });
    const unlink = adapter?.unlink?.bind(adapter);
    if (unlink !== undefined)
      await calls
        .withVendor(row, 'unlink', (session) => unlink(session, { isLast }))
        .catch((error: unknown) =>
          log.warn(
            { err: error, vendor: row.vendor },
            'access to an unlinked account was not revoked at the vendor',
          ),
        );
    const ids = await devices.ofLink(row);
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await database.transaction(async (transaction) => {
        // The link first, as linking it again does, then its devices in the order of those who only write what they are like.
        const held = await store.hold(transaction, row);
        if (held === undefined) return 'not_ours';
        if (how.ifLinkedAt !== undefined && held.linkedAt !== how.ifLinkedAt) return 'not_ours';
        if (!how.isForced && (await setPoints.remain(transaction, row))) return 'commanded';
        await devices.hold(transaction, row);
        const at = clock.now();
        await devices.logRemoved(transaction, row, at);
        await store.remove(transaction, row);
        await database.events.append(transaction, [linkRemoved(row, at)]);
        return 'removed';
      });
      // Another request has deleted it, or its user has linked it again: that one has done, or undone, what follows.
      if (outcome === 'not_ours') return undefined;
      if (outcome === 'removed') break;
      if (attempt === ATTEMPTS)
        throw new AppError('command.busy', 'devices of the link are being commanded; delete it again', {
          retryAfterSeconds: 5,
        });
      await setPoints.releaseLink(row);
    }
    await calls.tokens.forget(row);
    await drop(row, 'deleted');
    await events.emit('unlinked', row);
    await devices.changed(account, ids);
    return undefined;
  };
}

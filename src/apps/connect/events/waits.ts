import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import type { EventLog, EventPage } from '../../../domain/records/events/index.ts';

interface WaitsOptions {
  readonly eventLog: Pick<EventLog, 'wait'>;
  readonly accounts: Pick<Accounts, 'watchKeys'>;
  readonly clock: Clock;
  /** Ends requests that wait. */
  readonly stopping: AbortSignal;
}

type Query = Parameters<EventLog['wait']>[0];

/** A request that waits for an event. */
interface Waiting {
  readonly seconds: number;
  /** Whether its caller is still admitted. */
  readonly isAdmitted: () => Promise<boolean>;
  /** Calls back when its caller has disconnected. */
  readonly onClosed: (giveUp: () => void) => void;
}

interface Wait extends Pick<Waiting, 'isAdmitted'> {
  readonly account: number;
  readonly giveUp: () => void;
}

/** Requests that wait for an event; those whose key is revoked meanwhile end at once, and are told nothing. */
export function createWaits({ eventLog, accounts, clock, stopping }: WaitsOptions) {
  const open = new Set<Wait>();

  async function check({ isAdmitted, giveUp }: Wait): Promise<void> {
    if (!(await isAdmitted())) giveUp();
  }
  accounts.watchKeys((account) => {
    for (const wait of open) if (account === undefined || account === wait.account) void check(wait);
  });

  return async (query: Query, { seconds, isAdmitted, onClosed }: Waiting): Promise<EventPage> => {
    const over = new AbortController();
    const giveUp = () => over.abort();
    const wait = { account: query.account, isAdmitted, giveUp };
    const cancel = clock.after(seconds * 1_000, giveUp);
    open.add(wait);
    stopping.addEventListener('abort', giveUp);
    onClosed(giveUp);
    let found: EventPage;
    try {
      found = await eventLog.wait(query, over.signal);
    } finally {
      cancel();
      open.delete(wait);
      stopping.removeEventListener('abort', giveUp);
    }
    // Whoever lost its key while it waited is told nothing.
    if (!(await isAdmitted()))
      throw new AppError('key.invalid', 'the API key or the session has ended while the request waited');
    return found;
  };
}

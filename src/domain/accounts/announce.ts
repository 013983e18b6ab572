import { AppError } from '../../core/errors.ts';
import type { Database } from '../../db/database.ts';
import type { Topic } from '../../db/topic.ts';
import { TRUSTED_FOR_MS } from './refreshed.ts';

/**
 * Notifies every process of a stored change before the administrator gets a response. Throws when some could not be
 * notified; the administrator's retry notifies them again.
 */
export async function announce<M>(database: Database, topic: Topic<M>, message: M): Promise<void> {
  const silent = await topic.publishAndWait(database.bus, message);
  if (!database.bus.live) {
    throw new AppError(
      'database.unavailable',
      `the change is stored, but the other instances could not be notified and may use the old state for ${TRUSTED_FOR_MS / 1000} seconds; retry to be sure`,
      { retryAfterSeconds: 2 },
    );
  }
  if (silent.length > 0) {
    throw new AppError(
      'database.unavailable',
      `the change is stored, but not everywhere yet: ${silent.length} of the other instances did not confirm it within two seconds (in PostgreSQL's pg_stat_activity: ${silent.join(', ') || 'unknown'}); send the request again to be sure`,
      { retryAfterSeconds: 2 },
    );
  }
}

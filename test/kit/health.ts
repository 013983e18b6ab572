import { healthParts } from '../../src/bin/health-parts.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Database } from '../../src/db/database.ts';

/** What of the health is read from the database of a test world, without vendors. */
export const healthPartsOf = ({ database, clock }: { readonly database: Database; readonly clock: Clock }) =>
  healthParts({ database, clock, adapters: [], freeDisk: undefined });

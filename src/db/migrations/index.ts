import type { Migration } from 'kysely/migration';
import * as baseline from './0001-baseline.ts';

/** In order. A migration is never edited; a later one corrects its faults. */
export const migrations: Record<string, Migration> = { '0001-baseline': baseline };

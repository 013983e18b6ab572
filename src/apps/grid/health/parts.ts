import type { Clock } from '../../../core/clock.ts';
import { shareBriefly } from '../../../core/share-briefly.ts';
import { inTime } from '../../../http/health.ts';

/** A part of the health as it was read, or why it was not. */
export type Part<T> = { readonly value: T } | { readonly reason: string };

/** What was read of a part; undefined where it was not. */
export const readOf = <T>(part: Part<T>): T | undefined => ('value' in part ? part.value : undefined);

/** So that asking often costs nothing, also while a part hangs. */
const SHARED_MS = 5_000;

/**
 * Reads a part by itself: one that fails or does not respond within two seconds holds up no other. What came of it is shared for five seconds.
 * The result never rejects.
 */
export function readPart<T>(clock: Clock, read: () => Promise<T>): () => Promise<Part<T>> {
  return shareBriefly(clock, SHARED_MS, async () => {
    try {
      return { value: await inTime(clock, read) };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : 'it failed' };
    }
  });
}

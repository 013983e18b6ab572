import { pinMap } from './lookup.ts';
import { replaceLive } from './replace-live.ts';

/** Random spread of browsers that wait for the same moment, ms. */
const SPREAD_MS = 8_000;
const LEAST_MS = 5_000;
const LONGEST_MS = 3_600_000;

/** Updates the page when its prices expire, without reloading it. */
export function keepFresh(renewed: () => void): void {
  const until = Number(document.querySelector<HTMLElement>('#now')?.dataset.until);
  if (document.querySelector('#days, #production') === null || !Number.isFinite(until)) return;
  const wait = Math.min(Math.max(LEAST_MS, until - Date.now()), LONGEST_MS);
  setTimeout(() => void renew(renewed), wait + Math.random() * SPREAD_MS);
}

async function renew(renewed: () => void): Promise<void> {
  if (document.hidden) {
    document.addEventListener('visibilitychange', () => void renew(renewed), { once: true });
    return;
  }
  try {
    const answer = await fetch(location.pathname + location.search, { headers: { accept: 'text/html' } });
    if (answer.ok) {
      replaceLive(await answer.text());
      pinMap();
    }
  } catch {
    // Without a network the page stays unchanged until the next attempt.
  }
  renewed();
  keepFresh(renewed);
}

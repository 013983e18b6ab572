import { createStore } from './store.ts';

/** A page that was reloaded and is refused again at once is not reloaded a second time. */
const RELOAD_AT_MOST_EVERY_MS = 15_000;
const RELOADED_AT = 'elnav-console-reloaded-at';

/** Whether the session has ended: `typed` while the page holds what was typed, `idle` where it was reloaded a moment ago. */
export const signedOut = createStore<'no' | 'typed' | 'idle'>('no');
const unsaved = new Set<symbol>();

/** Marks that something was typed that would be lost with the page; the result ends it. */
export function keepTyped(): () => void {
  const mark = Symbol('typed');
  unsaved.add(mark);
  return () => unsaved.delete(mark);
}

/** The session has ended: the page is reloaded, which signs in, unless something typed would be lost. */
export function sessionEnded(): void {
  if (unsaved.size === 0 && mayReload()) {
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    location.reload();
    return;
  }
  signedOut.set(unsaved.size === 0 ? 'idle' : 'typed');
}

export function signedInAgain(): void {
  signedOut.set('no');
}

function mayReload(): boolean {
  try {
    return Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) > RELOAD_AT_MOST_EVERY_MS;
  } catch {
    return false;
  }
}

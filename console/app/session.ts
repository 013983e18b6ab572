import { createStore } from './store.ts';

/** A page that was loaded anew and is refused again at once is not loaded a second time. */
const RELOAD_AT_MOST_EVERY_MS = 15_000;
const RELOADED_AT = 'elnav-console-reloaded-at';

/** Whether the session has ended while the page holds what was typed. */
export const isSignedOut = createStore(false);
const unsaved = new Set<symbol>();

/** Marks that something was typed that would be lost with the page; the result ends it. */
export function keepTyped(): () => void {
  const mark = Symbol('typed');
  unsaved.add(mark);
  return () => unsaved.delete(mark);
}

/** The service knows the session no more: the page is loaded anew, which signs in, unless something typed would be lost. */
export function sessionEnded(): void {
  if (unsaved.size === 0 && mayReload()) {
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    location.reload();
    return;
  }
  isSignedOut.set(true);
}

export function signedInAgain(): void {
  isSignedOut.set(false);
}

function mayReload(): boolean {
  try {
    return Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) > RELOAD_AT_MOST_EVERY_MS;
  } catch {
    return false;
  }
}

import { replaceLive } from './replace-live.ts';

const EVERY_MS = 15_000;
/** Nobody looks any more: the session of who has left must not be kept alive. */
const LEFT_MS = 30 * 60_000;

/** Has the page read itself again every 15 seconds, while somebody looks at it. */
export function readAgain(): void {
  let usedAt = Date.now();
  const used = () => {
    usedAt = Date.now();
  };
  for (const event of ['pointermove', 'keydown', 'scroll']) addEventListener(event, used, { passive: true });
  const again = async (): Promise<void> => {
    if (!document.hidden && Date.now() - usedAt < LEFT_MS) await read();
    setTimeout(() => void again(), EVERY_MS);
  };
  setTimeout(() => void again(), EVERY_MS);
}

async function read(): Promise<void> {
  try {
    const response = await fetch(location.pathname + location.search, { headers: { accept: 'text/html' } });
    // The session is over: the page leads to the sign-in.
    if (response.redirected) location.reload();
    else if (response.ok) replaceLive(await response.text());
  } catch {
    // Without a network the page stays as it is until the next time.
  }
}

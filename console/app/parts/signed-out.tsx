import { useEffect } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries } from '../api/queries.ts';
import { BASE } from '../route.ts';
import { signedInAgain, signedOut } from '../session.ts';
import { useStore } from '../store.ts';
import { words } from '../words/index.ts';

/** Said where the session has ended and the page is not reloaded, until the same account has signed in again. */
export function SignedOut() {
  const state = useStore(signedOut);
  const isOut = state !== 'no';
  useEffect(() => {
    if (!isOut) return;
    const look = () => {
      if (document.hidden) return;
      call('GET /account').then(
        () => {
          signedInAgain();
          void queries.invalidateQueries();
        },
        () => {},
      );
    };
    document.addEventListener('visibilitychange', look);
    addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      removeEventListener('focus', look);
    };
  }, [isOut]);
  return (
    <div role="alert">
      {isOut ? (
        <div class="notice notice-note">
          <strong>{words.signedOut}</strong>
          <p>{state === 'typed' ? words.signedOutText : words.signedOutIdle}</p>
          <p>
            <a class="button button-small" href={BASE} target="_blank" rel="noopener opener">
              {words.signInAgain}
            </a>
          </p>
        </div>
      ) : null}
    </div>
  );
}

import { useEffect } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries } from '../api/queries.ts';
import { BASE } from '../route.ts';
import { isSignedOut, signedInAgain } from '../session.ts';
import { useStore } from '../store.ts';
import { words } from '../words/index.ts';

/** Said where the session ended while something was typed, until it is there again. */
export function SignedOut() {
  const isOut = useStore(isSignedOut);
  useEffect(() => {
    if (!isOut) return;
    const look = () => {
      if (document.hidden) return;
      call('GET /devices', { query: { limit: 1 } }).then(
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
          <p>{words.signedOutText}</p>
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

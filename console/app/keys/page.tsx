import { useState } from 'preact/hooks';
import { invalidate, useRead } from '../api/queries.ts';
import type { Key } from '../api/shapes.ts';
import { useNow } from '../clock.ts';
import { ItemsPage } from '../parts/items-page.tsx';
import { words } from '../words/index.ts';
import { KeyForm } from './form.tsx';
import { KeyItem } from './item.tsx';
import { type Made, MadeKey } from './made.tsx';

/** No event reports what becomes of keys: they are read again while the page is seen. */
const REFETCH_MS = 10_000;

/** The API keys of the account. */
export function KeysPage() {
  const result = useRead('GET /account/keys', {}, REFETCH_MS);
  const at = useNow(REFETCH_MS);
  const [made, setMade] = useState<Made>();
  const [said, setSaid] = useState('');
  return (
    <ItemsPage
      texts={words.keys}
      result={result}
      order={activeFirst}
      item={(one) => <KeyItem apiKey={one} at={at} onRevoked={setSaid} />}
      made={
        <>
          <p role="status" class={said === '' ? 'item-said' : 'notice notice-good'}>
            {said}
          </p>
          {made === undefined ? null : (
            <MadeKey key={made.id} made={made} onDone={() => setMade(undefined)} />
          )}
        </>
      }
      form={(close) => (
        <KeyForm
          onCancel={close}
          onMade={(key) => {
            close();
            setSaid('');
            setMade(key);
            invalidate('GET /account/keys');
          }}
        />
      )}
    />
  );
}

/** Those that can be used, the youngest first, before those that are revoked. */
const activeFirst = (keys: readonly Key[]): readonly Key[] =>
  keys.toReversed().toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null));

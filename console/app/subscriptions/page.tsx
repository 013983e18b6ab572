import { useState } from 'preact/hooks';
import { invalidate, useRead } from '../api/queries.ts';
import { useNow } from '../clock.ts';
import { ItemsPage } from '../parts/items-page.tsx';
import { words } from '../words/index.ts';
import { SubscriptionForm } from './form.tsx';
import { Secret, SubscriptionItem, type Verification } from './item.tsx';
import { REFETCH_MS } from './refetch.ts';

/** The receivers of events, and how each does. */
export function SubscriptionsPage() {
  const result = useRead('GET /subscriptions', {}, REFETCH_MS);
  const at = useNow(REFETCH_MS);
  const [made, setMade] = useState<Verification>();
  return (
    <ItemsPage
      texts={words.subscriptions}
      result={result}
      item={(one) => <SubscriptionItem subscription={one} at={at} />}
      made={made === undefined ? null : <Secret {...made} onDone={() => setMade(undefined)} />}
      form={(close) => (
        <SubscriptionForm
          onCancel={close}
          onMade={({ secret, public_key: publicKey }) => {
            close();
            setMade({ secret, publicKey });
            invalidate('GET /subscriptions');
          }}
        />
      )}
    />
  );
}

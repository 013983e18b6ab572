import { useState } from 'preact/hooks';
import { invalidate, useRead } from '../api/queries.ts';
import { useNow } from '../clock.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { useTitle } from '../parts/title.ts';
import { words } from '../words/index.ts';
import { SubscriptionForm } from './form.tsx';
import { SubscriptionItem } from './item.tsx';
import { REFETCH_MS } from './refetch.ts';
import { Secret } from './secret.tsx';

const texts = words.subscriptions;

/** The receivers of events, and how each does. */
export function SubscriptionsPage() {
  useTitle(texts.title);
  const { data, error, isPending, refetch } = useRead('GET /subscriptions', {}, REFETCH_MS);
  const at = useNow(REFETCH_MS);
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<{ readonly secret: string | null; readonly publicKey: string | null }>();
  return (
    <div class="stack">
      <div class="stack-small">
        <h1>{texts.title}</h1>
        <p class="soft">{texts.text}</p>
      </div>
      {made === undefined ? null : <Secret {...made} onDone={() => setMade(undefined)} />}
      {isMaking ? (
        <SubscriptionForm
          onCancel={() => setMaking(false)}
          onMade={({ secret, public_key: publicKey }) => {
            setMaking(false);
            setMade({ secret, publicKey });
            invalidate('GET /subscriptions');
          }}
        />
      ) : (
        <div class="row">
          <ActionButton tone="primary" onClick={() => setMaking(true)}>
            {texts.make}
          </ActionButton>
        </div>
      )}
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {isPending ? <p class="soft">{words.loading}</p> : null}
      {data?.length === 0 ? (
        <div class="empty">
          <strong>{texts.empty}</strong>
          <p>{texts.emptyText}</p>
        </div>
      ) : (
        <ul class="items">
          {(data ?? []).map((one) => (
            <SubscriptionItem key={one.id} subscription={one} at={at} />
          ))}
        </ul>
      )}
    </div>
  );
}

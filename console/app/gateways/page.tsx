import { useState } from 'preact/hooks';
import { invalidate, useRead } from '../api/queries.ts';
import { useNow } from '../clock.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Failure } from '../parts/failure.tsx';
import { useTitle } from '../parts/title.ts';
import { words } from '../words/index.ts';
import { GatewayForm } from './form.tsx';
import { GatewayItem } from './item.tsx';
import { type Pairing, PairingCode } from './pairing.tsx';

const texts = words.gateways;
/** No event tells that a gateway connects: it is read again while the page is seen. */
const REFETCH_MS = 10_000;

/** The gateways in users' networks, and how each does. */
export function GatewaysPage() {
  useTitle(texts.title);
  const { data, error, isPending, refetch } = useRead('GET /gateways', {}, REFETCH_MS);
  const at = useNow(REFETCH_MS);
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<Pairing>();
  return (
    <div class="stack">
      <div class="stack-small">
        <h1>{texts.title}</h1>
        <p class="soft">{texts.text}</p>
      </div>
      {made === undefined ? null : <PairingCode pairing={made} onDone={() => setMade(undefined)} />}
      {isMaking ? (
        <GatewayForm
          onCancel={() => setMaking(false)}
          onMade={(pairing) => {
            setMaking(false);
            setMade(pairing);
            invalidate('GET /gateways');
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
            <GatewayItem key={one.id} gateway={one} at={at} />
          ))}
        </ul>
      )}
    </div>
  );
}

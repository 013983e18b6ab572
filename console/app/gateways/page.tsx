import { useState } from 'preact/hooks';
import { invalidate, useRead } from '../api/queries.ts';
import { useNow } from '../clock.ts';
import { ItemsPage } from '../parts/items-page.tsx';
import { words } from '../words/index.ts';
import { GatewayForm } from './form.tsx';
import { GatewayItem } from './item.tsx';
import { type Pairing, PairingCode } from './pairing.tsx';

/** No event reports that a gateway connects: it is read again while the page is seen. */
const REFETCH_MS = 10_000;

/** The gateways in users' networks, and how each does. */
export function GatewaysPage() {
  const result = useRead('GET /gateways', {}, REFETCH_MS);
  const at = useNow(REFETCH_MS);
  const [made, setMade] = useState<Pairing>();
  return (
    <ItemsPage
      texts={words.gateways}
      result={result}
      item={(one) => <GatewayItem gateway={one} at={at} />}
      made={made === undefined ? null : <PairingCode pairing={made} onDone={() => setMade(undefined)} />}
      form={(close) => (
        <GatewayForm
          onCancel={close}
          onMade={(pairing) => {
            close();
            setMade(pairing);
            invalidate('GET /gateways');
          }}
        />
      )}
    />
  );
}

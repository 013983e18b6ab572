import type { Operations } from '../api/types.ts';
import { useNow } from '../clock.ts';
import { clockSeconds } from '../format.ts';
import { Copyable } from '../parts/copyable.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { words } from '../words/index.ts';

const texts = words.gateways;
const LOOK_MS = 5_000;

export type Pairing = Operations['POST /gateways']['response'];

/** The code that a gateway is paired with, and how it is started with it. */
export function PairingCode({ pairing, onDone }: { readonly pairing: Pairing; readonly onDone: () => void }) {
  const at = useNow(LOOK_MS);
  const isOver = Date.parse(pairing.expires_at) <= at;
  const command = `ELNAV_GATEWAY_URL=${location.origin} ELNAV_GATEWAY_CODE=${pairing.pairing_code} npm run gateway`;
  return (
    <ShownOnce
      title={texts.pairing}
      text={isOver ? texts.pairingOver : texts.pairingText(clockSeconds(pairing.expires_at))}
      onDone={onDone}
    >
      {isOver ? null : (
        <>
          <Copyable act={words.copying.copy(texts.code)} text={pairing.pairing_code} />
          <p>{texts.commandText}</p>
          <Copyable act={words.copying.copy(texts.command)} text={command} />
        </>
      )}
    </ShownOnce>
  );
}

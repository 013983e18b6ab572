import { Copyable } from '../parts/copyable.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { words } from '../words/index.ts';

const texts = words.subscriptions;

/** What the receiver verifies deliveries with. */
export interface Verification {
  /** Null where it verifies with the public key. */
  readonly secret: string | null;
  readonly publicKey: string | null;
}

interface SecretProps extends Verification {
  readonly onDone: () => void;
}

/** Shows what the receiver verifies deliveries with. */
export function Secret({ secret, publicKey, onDone }: SecretProps) {
  if (secret !== null)
    return (
      <ShownOnce title={texts.secret} text={texts.secretText} onDone={onDone}>
        <Copyable act={words.copying.copy(texts.secret)} text={secret} />
      </ShownOnce>
    );
  return (
    <ShownOnce title={texts.publicKey} text={texts.publicKeyText} onDone={onDone}>
      <Copyable act={words.copying.copy(texts.publicKey)} text={publicKey ?? ''} />
    </ShownOnce>
  );
}

import { Copyable, ShownOnce } from '../parts/shown-once.tsx';
import { words } from '../words/index.ts';

const texts = words.subscriptions;

interface SecretProps {
  /** Null where the receiver verifies with the public key. */
  readonly secret: string | null;
  readonly publicKey: string | null;
  readonly onDone: () => void;
}

/** What the receiver verifies deliveries with. */
export function Secret({ secret, publicKey, onDone }: SecretProps) {
  if (secret !== null)
    return (
      <ShownOnce title={texts.secret} text={texts.secretText} onDone={onDone}>
        <Copyable label={texts.secret} text={secret} />
      </ShownOnce>
    );
  return (
    <ShownOnce title={texts.publicKey} text={texts.publicKeyText} onDone={onDone}>
      <Copyable label={texts.publicKey} text={publicKey ?? ''} />
    </ShownOnce>
  );
}

import type { Operations } from '../api/types.ts';
import { Copyable } from '../parts/copyable.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { words } from '../words/index.ts';

const texts = words.keys;

export type Made = Operations['POST /account/keys']['response'];

/** A new key, which is nowhere else. */
export function MadeKey({ made, onDone }: { readonly made: Made; readonly onDone: () => void }) {
  const command = `curl -H 'X-Api-Key: ${made.api_key}' ${location.origin}/account`;
  return (
    <ShownOnce title={texts.made} text={texts.madeText} onDone={onDone}>
      <Copyable act={texts.copyKey} text={made.api_key} />
      <p>{texts.tryIt}</p>
      <Copyable act={texts.copyCommand} text={command} />
    </ShownOnce>
  );
}

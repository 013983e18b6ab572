import { foreign } from '../format.ts';
import { words } from '../words/index.ts';

/** A name that others chose: kept apart from the text around it, in whatever direction it is written. */
export function Name({ text }: { readonly text: string | null }) {
  const shown = foreign(text ?? '');
  return shown === '' ? <span class="soft">{words.noName}</span> : <bdi>{shown}</bdi>;
}

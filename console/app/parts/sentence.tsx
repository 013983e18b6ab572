import { foreign } from '../format.ts';

const LONGEST_SENTENCE = 1_000;

/** A sentence of the service or of a vendor, which is in English on a page of any language. */
export function Sentence({ text }: { readonly text: string }) {
  return <bdi lang="en">{foreign(text, LONGEST_SENTENCE)}</bdi>;
}

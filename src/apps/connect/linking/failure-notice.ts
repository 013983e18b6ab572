import type { AppError } from '../../../core/errors.ts';
import { translated } from '../../../core/language.ts';
import { type Html, html } from '../../../pages/html.ts';
import { failureInWords } from './failure-words.ts';
import { makersOf, type Reader } from './frame.ts';
import { shown } from './shown.ts';

const WORDS = translated({
  en: { support: 'For support', number: 'Number' },
  sv: { support: 'För support', number: 'Nummer' },
});

const LONGEST_SENTENCE = 300;

/** A failure, with what support needs to find it. */
export interface Failure {
  readonly error: AppError;
  readonly requestId: string;
  /** Name of the vendor, where it is known. */
  readonly vendor: string | undefined;
  readonly isByForm: boolean;
  /** What has to be done at the device first, where the vendor wants that. */
  readonly confirmation?: string | undefined;
}

/** The words for a failure, for the reader. */
export function wordsFor(
  reader: Reader,
  { error, vendor, isByForm, confirmation }: Failure,
): ReturnType<typeof failureInWords> {
  const { language } = reader;
  return failureInWords(error, { language, vendor, makers: makersOf(reader), isByForm, confirmation });
}

/** What a home owner does not need, and support does. The sentence is the one that programs get. */
export function forSupport({ language }: Reader, { error, requestId }: Failure): Html {
  const words = WORDS[language];
  return html`<details class="support"><summary>${words.support}</summary>
<p class="small soft">${words.number} <code>${requestId}</code> · <code>${error.code}</code></p>
<p class="small soft" lang="en">${shown(error.message, LONGEST_SENTENCE)}</p></details>`;
}

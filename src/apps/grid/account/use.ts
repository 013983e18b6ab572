import { type Html, html } from '../../../pages/html.ts';
import { section } from './parts.ts';
import type { AccountView } from './view.ts';
import { ACCOUNT_WORDS } from './words.ts';

type Addresses = Pick<AccountView, 'connectUrl' | 'gridUrl'>;

/** How a key is used, in three lines. */
export function useSection({ language, connectUrl, gridUrl }: AccountView): Html {
  const words = ACCOUNT_WORDS[language];
  const documents = [connectUrl, gridUrl].filter((url) => url !== undefined).map((url) => `${url}/docs`);
  const body = html`<pre tabindex="0" role="group" aria-labelledby="use"><code>${exampleCalls('elnav_…', { connectUrl, gridUrl }, words.useExample)}</code></pre>
<p>${words.documents} ${documents.map((url, index) => html`${index === 0 ? '' : ', '}<a href="${url}">${url}</a>`)}</p>`;
  return section({ id: 'use', title: words.use, text: words.useText, body });
}

/** The lines of a shell that call both services with a key. */
export function exampleCalls(key: string, { connectUrl, gridUrl }: Addresses, comment?: string): string {
  return [
    `KEY='${key}'${comment === undefined ? '' : `   # ${comment}`}`,
    ...(connectUrl === undefined ? [] : [`curl -H "X-Api-Key: $KEY" ${connectUrl}/devices`]),
    ...(gridUrl === undefined
      ? []
      : [`curl -H "X-Api-Key: $KEY" '${gridUrl}/api/v1/lookup/postal?code=11122'`]),
  ].join('\n');
}

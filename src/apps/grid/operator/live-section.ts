import { type Html, html, type Part } from '../../../pages/html.ts';

interface LiveSection {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly body: Part;
}

/** A section that is replaced when the page reads itself again (`console/operator-live.ts`). */
export const liveSection = ({ id, title, text, body }: LiveSection): Html =>
  html`<section class="stack" data-live="${id}" aria-labelledby="${id}"><div class="stack-small"><h2 id="${id}">${title}</h2><p class="soft">${text}</p></div>
${body}</section>`;

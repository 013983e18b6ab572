import { html } from '../../../pages/html.ts';
import type { OperatorScope } from './scope.ts';
import { OPERATOR_HOME, sectionPath } from './sections.ts';
import { OPERATOR_WORDS } from './words.ts';

/** The first page of the operator: what the sections hold. */
export function addOverview(pages: OperatorScope): void {
  pages.addPage({
    path: OPERATOR_HOME,
    section: undefined,
    show({ language, sections }) {
      const words = OPERATOR_WORDS[language];
      const body = html`<p class="lead">${words.overview}</p>
<dl class="operator-overview">${sections.map(
        (name) =>
          html`<div><dt><a href="${sectionPath(name)}">${words.sections[name]}</a></dt><dd class="soft">${words.sectionTexts[name]}</dd></div>`,
      )}</dl>`;
      return { title: words.home, body };
    },
  });
}

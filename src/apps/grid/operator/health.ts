import { type Html, html } from '../../../pages/html.ts';
import { formatIn } from '../front/format.ts';
import type { Health } from '../health/look.ts';
import { GUIDES, type Problem } from '../health/problem.ts';
import { sayProblem } from '../health/problem-words.ts';
import { eventsTable, hereTables, instancesTable, sourcesTables, vendorsTable } from './health-tables.ts';
import { HEALTH_WORDS as words } from './health-words.ts';
import { liveSection } from './parts.ts';
import type { OperatorScope } from './scope.ts';
import { sectionPath } from './sections.ts';

interface HealthPages {
  readonly lookAtHealth: () => Promise<Health>;
  /** Where the source code is, with its guides; undefined where the operator has not said. */
  readonly sourceUrl: string | undefined;
}

/** The page of health: problems first, then the state of every part. */
export function addOperatorHealth(pages: OperatorScope, { lookAtHealth, sourceUrl }: HealthPages): void {
  pages.addPage({
    path: sectionPath('health'),
    section: 'health',
    async show() {
      return {
        title: words.title,
        body: healthBody(await lookAtHealth(), sourceUrl),
        styles: ['health'],
        scripts: ['operator-live'],
      };
    },
  });
}

/** What is wrong, worst first, then how everything is. `sourceUrl`: where the source code is, with its guides. */
function healthBody(health: Health, sourceUrl: string | undefined): Html {
  return html`${problemsSection(health, sourceUrl)}
${liveSection({ id: 'instances', title: words.instances, text: words.instancesText, body: instancesTable(health) })}
${liveSection({ id: 'sources', title: words.sources, text: words.sourcesText, body: sourcesTables(health) })}
${liveSection({ id: 'vendors', title: words.vendors, text: words.vendorsText, body: vendorsTable(health) })}
${liveSection({ id: 'events', title: words.events, text: words.eventsText, body: eventsTable(health) })}
${liveSection({ id: 'here', title: words.here, text: words.hereText, body: hereTables(health) })}`;
}

function problemsSection({ problems, checkedAt }: Health, sourceUrl: string | undefined): Html {
  const critical = problems.filter(({ severity }) => severity === 'critical').length;
  const tone =
    critical > 0 ? 'notice notice-bad' : problems.length > 0 ? 'notice notice-note' : 'notice notice-good';
  const summary = problems.length === 0 ? words.well : words.wrong(problems.length, critical);
  return html`<section class="stack" data-live="problems" aria-labelledby="problems"><h2 id="problems" class="hidden-visually">${words.problems}</h2>
<p class="${tone}"><strong>${summary}</strong></p>
${problems.length === 0 ? null : html`<ol class="health-problems">${problems.map((problem) => problemItem(problem, sourceUrl))}</ol>`}
<p class="soft small">${words.read(timeWithSeconds(checkedAt))}</p></section>`;
}

const NOTICES = { critical: 'notice-bad', warning: 'notice-note' } satisfies Record<
  Problem['severity'],
  string
>;

function problemItem(problem: Problem, sourceUrl: string | undefined): Html {
  const { sentence, whatToDo } = sayProblem(problem);
  const { code, severity } = problem;
  return html`<li class="${`notice ${NOTICES[severity]}`}"><p><strong>${words.severity[severity]}:</strong> ${sentence}</p>
<p>${whatToDo} ${guideLink(GUIDES[code], sourceUrl)}</p></li>`;
}

/** Leads to the guide where the source code can be found; otherwise names its file. */
function guideLink(guide: string, sourceUrl: string | undefined): Html {
  const [file = ''] = guide.split('#');
  if (sourceUrl === undefined)
    return html`<span class="soft small">${words.inGuide} <code>${file}</code></span>`;
  // The form that GitHub and GitLab understand.
  return html`<a href="${`${sourceUrl.replace(/\/$/, '')}/blob/HEAD/${guide}`}" rel="noreferrer">${words.guide}</a>`;
}

const timeWithSeconds = (at: number): string =>
  `${formatIn('en').time(at)}:${String(Math.floor(at / 1_000) % 60).padStart(2, '0')}`;

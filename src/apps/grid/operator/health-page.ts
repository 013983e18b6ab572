import type { Language } from '../../../core/language.ts';
import { type Html, html } from '../../../pages/html.ts';
import { formatIn } from '../front/format.ts';
import type { Health } from '../health/look.ts';
import { GUIDES, type Problem } from '../health/problem.ts';
import { sayProblem } from '../health/problem-words.ts';
import { eventsTable, hereTables, instancesTable, sourcesTables, vendorsTable } from './health-tables.ts';
import { HEALTH_WORDS } from './health-words.ts';
import { liveSection } from './live-section.ts';

/** What is wrong, worst first, then how everything is. `sourceUrl`: where the source code is, with its guides. */
export function healthBody(health: Health, language: Language, sourceUrl: string | undefined): Html {
  const words = HEALTH_WORDS[language];
  return html`${problemsSection(health, language, sourceUrl)}
${liveSection({ id: 'instances', title: words.instances, text: words.instancesText, body: instancesTable(health, language) })}
${liveSection({ id: 'sources', title: words.sources, text: words.sourcesText, body: sourcesTables(health, language) })}
${liveSection({ id: 'vendors', title: words.vendors, text: words.vendorsText, body: vendorsTable(health, language) })}
${liveSection({ id: 'events', title: words.events, text: words.eventsText, body: eventsTable(health, language) })}
${liveSection({ id: 'here', title: words.here, text: words.hereText, body: hereTables(health, language) })}`;
}

function problemsSection(
  { problems, checkedAt }: Health,
  language: Language,
  sourceUrl: string | undefined,
): Html {
  const words = HEALTH_WORDS[language];
  const critical = problems.filter(({ severity }) => severity === 'critical').length;
  const tone =
    critical > 0 ? 'notice notice-bad' : problems.length > 0 ? 'notice notice-note' : 'notice notice-good';
  const summary = problems.length === 0 ? words.well : words.wrong(problems.length, critical);
  return html`<section class="stack" data-live="problems" aria-labelledby="problems"><h2 id="problems" class="hidden-visually">${words.problems}</h2>
<p class="${tone}"><strong>${summary}</strong></p>
${problems.length === 0 ? null : html`<ol class="health-problems">${problems.map((problem) => problemItem(problem, language, sourceUrl))}</ol>`}
<p class="soft small">${words.read(timeWithSeconds(checkedAt, language))}</p></section>`;
}

const NOTICES = { critical: 'notice-bad', warning: 'notice-note' } satisfies Record<
  Problem['severity'],
  string
>;

function problemItem(problem: Problem, language: Language, sourceUrl: string | undefined): Html {
  const words = HEALTH_WORDS[language];
  const { sentence, whatToDo } = sayProblem(problem, language);
  const { code, severity } = problem;
  return html`<li class="${`notice ${NOTICES[severity]}`}"><p><strong>${words.severity[severity]}:</strong> ${sentence}</p>
<p>${whatToDo} ${guideLink(GUIDES[code], language, sourceUrl)}</p></li>`;
}

/** Leads to the guide where the source code can be found; otherwise names its file. */
function guideLink(guide: string, language: Language, sourceUrl: string | undefined): Html {
  const words = HEALTH_WORDS[language];
  const [file = ''] = guide.split('#');
  if (sourceUrl === undefined)
    return html`<span class="soft small">${words.inGuide} <code>${file}</code></span>`;
  // The form that GitHub and GitLab understand.
  return html`<a href="${`${sourceUrl.replace(/\/$/, '')}/blob/HEAD/${guide}`}" rel="noreferrer">${words.guide}</a>`;
}

const timeWithSeconds = (at: number, language: Language): string =>
  `${formatIn(language).time(at)}:${String(Math.floor(at / 1_000) % 60).padStart(2, '0')}`;

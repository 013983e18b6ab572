import { rfc3339 } from '../../../core/clock.ts';
import type { InstanceReport } from '../../../domain/links/instances/index.ts';
import { html, type Part } from '../../../pages/html.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { sourceName } from '../front/source-names.ts';
import { AMOUNTS } from '../health/amounts.ts';
import { type Health, succeededAt } from '../health/look.ts';
import type { Part as HealthPart } from '../health/parts.ts';
import { instanceName } from '../health/problems.ts';
import { registersOf, sourcesOf } from '../health/response.ts';
import { type HealthWords, HEALTH_WORDS as words } from './health-words.ts';
import { empty, numbers, table, time, timeText } from './parts.ts';

/** What was read of a part, or a sentence that it was not. */
function shown<T>(part: HealthPart<T>, show: (value: T) => Part): Part {
  return 'reason' in part
    ? html`<p class="notice notice-note">${words.unread(part.reason)}</p>`
    : show(part.value);
}

/** A moment in ms, or a word where there is none. */
const at = (ms: number | null, otherwise: string): Part => (ms === null ? otherwise : time(rfc3339(ms)));

/** The processes that share the database. */
export function instancesTable({ parts, instance: self, checkedAt }: Health): Part {
  const { span, size, number } = AMOUNTS;
  return shown(parts.instances, (all) =>
    table({
      label: words.instances,
      columns: [
        words.instance,
        words.state,
        words.services,
        words.started,
        ...numbers(words.memory, words.loop, words.behind),
        words.open,
        words.leads,
      ],
      rows: all.map((one) => {
        const { report, leads } = one;
        return [
          html`${instanceName(one)}${one.id === self ? html` <span class="soft small">${words.self}</span>` : null}`,
          html`${one.isAlive ? words.alive : html`<strong class="health-bad">${words.dead}</strong>`} <span class="soft small">${words.seen(span(Math.max(0, checkedAt - one.seenAt) / 1_000))}</span>`,
          html`${one.services.join(', ')} <span class="soft small">${one.version}</span>`,
          at(one.startedAt, ''),
          report === null ? '–' : size(report.memory_bytes),
          report === null ? '–' : `${number(report.event_loop_p99_ms)} ms`,
          report?.log_lag_ms == null ? '–' : `${number(report.log_lag_ms)} ms`,
          report === null ? '–' : openText(report, words, number),
          leads === null ? words.everything : leads.length === 0 ? words.none : leads.join(', '),
        ];
      }),
    }),
  );
}

/** Each source with what it answered, and how far its figures reach. */
export function sourcesTables({ parts, registers }: Health): Part {
  const moment = (text: string | null, otherwise: string): Part => (text === null ? otherwise : time(text));
  const market = shown(parts.market, (read) => {
    const sources = sourcesOf(read);
    const { prices, production } = read;
    return html`${
      sources.length === 0
        ? empty(words.noSources, words.noSourcesText)
        : table({
            label: words.sources,
            columns: [words.source, words.kind, words.outcome, words.succeeded, words.next],
            rows: sources.map((one) => [
              one.kind === 'production'
                ? (production.source?.name ?? one.source)
                : sourceName(one.source).name,
              words.kinds[one.kind],
              one.failures_in_row > 0
                ? html`<strong class="health-bad">${one.sentence}</strong>`
                : one.sentence,
              moment(one.succeeded_at, words.never),
              moment(one.next_attempt_at, '–'),
            ]),
          })
    }
${table({
  label: words.reaches,
  columns: [words.area, words.pricesUntil, words.productionUntil],
  rows: PRICE_AREAS.map((area) => [
    area,
    at(prices.until[area], words.missing),
    at(production.until[area], words.missing),
  ]),
})}`;
  });
  return html`${market}
<details><summary>${words.registers}</summary><p class="soft">${words.registersText}</p>
${table({
  label: words.registers,
  columns: [words.source, words.asOf, words.tables],
  rows: registersOf(registers).map(({ source, as_of, tables }) => [source, as_of, tables.join(', ')]),
})}</details>`;
}

/** The id of a vendor's row, which links from elsewhere lead to. */
export const vendorRow = (slug: string): string => `vendor-${slug}`;

/** Vendors that somebody has linked. */
export function vendorsTable({ parts }: Health): Part {
  const { number, share } = AMOUNTS;
  return shown(parts.vendors, (all) => {
    if (all.length === 0) return empty(words.noVendors, words.noVendorsText);
    const columns = [words.vendor, words.state, words.links, words.blocked, words.limits];
    return table({
      label: words.vendors,
      columns: [...columns, ...numbers(words.reads, words.deliveries), words.lastCall],
      rows: all.map(({ slug, name, state, links, blockedUntil, blockedLinks, limits, reads, deliveries }) => [
        html`<span id="${vendorRow(slug)}">${name}</span>`,
        state === 'ok' || state === 'unknown'
          ? words.vendorStates[state]
          : html`<strong class="health-bad">${words.vendorStates[state]}</strong>`,
        words.linkCounts(number(links.active), number(links.unreachable), number(links.needsRelink)),
        blockedUntil === null && blockedLinks === 0
          ? words.none
          : [
              blockedUntil === null ? [] : [words.blockedUntil(timeOf(blockedUntil))],
              blockedLinks === 0 ? [] : [words.blockedLinks(blockedLinks, number(blockedLinks))],
            ]
              .flat()
              .join(', '),
        limits.length === 0 ? '–' : limits.map(({ limit, used }) => `${limit} ${share(used)}`).join(', '),
        reads.late === 0
          ? number(reads.waiting)
          : html`${number(reads.waiting)}, <strong class="health-bad">${words.late(number(reads.late))}</strong>`,
        number(deliveries),
        at(succeededAt(parts.instances, slug), '–'),
      ]),
    });
  });
}

/** The event log, those that read it, and subscriptions. */
export function eventsTable({ parts }: Health): Part {
  const { number, span } = AMOUNTS;
  const lag = (seconds: number) => (seconds === 0 ? '–' : span(seconds));
  const log = shown(parts.eventLog, ({ heldMs, readers }) =>
    table({
      label: words.events,
      columns: [words.reader, { number: words.lag }],
      rows: [
        [words.log, lag(heldMs / 1_000)],
        ...readers.map(({ name, lagMs }) => [words.readers[name] ?? name, lag(lagMs / 1_000)]),
      ],
    }),
  );
  const subscriptions = shown(parts.subscriptions, (all) =>
    all.length === 0
      ? null
      : table({
          label: words.events,
          columns: [words.state, { number: words.count }, { number: words.lag }],
          rows: all.map(({ state, count, lag: seconds }) => [
            words.subscriptionStates[state] ?? state,
            number(count),
            lag(seconds),
          ]),
        }),
  );
  return html`${log}${subscriptions}`;
}

/** The checks of this instance, and its database. */
export function hereTables({ parts }: Health): Part {
  const { size } = AMOUNTS;
  const database = shown(
    parts.database,
    ({ engine, version, bytes, freeDisk }) =>
      html`<dl class="facts"><dt>${words.database}</dt><dd>${words.databaseFacts(words.engines[engine], version, size(bytes))}</dd>
${freeDisk === null ? null : html`<dt>${words.disk}</dt><dd>${size(freeDisk)}</dd>`}</dl>`,
  );
  const checks = shown(parts.checks, (all) =>
    table({
      label: words.here,
      columns: [words.check, words.state, words.message],
      rows: all.map(({ name, isWell, message }) => [
        name,
        isWell ? words.works : html`<strong class="health-bad">${words.fails}</strong>`,
        message,
      ]),
    }),
  );
  return html`${database}${checks}`;
}

const timeOf = (ms: number): string => timeText(rfc3339(ms));

/** What is open in a process, without what it has none of. */
function openText(report: InstanceReport, words: HealthWords, number: (value: number) => string): string {
  const { streams, event_streams: events, stations, gateways } = report;
  const counts = { streams, events, stations, gateways };
  const open = Object.entries(words.openKinds).flatMap(([name, text]) => {
    const count = counts[name as keyof typeof counts] ?? 0;
    return count === 0 ? [] : [text(number(count))];
  });
  return open.length === 0 ? words.nothing : open.join(', ');
}

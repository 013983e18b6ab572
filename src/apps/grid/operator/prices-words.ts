import type { Words } from '../../../core/language.ts';
import type { BackfillFault } from '../../../domain/prices/index.ts';
import { PRICES_SWEDISH } from './prices-words-sv.ts';

/** Texts of the page of prices and of its back-fills. */
export type PricesWords = typeof ENGLISH;

const ENGLISH = {
  title: 'Prices',
  stored: 'What is stored',
  storedText: 'One square is one day. A day without a letter is not stored.',
  monthOf: (area: string, month: string) => `${area}, ${month}`,
  previousMonth: 'Month before',
  nextMonth: 'Next month',
  months: 'Months',
  weekdays: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
  legend: 'Sources',
  hole: 'missing',
  notYet: 'not published yet',
  noMonths: 'No prices are stored yet',
  noMonthsText: 'They are fetched in the background, or by a back-fill.',
  month: 'Month',
  allMonths: 'All months',
  allMonthsText: 'Stored days of the days of each month until today.',
  ofDays: (stored: string, days: string) => `${stored} of ${days}`,

  backfill: 'Back-fill',
  backfillText:
    'Fetches the prices of past days, one day after the other, about one a second. One runs at a time.',
  off: 'Fetching is switched off (ELNAV_FETCH), so nothing can be fetched.',
  readingOnly: 'You are only reading. Turn on changes to fetch past days.',
  isRunning: 'One is running; wait until it ends, or cancel it.',
  from: 'First day',
  to: 'Last day',
  dayHint: 'As in 2026-11-01.',
  areas: 'Price areas',
  refresh: 'Also days that are stored: a source may have corrected them',
  fetch: 'Fetch …',
  faults: {
    no_day: () => 'Write a day such as 2026-11-01.',
    before_first: (limit: string) => `The last day must not be before the first one, ${limit}.`,
    in_future: (limit: string) => `Prices are published for one day ahead: write ${limit} or an earlier day.`,
    too_long: () => 'A back-fill is at most 20 years long.',
    no_area: () => 'Choose at least one price area.',
  } satisfies Record<BackfillFault['kind'], (limit: string) => string>,
  summary: 'The form could not be sent: see the marked fields.',

  beginTitle: 'Fetch past days',
  beginSentence: (days: string, from: string, to: string, areas: string, isRefresh: boolean) =>
    `Fetch ${days} (${from} to ${to}) of ${areas}, ${isRefresh ? 'also days that are stored: they are replaced where a source has other prices' : 'only days that are missing'}?`,
  days: (count: number, text: string) => (count === 1 ? 'one day' : `${text} days`),
  begin: 'Fetch them',
  cancelTitle: 'Cancel the back-fill',
  cancelSentence: (from: string, to: string, left: string) =>
    `Cancel the back-fill of ${from} to ${to}? ${left} are left; what it has stored stays.`,
  cancel: 'Cancel it',
  cancelLink: 'Cancel …',

  running: 'Running',
  progress: (done: string, total: string) => `${done} of ${total} days`,
  backfills: 'Back-fills',
  backfillsText: 'The newest first.',
  none: 'There was no back-fill yet',
  noneText: 'They are listed here with what came of each.',
  days_: 'Days',
  statuses: { running: 'running', done: 'done', cancelled: 'cancelled' },
  status: 'State',
  area: 'Areas',
  result: 'Result',
  results: (done: string, skipped: string, missing: string, failed: string) =>
    `${done} stored, ${skipped} stored before, ${missing} without a source, ${failed} failed`,
  finished: 'Ended',
  failures: 'Why days failed',
  failure: (sentence: string, days: string, last: string) => `${sentence} (${days}, the last one ${last})`,
  missingHint: 'Without a source: for at least one of the areas, nobody has the day.',

  done: {
    begun: 'The back-fill has begun.',
    cancelled: 'The back-fill is cancelled. What it has stored stays.',
    over: 'The back-fill had ended before it could be cancelled.',
  },
};

export const PRICES_WORDS: Words<PricesWords> = { en: ENGLISH, sv: PRICES_SWEDISH };

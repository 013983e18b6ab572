import type { Words } from '../../../core/language.ts';
import { SWEDISH } from './requests-words-sv.ts';

/** Texts of the list of requests, and of one of them. */
export type RequestsWords = typeof ENGLISH;

const ENGLISH = {
  title: 'Requests',
  find: 'Find',
  findLabel: 'Id of a request',
  findHint: 'From the header X-Request-Id of a response, such as v7Qm3kXz0a-4f.',
  malformed:
    'An id has 1 to 128 letters and digits, with . _ : and - between them. Copy it once more, without anything around it.',
  notKept:
    'No request with this id is kept. Requests that failed or change something are kept for some days; reads that succeed are not.',
  account: 'Account (id)',
  status: 'Status',
  statuses: { '': 'All', failed: 'Failed', '2xx': '2xx', '4xx': '4xx', '5xx': '5xx' } as Readonly<
    Record<string, string>
  >,
  route: 'Route',
  since: 'From',
  sinces: { '': 'All that are kept', hour: 'The last hour', day: 'The last 24 hours' } as Readonly<
    Record<string, string>
  >,
  show: 'Show',
  none: 'No request matches.',
  noneText: 'Requests that failed or change something are listed. Reads that succeed are not kept.',
  noneOnPage: 'No request on this page matches. There are older ones.',
  older: 'Older',
  newest: 'To the newest',
  wrongFilter: 'The filter is not right: an account is a whole number, a status 404 or 4xx.',

  time: 'Began',
  code: 'Error code',
  duration: 'Duration',
  calls: 'Calls to vendors',
  ms: (value: string) => `${value} ms`,
  noResponse: 'no response: the caller disconnected',
  nobody: 'none',

  back: 'To the list',
  requestTitle: (id: string) => `Request ${id}`,
  several: 'Several requests have this id: it was chosen by who sent them. The newest is first.',
  service: 'Service',
  instance: 'Instance',
  key: 'Key id',
  error: 'Error',
  device: 'Device',
  link: 'Link',
  vendor: 'Vendor',
  call: 'Call',
  outcome: 'Outcome',
  httpStatus: 'HTTP status',
  began: 'Began after',
  timeline: 'When',
  noCalls: 'It called no vendor.',
  moreCalls: (count: string) => `${count} further calls are not listed.`,
};

export const REQUESTS_WORDS: Words<RequestsWords> = { en: ENGLISH, sv: SWEDISH };

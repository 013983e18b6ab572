import { formatIn } from '../front/format.ts';
import { AMOUNTS } from './amounts.ts';
import type { Problem, ProblemCode, ProblemFacts } from './problem.ts';

/** A problem in words: what is wrong, and what to do. */
interface SaidProblem {
  readonly sentence: string;
  readonly whatToDo: string;
}

const { number, share, size, span } = AMOUNTS;
/** 14:15 in Swedish time. */
const { time } = formatIn('en');

type ProblemWords = { readonly [C in ProblemCode]: (facts: ProblemFacts[C]) => SaidProblem };

const PROBLEM_WORDS: ProblemWords = {
  database_away: ({ message }) => ({
    sentence: `The database cannot be used: ${message}.`,
    whatToDo:
      'Check the database server, its disk, its connections, and that DATABASE_URL leads to the primary. Instances reconnect by themselves.',
  }),
  service_gone: ({ service, instance, at }) => ({
    sentence: `No instance serves ${serviceName(service)}: ${instance} was last seen at ${time(at)}, and did not stop in good order.`,
    whatToDo: 'Read the last lines of its log, and start it again.',
  }),
  log_stuck: ({ seconds }) => ({
    sentence: `Events have been unreadable for ${span(seconds)}: subscriptions, streams and history stand still.`,
    whatToDo: 'End the transaction that has been open on the database server for that long.',
  }),
  prices_missing: ({ areas }) => ({
    sentence: `Today’s prices are missing for ${areas}; requests for them return 503.`,
    whatToDo:
      'See below what each source answered. Fetch the day on the page of prices once a source answers.',
  }),
  part_unread: ({ part, reason }) => ({
    sentence: `${PART_NAMES[part] ?? part} could not be read: ${reason}.`,
    whatToDo: 'Reload the page. If it stays so, the database is slow or away.',
  }),
  instance_gone: ({ instance, at }) => ({
    sentence: `The instance ${instance} was last seen at ${time(at)}, and did not stop in good order.`,
    whatToDo: 'If you did not remove it, read the last lines of its log. It is forgotten after an hour.',
  }),
  check_fails: ({ check, message, instance }) => ({
    sentence: `${check} does not work on ${instance === '' ? 'this instance' : instance}: ${message}.`,
    whatToDo: 'Mend what the sentence names; the instance goes on by itself.',
  }),
  prices_off: ({ areas }) => ({
    sentence: `Today’s prices are missing for ${areas}, and fetching is switched off (ELNAV_FETCH).`,
    whatToDo: 'Switch fetching on, unless nobody needs prices here.',
  }),
  prices_late: ({ areas }) => ({
    sentence: `Tomorrow’s prices are missing for ${areas}. They are published around 13:00.`,
    whatToDo: 'Wait: all sources are asked again and again. Plans end with today until then.',
  }),
  source_fails: ({ source, sentence, times }) => ({
    sentence: `The source ${source} has failed ${times === 1 ? 'once' : `${times} times in a row`}: ${sentence}`,
    whatToDo:
      'Other sources are used meanwhile. If it lasts for hours, check its token and its own status page.',
  }),
  production_old: ({ areas }) => ({
    sentence: `The newest production of ${areas} is more than four days old.`,
    whatToDo: 'Look at the status page of eSett. It is asked again by itself.',
  }),
  vendor_blocked: ({ vendor, until }) => ({
    sentence: `${vendor} refuses the calls of all links until ${time(until)}.`,
    whatToDo: 'Wait: nothing is sent until then. If it comes back, ask the vendor for a higher limit.',
  }),
  vendor_unreachable: ({ vendor, unreachable, links }) => ({
    sentence: `${vendor} cannot be reached for ${number(unreachable)} of ${number(links)} links.`,
    whatToDo: 'Look at the vendor’s own status page. The last known states are still listed.',
  }),
  vendor_refuses: ({ vendor, links }) => ({
    sentence: `${vendor} refuses tokens that it has just issued, for ${links === 1 ? 'one link' : `${number(links)} links`}: an incident there.`,
    whatToDo: 'Wait: links are tried again, and no user is asked to sign in for a day.',
  }),
  vendor_paused: ({ vendor, instance }) => ({
    sentence: `${instance} pauses its calls to ${vendor}, since they failed again and again.`,
    whatToDo: 'Look at the vendor’s own status page, and whether other instances reach it.',
  }),
  limit_nearly_used: ({ vendor, limit, used }) => ({
    sentence: `${share(used)} of the limit “${limit}” of ${vendor} is used. Background reads have stopped.`,
    whatToDo: 'Ask the vendor for more and set the amount, or link fewer devices.',
  }),
  reads_late: ({ vendor, late }) => ({
    sentence: `${number(late)} ${late === 1 ? 'read' : 'reads'} of devices of ${vendor} ${late === 1 ? 'is' : 'are'} more than five minutes late.`,
    whatToDo: 'If a limit is used up or the vendor blocks, this follows from it. Otherwise add an instance.',
  }),
  deliveries_wait: ({ vendor, count }) => ({
    sentence: `${number(count)} webhook deliveries of ${vendor} wait to be applied.`,
    whatToDo: 'The log says why the first one fails. They are stored, so nothing is lost.',
  }),
  reader_late: ({ reader, seconds }) => ({
    sentence: `${READER_NAMES[reader] ?? reader} is ${span(seconds)} behind the events.`,
    whatToDo: 'The log of the instances says why a batch of events is not applied.',
  }),
  subscriptions_late: ({ seconds }) => ({
    sentence: `Events reach subscriptions ${span(seconds)} late, although their receivers respond.`,
    whatToDo: 'Look at the event loop of the instances; otherwise a receiver is slow.',
  }),
  instance_behind: ({ instance, seconds }) => ({
    sentence: `${instance} is ${span(seconds)} behind the event log, and reads devices from the database instead.`,
    whatToDo: 'Look at its event loop and at the database. An open transaction holds it back too.',
  }),
  event_loop_slow: ({ instance, ms }) => ({
    sentence: `${instance} is busy: its event loop is ${number(ms)} ms late.`,
    whatToDo: 'Add an instance; polling, streams and stations spread over all of them.',
  }),
  memory_high: ({ instance, bytes }) => ({
    sentence: `${instance} uses ${size(bytes)} of memory.`,
    whatToDo: 'Compare with its stations and streams. Where it grows without them, restart it and report it.',
  }),
  versions_differ: ({ versions }) => ({
    sentence: `Instances of different versions run: ${versions}.`,
    whatToDo: 'Finish the update. During one this is as it should be.',
  }),
};

const PART_NAMES: Readonly<Record<string, string>> = {
  checks: 'The checks of this instance',
  database: 'The size of the database',
  instances: 'The instances',
  market: 'Prices and production',
  vendors: 'The vendors',
  eventLog: 'The event log',
  subscriptions: 'The subscriptions',
};
const READER_NAMES: Readonly<Record<string, string>> = {
  history: 'History',
  charging_sessions: 'The list of charging sessions',
};

const serviceName = (service: string): string => service.slice(0, 1).toUpperCase() + service.slice(1);

/** A problem as a sentence, with what to do. */
export const sayProblem = (problem: Problem): SaidProblem => say(problem);

function say<C extends ProblemCode>({
  code,
  facts,
}: {
  readonly code: C;
  readonly facts: ProblemFacts[C];
}): SaidProblem {
  const { sentence, whatToDo } = PROBLEM_WORDS[code](facts);
  // What others have written may end with a full stop of its own.
  return { sentence: sentence.replace(/\.\.$/, '.'), whatToDo };
}

import type { Adapter } from '../../../adapter/adapter.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import type { Demand, Poll } from './store.ts';

/** At work at a time for a vendor: fewer than it may be called, so that commands never wait for a place. */
const AT_WORK = 24;
/** The same where each link has a device of its own: one that does not answer holds a place until its time is over. */
const AT_WORK_LOCALLY = 100;
/** Claimed and not begun. Their claim must outlast their wait: `CLAIM_MS` of the store's caller. */
const QUEUED = 120;
/** The same where each link has a device of its own, which is read every few seconds. */
const QUEUED_LOCALLY = 500;
/** Above what the plan demands, so that what was missed is caught up with, and not all at once. */
const CATCH_UP = 2;
const LEAST_PER_SECOND = 5;
/** What was claimed together is begun in so many parts, one after the other: polls at once would hold up callers that wait. */
const PARTS = 16;
/** The parts of a claim take so much of the time until the next claim. */
const SHARE_OF_REST = 0.75;
/** So many calls in a row that the vendor did not answer make us wait for it. */
const OUTAGE = 5;
const FIRST_WAIT_MS = 5_000;
const MOST_WAIT_MS = 60_000;

interface PollQueueOptions {
  readonly adapter: Adapter;
  readonly clock: Clock;
  readonly log: Log;
  readonly claim: (vendor: string, most: number) => Promise<Poll[]>;
  /** Whether no other process may take it yet. */
  readonly isClaimed: (poll: Poll) => boolean;
  /** Runs a poll; never fails. Answers whether the vendor could be reached, `undefined` when it was not asked. */
  readonly take: (poll: Poll) => Promise<boolean | undefined>;
  /** Gives a poll back that was not begun. */
  readonly giveBack: (poll: Poll, waitMs: number) => void;
}

/** Whether the vendor answers: one that leaves so many calls in a row unanswered is waited for, longer each time. */
function createOutage({ clock, log, adapter }: Pick<PollQueueOptions, 'clock' | 'log' | 'adapter'>) {
  const { slug: vendor } = adapter;
  let unanswered = 0;
  let waits = 0;
  let waitsUntil = 0;

  return {
    /** A vendor that was away is tried with one call. */
    isOn: () => waits > 0,
    waitsUntil: () => waitsUntil,
    /** The vendor has answered a call. */
    answered(): void {
      if (waits > 0) log.info({ vendor }, 'the vendor answers again');
      unanswered = 0;
      waits = 0;
    },
    /** The vendor has not answered a call; answers how long it is waited for where that begins now. */
    unanswered(): number | undefined {
      unanswered += 1;
      const now = clock.now();
      if ((unanswered < OUTAGE && waits === 0) || now < waitsUntil) return undefined;
      const waitMs = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits);
      if (waits === 0) log.warn({ vendor }, 'the vendor does not answer; background reading waits for it');
      waits += 1;
      waitsUntil = now + waitMs;
      return waitMs;
    },
  };
}

/** The polls of one vendor: so many at a time, no faster than they are planned, and none while the vendor is unreachable. */
export function createPollQueue({ adapter, clock, log, claim, isClaimed, take, giveBack }: PollQueueOptions) {
  const outage = createOutage({ clock, log, adapter });
  // What one of them leaves unanswered says nothing of the others.
  const isApart = adapter.isLocal === true || adapter.chosenAddress !== undefined;
  const most = isApart ? AT_WORK_LOCALLY : AT_WORK;
  const mostQueued = isApart ? QUEUED_LOCALLY : QUEUED;
  let queue: Poll[] = [];
  let atWork = 0;
  let polls = 0;
  let links = 1;
  let perSecond = LEAST_PER_SECOND;
  let allowance = LEAST_PER_SECOND;
  let refilledAt = clock.now();
  let emptyUntil = 0;
  /** Something may be due that no survey has seen. */
  let isCalled = false;
  /** How many are begun at once, and how many may be by now. */
  let part = 1;
  let betweenPartsMs = 0;
  let mayBegin = 0;
  let isBeginning = false;
  let isStopping = false;
  let idle: (() => void)[] = [];

  function refill(now: number): void {
    const fullest = Math.max(LEAST_PER_SECOND, perSecond * 2);
    allowance = Math.min(fullest, allowance + ((now - refilledAt) / 1000) * perSecond);
    refilledAt = now;
  }

  /** Begins what may begin by now, as far as there are places. */
  function begin(): void {
    while (mayBegin > 0 && !isStopping && atWork < (outage.isOn() ? 1 : most)) {
      const poll = queue.shift();
      if (poll === undefined) break;
      mayBegin -= 1;
      // Another process may have it by now.
      if (!isClaimed(poll)) continue;
      atWork += 1;
      void take(poll).then(ended);
    }
    if (atWork === 0 && queue.length === 0) {
      for (const tell of idle) tell();
      idle = [];
    }
  }

  /** Begins a part, and the next one a moment later. */
  function beginPart(): void {
    mayBegin = Math.min(queue.length, mayBegin + part);
    begin();
    if (queue.length > 0) clock.after(betweenPartsMs, beginPart);
    else isBeginning = false;
  }

  function ended(isReached: boolean | undefined): void {
    atWork -= 1;
    if (isReached === true) outage.answered();
    else if (isReached === false && !isApart) {
      const waitMs = outage.unanswered();
      if (waitMs !== undefined) giveAllBack(waitMs);
    }
    begin();
  }

  function giveAllBack(waitMs: number): void {
    for (const poll of queue) giveBack(poll, waitMs);
    queue = [];
  }

  return {
    adapter,
    /** Polls that there are, of all processes. */
    polls: () => polls,
    /** Links that share a limit, of all processes. */
    links: () => links,
    plan(demand: Pick<Demand, 'polls' | 'perSecond'>, sharing: number): void {
      // What was called for since the survey began is not in it.
      polls = Math.max(demand.polls, isCalled ? 1 : 0);
      links = sharing;
      perSecond = Math.max(LEAST_PER_SECOND, CATCH_UP * demand.perSecond);
    },
    /** There may be something due. */
    called(): void {
      emptyUntil = 0;
      isCalled = true;
      polls = Math.max(polls, 1);
    },
    /** Claims what is due. Called every `everyMs`; where nothing is left to claim, it claims again after `restMs`. */
    async tick({ everyMs, restMs }: { readonly everyMs: number; readonly restMs: number }): Promise<void> {
      const now = clock.now();
      refill(now);
      if (isStopping || polls === 0 || now < outage.waitsUntil() || now < emptyUntil) return;
      const room = outage.isOn() ? 1 - atWork - queue.length : mostQueued - queue.length;
      const wanted = Math.min(Math.floor(allowance), room);
      if (wanted <= 0) return;
      isCalled = false;
      const claimed = await claim(adapter.slug, wanted);
      allowance -= claimed.length;
      // What was called for while it was claimed may not be among it.
      if (claimed.length === wanted) isCalled = true;
      else if (!isCalled) emptyUntil = now + restMs;
      queue.push(...claimed.sort((a, b) => a.plannedAt - b.plannedAt));
      part = Math.ceil(queue.length / PARTS);
      betweenPartsMs = (Math.max(everyMs, emptyUntil - now) * SHARE_OF_REST) / PARTS;
      if (isBeginning || queue.length === 0) return;
      isBeginning = true;
      beginPart();
    },
    /** Resolves when nothing is at work or queued; waiting for it hurries it. */
    settled(): Promise<void> {
      const settled = new Promise<void>((resolve) => idle.push(resolve));
      mayBegin = queue.length;
      begin();
      return settled;
    },
    /** Gives back what was not begun. What is at work ends by itself. */
    async stop(): Promise<void> {
      isStopping = true;
      giveAllBack(0);
      await this.settled();
    },
  };
}

export type PollQueue = ReturnType<typeof createPollQueue>;

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';

/** A letter as it is delivered. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /**
   * False for an address without an account: the email is not sent. It is queued and retried, and connections are opened for it, so
   * that an observer does not learn which addresses have accounts.
   */
  readonly isMailed: boolean;
  /** Whether it is counted in the metrics. A letter that only known addresses get is not: its count would show that an address is known. */
  readonly isCounted: boolean;
}

/** Takes a letter to where it is delivered from; throws where it cannot now, `MailRefused` where it never can. */
export type Deliver = (mail: Mail) => Promise<void>;

/** The server refuses the letter for good. */
export class MailRefused extends Error {}

interface Mailer {
  /** Takes a letter; it is delivered after this has returned, and tried again where that fails. */
  send(mail: Mail): void;
  /** Why letters are not delivered now, or null. */
  fault(): string | null;
  /** Resolves when nothing is on its way, or after so long; what waits for another try is lost. */
  close(ms: number): Promise<void>;
}

interface MailerOptions {
  readonly deliver: Deliver;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A link lives for 15 minutes; a later letter would be of no use. */
const DELAYS_MS = [1_000, 5_000, 20_000, 60_000, 180_000, 300_000];
const AT_ONCE = 4;
const MOST_WAITING = 1_000;

interface Waiting {
  readonly mail: Mail;
  readonly tries: number;
}

/** Delivers letters in the background. They are in memory alone: who gets none asks for another. */
export function createMailer({ deliver, clock, log, metrics }: MailerOptions): Mailer {
  const queue: Waiting[] = [];
  const cancels = new Set<() => void>();
  let running = 0;
  let fault: string | null = null;
  let idle = () => {};

  function count({ isCounted, isMailed }: Mail, outcome: 'sent' | 'retried' | 'failed'): void {
    if (isCounted && isMailed) metrics.mails.inc({ outcome });
  }

  async function deliverOne({ mail, tries }: Waiting): Promise<void> {
    try {
      await deliver(mail);
      fault = null;
      count(mail, 'sent');
    } catch (error) {
      const delay = error instanceof MailRefused ? undefined : DELAYS_MS[tries];
      // What a server says may repeat the address.
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      count(mail, delay === undefined ? 'failed' : 'retried');
      if (error instanceof MailRefused) log.warn({ code }, 'the mail server refused a letter');
      else {
        fault = `the last letter could not be delivered (${code})`;
        log.error({ code, tries: tries + 1, isLast: delay === undefined }, 'a letter could not be delivered');
      }
      if (delay !== undefined) later({ mail, tries: tries + 1 }, delay);
    }
  }

  function later(waiting: Waiting, delay: number): void {
    const cancel = clock.after(delay, () => {
      cancels.delete(cancel);
      add(waiting);
    });
    cancels.add(cancel);
  }

  function add(waiting: Waiting): void {
    if (queue.length + cancels.size >= MOST_WAITING) {
      count(waiting.mail, 'failed');
      log.error('too many letters wait; one was dropped');
      return;
    }
    queue.push(waiting);
    goOn();
  }

  function goOn(): void {
    if (running === 0 && queue.length === 0) idle();
    while (running < AT_ONCE) {
      const next = queue.shift();
      if (next === undefined) return;
      running += 1;
      void deliverOne(next).finally(() => {
        running -= 1;
        goOn();
      });
    }
  }

  return {
    send: (mail) => add({ mail, tries: 0 }),
    fault: () => fault,
    close(ms) {
      for (const cancel of cancels) cancel();
      cancels.clear();
      return new Promise((resolve) => {
        idle = resolve;
        const cancel = clock.after(ms, resolve);
        cancels.add(cancel);
        if (running === 0 && queue.length === 0) resolve();
      });
    },
  };
}

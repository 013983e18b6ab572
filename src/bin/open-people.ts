import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { consoleSessionIn } from '../apps/connect/console/cookies.ts';
import { sessionIn } from '../apps/grid/sign-in/cookies.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { PeopleSettings } from '../core/settings/people.ts';
import type { Database } from '../db/database.ts';
import type { Accounts } from '../domain/accounts/index.ts';
import { computeArgon2, createPeople, type People } from '../domain/people/index.ts';
import type { ConsoleCaller, Person } from '../http/access.ts';
import type { Probe } from '../http/health.ts';
import { refuseForeign } from '../http/same-origin.ts';
import { createMailer, type Mail } from '../outbound/mail.ts';
import { outboxDelivery } from '../outbound/mail-outbox.ts';
import { smtpDelivery } from '../outbound/mail-smtp.ts';

/** Letters that are on their way when the process ends have so long. */
const LAST_LETTERS_MS = 1_000;

interface PeopleAndMailOptions {
  readonly settings: PeopleSettings;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly dataDir: string;
  /** The public address of Connect, and as it is configured. */
  readonly connectUrl: () => string | undefined;
  readonly configuredConnectUrl: string | undefined;
}

export interface PeopleAndMail {
  readonly people: People;
  readonly probes: readonly Probe[];
  /** Takes a letter, and delivers it in the background. */
  send(mail: Mail): void;
  /** Who a request is signed in as. */
  personOf(request: FastifyRequest): Promise<Person | undefined>;
  /** Who uses the console, by a request to Connect; undefined for one without its cookie. Throws for pages of other sites. */
  consoleOf(request: FastifyRequest): Promise<ConsoleCaller | undefined> | undefined;
  close(): Promise<void>;
}

/** People who sign in to the pages of Grid, and their mail. */
export function openPeople(options: PeopleAndMailOptions): PeopleAndMail {
  const { settings, database, accounts, clock, random, log, metrics, dataDir } = options;
  const people = createPeople({
    database,
    accounts,
    clock,
    random,
    compute(computation) {
      metrics.passwordHashes.inc();
      return computeArgon2(computation);
    },
  });
  const folder = join(dataDir, 'outbox');
  const deliver =
    settings.mail === undefined
      ? outboxDelivery({ folder, clock, random, log })
      : smtpDelivery(settings.mail);
  const mailer = createMailer({ deliver, clock, log, metrics });
  async function callerOf(token: string): Promise<ConsoleCaller | undefined> {
    const found = await people.findConsole(token);
    const principal = found && (await accounts.ownerOf(found.account));
    return found && principal && { principal, session: found.session };
  }

  return {
    people,
    probes: [
      {
        name: 'mail',
        vital: false,
        async check() {
          const fault = mailer.fault();
          if (fault !== null) throw new Error(fault);
          return 'ok';
        },
      },
    ],
    send: (mail) => mailer.send(mail),
    personOf: (request) => people.find(sessionIn(request)),
    consoleOf(request) {
      // Most requests are programs'.
      if (request.headers.cookie === undefined) return undefined;
      const token = consoleSessionIn(request, options.connectUrl()?.startsWith('https:') === true);
      if (token === undefined) return undefined;
      refuseForeign(request, options.configuredConnectUrl);
      return callerOf(token);
    },
    close: () => mailer.close(LAST_LETTERS_MS),
  };
}

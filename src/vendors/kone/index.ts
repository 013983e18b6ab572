import { type Adapter, kind } from '../../adapter/adapter.ts';
import * as kit from '../../adapter/kit/index.ts';
import { clientCredentials, limit, secret, text } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { Stream } from '../../adapter/stream.ts';
import { AppError } from '../../core/errors.ts';
import {
  buildingIn,
  type Connection,
  configsOf,
  connect,
  findLifts,
  type Group,
  groupKey,
  liftsIn,
  list,
  scopeFor,
} from './client.ts';
import { followLifts } from './following.ts';
import * as lift from './translate.ts';
import { Details, isHeard, type LiftRaw, statusOf } from './translate.ts';

/** How a property manager is asked for the application and the building. */
const fields = {
  client_id: text({
    en: { label: 'Client ID', hint: 'Of your application in the KONE API portal, dev.kone.com.' },
    sv: { label: 'Klient-id', hint: 'Står vid er applikation i KONE:s API-portal, dev.kone.com.' },
  }),
  client_secret: secret({
    en: { label: 'Client secret', hint: 'You received it when the application was created.' },
    sv: { label: 'Klienthemlighet', hint: 'Ni fick den när applikationen skapades.' },
  }),
  building: text(
    {
      en: {
        label: 'Building ID',
        hint: 'KONE gives it with the application, for example building:9990000951.',
        fault: 'Enter the ID as KONE writes it: letters and digits, with or without “building:”.',
      },
      sv: {
        label: 'Byggnadens id',
        hint: 'Ni får det av KONE med applikationen, till exempel building:9990000951.',
        fault: 'Skriv id:t som KONE skriver det: bokstäver och siffror, med eller utan ”building:”.',
      },
    },
    {
      pattern: '^\\s*(building:)?[A-Za-z0-9]{1,64}\\s*$',
      description: 'building:9990000951, or the id alone',
    },
  ),
  groups: text(
    {
      en: {
        label: 'Lift groups',
        hint: 'Numbers of the groups, such as 1 or 1,2. Leave it empty for group 1.',
        fault: 'Enter numbers with commas between them: 1,2',
      },
      sv: {
        label: 'Hissgrupper',
        hint: 'Gruppernas nummer, till exempel 1 eller 1,2. Lämna tomt för grupp 1.',
        fault: 'Skriv nummer med kommatecken emellan: 1,2',
      },
    },
    {
      isOptional: true,
      pattern: '^\\s*[0-9]{1,2}(\\s*,\\s*[0-9]{1,2}){0,98}\\s*$',
      description: 'Numbers of the groups, with commas between them; default 1',
    },
  ),
};

/** KONE reports the state at once, and a controller answers a ping within a second. */
const STATE_MS = 4_000;

/** One lift, with all that KONE reports of it. Throws where its group no longer has it. */
export async function readLift(session: Session, device: DeviceRef): Promise<LiftRaw> {
  kit.detailsOf(Details, device);
  const raw = (await sweep(session, [device])).get(device.id);
  if (raw === undefined) throw kit.gone('KONE', device);
  return raw;
}

/**
 * All lifts over one connection. A lift that its group no longer has is left out, and so are those of a group that does not answer or is
 * refused: each is then read by itself. Throws where that is every group.
 */
export async function sweep(
  session: Session,
  devices: readonly DeviceRef[],
): Promise<ReadonlyMap<string, LiftRaw>> {
  const lifts = followLifts(devices);
  if (lifts.groups().length === 0) return new Map();
  const connection = await connect(session, 'read');
  try {
    for (const group of lifts.groups()) lifts.subscribe(connection, group, subscriberOf(session));
    await connection.await(lifts.take, { isDone: lifts.areWhole, withinMs: STATE_MS });
    for (const group of lifts.groups())
      if (!lifts.isAccepted(group))
        lifts.leaveOut(group, new AppError('vendor.timeout', 'KONE did not respond in time'));
    lifts.check();
    lifts.giveUp();
    const gone = await findGone(connection, lifts.unheard());
    return new Map([...lifts.all()].filter(([id]) => !gone.has(id)));
  } finally {
    connection.close();
  }
}

/** Of the lifts of which nothing is reported, those that their group does not list. */
async function findGone(
  connection: Connection,
  unheard: readonly { readonly id: string; readonly group: Group }[],
): Promise<ReadonlySet<string>> {
  const groups = [...new Map(unheard.map(({ group }) => [groupKey(group), group])).values()];
  if (groups.length === 0) return new Set();
  const configs = await configsOf(connection, groups);
  const isGone = ({ id, group }: (typeof unheard)[number]) => {
    const config = configs.get(groupKey(group));
    return Array.isArray(config?.groups) && !liftsIn(group, config).some((found) => found.id === id);
  };
  return new Set(unheard.filter(isGone).map(({ id }) => id));
}

/** One of many that may be subscribed at a time: KONE replaces a subscription of the same name. */
const subscriberOf = ({ link, clock }: Pick<Session, 'link' | 'clock'>): string =>
  `elnav-${link}-${clock.now().toString(36)}`;

/** KONE closes a connection on which nothing was sent for 60 s. */
const PING_MS = 25_000;
/** A subscription ends after 300 s. */
const PINGS_PER_SUBSCRIPTION = 9;
/** Four pings without an answer. */
const SILENCE_SECONDS = 120;
const OPENING_MS = 20_000;

/** What KONE reports of the lifts, until it ends the connection: after two hours, or when the token has expired. */
const stream: Stream = {
  silenceSeconds: SILENCE_SECONDS,
  async run(session, devices, opened) {
    const lifts = followLifts(devices);
    const subscriber = subscriberOf(session);
    const connection = await connect(session, 'read');
    const reported = new Map<string, string>();
    const report = (ids: Iterable<string>) => {
      for (const id of ids) {
        const raw = lifts.rawOf(id);
        // The platform reads fields that are still missing.
        if (raw.online && !isHeard(raw)) continue;
        const shown = JSON.stringify(statusOf(raw));
        if (reported.get(id) === shown) continue;
        reported.set(id, shown);
        session.observed(id, raw);
      }
    };
    try {
      for (const group of lifts.groups()) lifts.subscribe(connection, group, subscriber);
      const areAccepted = () => lifts.groups().every(lifts.isAccepted);
      const isOpen = await connection.listen(lifts.take, { isDone: areAccepted, withinMs: OPENING_MS });
      if (!isOpen) return;
      lifts.check();
      if (!areAccepted()) throw new AppError('vendor.timeout', 'KONE did not open its stream in time');
      opened();
      report(lifts.all().keys());
      for (let pings = 1; ; pings += 1) {
        const goesOn = await connection.listen(
          (heard) => {
            const wasOnline = lifts.isOnline(heard.group);
            const changed = lifts.take(heard);
            // What happened meanwhile was not reported.
            if (!wasOnline && lifts.isOnline(heard.group))
              lifts.subscribe(connection, heard.group, subscriber);
            report(changed);
          },
          { isDone: () => false, withinMs: PING_MS },
        );
        if (!goesOn) return;
        lifts.check();
        report(lifts.giveUp());
        for (const group of lifts.groups())
          if (pings % PINGS_PER_SUBSCRIPTION === 0) lifts.subscribe(connection, group, subscriber);
          else lifts.ping(connection, group);
      }
    } finally {
      connection.close();
    }
  },
};

/** Lifts of KONE in buildings that are connected to its cloud, one device for each lift. */
export const kone = {
  slug: 'kone',
  name: 'KONE',
  ...clientCredentials({
    vendor: 'KONE',
    // The id of a building can be guessed: only an application that KONE has given the building proves that it may be used.
    client: 'user',
    fields,
    tokenPath: '/api/v2/oauth2/token',
    clientAuthentication: 'basic',
    scope: scopeFor,
  }),
  hosts: { api: 'https://dev.kone.com' },
  budgets: [
    limit('calls', {
      calls: 60,
      seconds: 60,
      source: 'half of what a validation run of a client sent without a refusal; KONE states no figure',
    }),
  ],
  // The stream reports what changes.
  pace: { active: 300, idle: 300, asleep: 900 },
  pushes: true,
  pollSeconds: 15,
  stream,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    return { vendorAccount: buildingIn(session.credentials), devices: await findLifts(session) };
  },
  list,
  sweep,
  kinds: {
    elevator: kind<lift.LiftRaw>({
      read: readLift,
      status: lift.statusOf,
      observedAt: lift.observedAt,
      unrecognized: lift.unrecognized,
      reads: {},
      controls: {},
      whyWithheld: () =>
        "KONE's API calls lifts and reports their state; it has nothing that takes a lift out of service, and no power or energy",
    }),
  },
} satisfies Adapter;

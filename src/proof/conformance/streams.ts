import { capabilitiesOf, kindOf, send, stateOf } from '../../adapter/adapters.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { type Cloud, type CloudCheck, faultOf, meaningOf, type OpenedStream } from './cloud.ts';

import { anyCommand, checkSecrets } from './faults.ts';
import { witnessOf } from './witnesses.ts';

const GIANT_CHARACTERS = 2 * 1024 * 1024;
/** What a stream lives through where nothing happens, in silences. */
const QUIET_SILENCES = 2;
/** The same of a vendor that sends nothing while nothing happens, seconds. */
const QUIET_SECONDS = 6 * 3_600;
const STEPS = 4;
const FAULTS = ['rate_limited', 'forbidden', 'server_error', 'html'] as const;

/** A stream: that it opens, reports changes, lives while it is quiet, and ends as it must when the connection goes wrong. */
export async function checkStream(check: CloudCheck): Promise<void> {
  const { adapter, simulator, cloud, refs, report } = check;
  const { stream } = adapter;
  if (stream === undefined || refs.length === 0) return;
  const { silenceSeconds } = stream;
  const quietSeconds = silenceSeconds ?? QUIET_SECONDS;
  let usesEvents = false;
  const during = async (name: string, work: (open: OpenedStream) => Promise<void>) =>
    report(
      `stream: ${name}`,
      await faultOf(async () => {
        const open = await opened(cloud, refs);
        usesEvents ||= open.usesEvents();
        await work(open).finally(() => open.close());
      }),
    );

  await during('a change at the vendor is told', (open) => checkChange(check, open));
  await during('it lives while nothing happens', async (open) => {
    for (let step = 0; step < QUIET_SILENCES * STEPS; step += 1) {
      await simulator.pass(quietSeconds / STEPS);
      await open.settle();
      if (open.outcome() !== undefined)
        throw new Error(`it ended within ${quietSeconds} s: the vendor is quiet for longer`);
    }
  });
  if (silenceSeconds !== undefined)
    await during('silence ends it', async (open) => {
      open.mute();
      await simulator.pass(silenceSeconds + 1);
      await endsWith(open, 'vendor.timeout');
    });
  await during('a cut ends it, and it is opened again', async (open) => {
    open.cut();
    await endsWith(open, 'vendor.unreachable');
    await (await opened(cloud, refs)).close();
  });
  await checkRenewal(check, during);
  for (const fault of FAULTS)
    report(
      `stream: ${fault} on opening`,
      await faultOf(async () => {
        // What agrees on a connection may count as signing in.
        cloud.fault(fault, 'everything');
        try {
          const open = cloud.openStream(refs);
          const error = await endsWith(open, meaningOf(cloud.codes, fault, 'stream'));
          if (open.isOpen()) throw new Error('it said that it was open');
          if (fault === 'rate_limited' && error?.retryAfterSeconds !== 30)
            throw new Error(`the vendor asked for 30 s, and the error says ${error?.retryAfterSeconds}`);
          checkSecrets(error, cloud);
        } finally {
          cloud.fault(null);
        }
      }),
    );
  if (!usesEvents) return;
  await during('what nobody knows does not end it', async (open) => {
    const before = open.observed.length;
    open.inject(': a comment\n\nevent: never-heard-of\ndata: {}\n\nretry: soon\n\nnonsense\n\n');
    await open.settle();
    if (open.outcome() !== undefined) throw new Error(`it ended: ${toldBy(open)}`);
    if (open.observed.length !== before) throw new Error('it told of a device');
  });
  await during('half an event is none', async (open) => {
    const before = open.observed.length;
    open.inject('event: message\ndata: {"half":');
    open.end();
    await endsWith(open, undefined);
    if (open.observed.length !== before) throw new Error('it told of a device');
  });
  await during('an event without an end ends it', async (open) => {
    open.inject(`data: ${'x'.repeat(GIANT_CHARACTERS)}`);
    await endsWith(open, 'vendor.answer_invalid');
  });
}

async function opened(cloud: Cloud, refs: readonly DeviceRef[]): Promise<OpenedStream> {
  const open = cloud.openStream(refs);
  await open.settle();
  if (open.isOpen() && open.outcome() === undefined) return open;
  const told = toldBy(open);
  await open.close();
  throw new Error(`it did not open: ${told}`);
}

function toldBy(open: OpenedStream): string {
  const outcome = open.outcome();
  if (outcome === undefined) return 'it goes on';
  return outcome.error === undefined
    ? 'it ended by itself'
    : `${outcome.error.code}: ${outcome.error.message}`;
}

/** Throws unless it has ended with this code, or by itself where none is meant. */
async function endsWith(open: OpenedStream, code: string | undefined) {
  await open.settle();
  const outcome = open.outcome();
  if (outcome === undefined || outcome.error?.code !== code)
    throw new Error(`${toldBy(open)}, and should have ended with ${code ?? 'no error'}`);
  return outcome.error;
}

/** Sends a command, or takes the device away where it takes none, and wants the stream to tell it. */
async function checkChange({ adapter, simulator, cloud, refs }: CloudCheck, open: OpenedStream) {
  const { silenceSeconds = QUIET_SECONDS } = adapter.stream ?? {};
  const command = await anyCommand(adapter, simulator, refs);
  const ref = command?.ref ?? refs[0];
  if (ref === undefined) return;
  const kind = kindOf(adapter, ref.type);
  const offered = capabilitiesOf(kind, ref);
  const viewOf = (raw: unknown) => ({
    state: stateOf(kind, raw, offered),
    limits: kind.limits?.(raw) ?? null,
    capacity: kind.availableCapacity?.(raw) ?? null,
  });
  const before = viewOf(await kind.read(simulator.session(), ref));
  await open.settle();
  const count = open.observed.length;
  const witness = command === undefined ? undefined : witnessOf(command.command.type);
  if (command === undefined || witness === undefined) cloud.reach(ref, false);
  else {
    await send(kind, simulator.session(), ref, command.command);
    await open.settle();
    await simulator.pass(witness.within);
  }
  await open.settle();
  const views = () =>
    open.observed
      .slice(count)
      .filter(({ id }) => id === ref.id)
      .map((one) =>
        'raw' in one ? viewOf(one.raw) : { ...before, state: { ...before.state, ...one.reported } },
      );
  const isReported = () =>
    views().some((view) => (witness === undefined ? !view.state.online : witness.holds(view, before)));
  // That a device falls silent may only be noticed by what is missing.
  for (let step = 0; witness === undefined && !isReported() && step < STEPS; step += 1) {
    await simulator.pass(silenceSeconds / STEPS);
    await open.settle();
  }
  if (witness === undefined) cloud.reach(ref, true);
  if (!isReported())
    throw new Error(`${ref.id} changed, and it reported ${JSON.stringify(views().at(-1) ?? 'nothing')}`);
}

type During = (name: string, work: (open: OpenedStream) => Promise<void>) => Promise<void>;

/** A token that the vendor refuses on opening is renewed once; a login that is lost is told as that. */
async function checkRenewal({ cloud, refs, report }: CloudCheck, during: During): Promise<void> {
  if (cloud.expiresAt() === undefined) return;
  const before = cloud.renewals();
  cloud.expireTokens();
  await during('a token that is refused on opening is renewed once', async () => {
    if (cloud.renewals() !== before + 1) throw new Error(`${cloud.renewals() - before} renewals`);
  });
  report(
    'stream: a login that is lost is vendor.login_expired',
    await faultOf(async () => {
      cloud.fault('login_lost');
      cloud.expireTokens();
      try {
        checkSecrets(await endsWith(cloud.openStream(refs), 'vendor.login_expired'), cloud);
      } finally {
        cloud.fault(null);
        await cloud.signIn();
      }
    }),
  );
}

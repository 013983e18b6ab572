import { inspect } from 'node:util';
import type { Adapter } from '../../adapter/adapter.ts';
import { capabilitiesOf, kindOf, send, stateOf } from '../../adapter/adapters.ts';
import type { Command } from '../../adapter/commands.ts';
import { credentialFields } from '../../adapter/credential-fields.ts';
import { CONTROL_CAPABILITIES, CONTROLS } from '../../adapter/fields.ts';
import { SHOWN_AS_OFFLINE } from '../../adapter/simulator.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  type Cloud,
  type CloudCheck,
  FAULTS_OF_CALLS,
  type FaultOfCalls,
  faultOf,
  type KindOfCall,
  meaningOf,
} from './cloud.ts';

import { witnessOf } from './witnesses.ts';

/** Every fault of every kind of call: the code, the delay, and no secret in what is said. */
export async function checkFaults(check: CloudCheck): Promise<void> {
  const { report, cloud } = check;
  const works = await worksOf(check);
  for (const fault of FAULTS_OF_CALLS)
    for (const one of works) {
      const { name, call } = one;
      // What no body is an acceptance of a command is the vendor's to say.
      if (fault === 'empty' && call === 'command') continue;
      report(
        `${fault}: ${name}`,
        await faultOf(async () => {
          // What a command reads before it is sent is broken as reads are.
          cloud.fault(fault, call === 'command' ? 'commands' : 'calls');
          try {
            await meets(check, { ...one, fault });
          } finally {
            cloud.fault(null);
          }
        }),
      );
    }
  report('unbroken again after all faults', await faultOf(async () => works[0]?.work()));
}

/** Throws when a call under a fault does not end as it must. */
async function meets(
  { cloud, adapter }: CloudCheck,
  { call, ref, work, fault }: Work & { readonly fault: FaultOfCalls },
): Promise<void> {
  const expected = meaningOf(cloud.codes, fault, call);
  let result: unknown;
  const tried = work().then((value) => {
    result = value;
  });
  const error = await failureOf(tried, fault, cloud);
  if (error !== undefined) return judge(error, { fault, expected, cloud });
  // A sweep leaves out what is refused: each such device is then read by itself.
  if (call === 'sweep' && REFUSALS.has(fault)) return;
  if (expected !== SHOWN_AS_OFFLINE || ref === undefined) throw new Error('nothing failed');
  const kind = kindOf(adapter, ref.type);
  if (stateOf(kind, result, capabilitiesOf(kind, ref)).online)
    throw new Error('the read did not fail, and the device is shown as online');
}

const REFUSALS: ReadonlySet<FaultOfCalls> = new Set(['forbidden', 'not_found', 'precondition_failed']);

interface Work {
  readonly name: string;
  readonly call: KindOfCall;
  /** The device that is read. */
  readonly ref?: CloudCheck['refs'][number];
  readonly work: () => Promise<unknown>;
}

/** One call of each kind: link, a read of each kind of device, sweep, and a command. */
async function worksOf({ adapter, simulator, refs }: CloudCheck): Promise<Work[]> {
  const works: Work[] = [{ name: 'link', call: 'link', work: () => adapter.link(simulator.session()) }];
  for (const ref of refs)
    works.push({
      name: `read ${ref.type}`,
      call: 'read',
      ref,
      work: () => kindOf(adapter, ref.type).read(simulator.session(), ref),
    });
  if (refs.length > 0 && adapter.sweep !== undefined)
    works.push({
      name: 'sweep',
      call: 'sweep',
      work: async () => adapter.sweep?.(simulator.session(), refs),
    });
  const command = await anyCommand(adapter, simulator, refs);
  if (command !== undefined)
    works.push({
      name: `command ${command.command.type}`,
      call: 'command',
      work: () => send(command.kind, simulator.session(), command.ref, command.command),
    });
  return works;
}

/** A command that the first device that takes one could be sent now. */
export async function anyCommand(
  adapter: Adapter,
  simulator: CloudCheck['simulator'],
  refs: CloudCheck['refs'],
) {
  for (const ref of refs) {
    const kind = kindOf(adapter, ref.type);
    const offered = capabilitiesOf(kind, ref);
    const capability = CONTROL_CAPABILITIES.find((one) => offered.includes(one));
    if (capability === undefined) continue;
    const witness = witnessOf(CONTROLS[capability][0]);
    await simulator.arrange(ref, witness.from);
    const raw = await kind.read(simulator.session(), ref);
    const command: Command = witness.command({
      state: { online: true },
      limits: kind.limits?.(raw) ?? null,
      capacity: null,
    });
    return { kind, ref, command };
  }
  return undefined;
}

async function failureOf(
  work: Promise<unknown>,
  fault: FaultOfCalls,
  cloud: Cloud,
): Promise<AppError | undefined> {
  let isOver = false;
  const outcome = work
    .then(
      () => undefined,
      (error: unknown) => error,
    )
    .finally(() => {
      isOver = true;
    });
  if (fault === 'hang') {
    // The call is on its way before the platform gives up.
    for (let turn = 0; turn < 50 && !isOver; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    cloud.abort();
  }
  const error = await outcome;
  if (error === undefined || error instanceof AppError) return error;
  throw new Error(`not an AppError: ${inspect(error)}`);
}

function judge(
  error: AppError,
  {
    fault,
    expected,
    cloud,
  }: { readonly fault: FaultOfCalls; readonly expected: string; readonly cloud: Cloud },
): void {
  if (error.code !== expected) throw new Error(`${error.code} instead of ${expected}: ${error.message}`);
  if (fault === 'rate_limited' && error.retryAfterSeconds !== 30)
    throw new Error(`the vendor asked for 30 s, and the error says ${error.retryAfterSeconds}`);
  if (error.code === 'vendor.rate_limited' && error.retryAfterSeconds === undefined)
    throw new Error('vendor.rate_limited without retryAfterSeconds: the caller must know when to retry');
  checkSecrets(error, cloud);
}

export function checkSecrets(error: unknown, cloud: Pick<Cloud, 'secrets' | 'logged'>): void {
  // Lines of a stack name files, which may be called as the password of a simulator is.
  const shown = `${inspect(error, { depth: 9, showHidden: true })}\n${cloud.logged()}`.replace(
    /^\s+at .*$/gm,
    '',
  );
  const secret = cloud.secrets().find((one) => one !== '' && shown.includes(one));
  if (secret !== undefined) throw new Error(`a secret stands in ${shown.replaceAll(secret, '<the secret>')}`);
}

/** Signing in: wrong credentials are told from every outage, and an outage costs nobody the link. */
export async function checkSignIn(check: CloudCheck): Promise<void> {
  const { adapter, simulator, cloud, report } = check;
  const { signIn } = adapter.login ?? {};
  if (signIn === undefined) return;
  const tried = async (credentials: JsonObject) => {
    const error = await failureOf(signIn(cloud.loginSession(), credentials), 'reset', cloud);
    if (error === undefined) throw new Error('nothing failed');
    return error;
  };
  for (const fault of FAULTS_OF_CALLS.filter((one) => one !== 'hang'))
    report(
      `${fault}: sign-in`,
      await faultOf(async () => {
        cloud.fault(fault, 'login');
        try {
          const error = await tried(simulator.credentials);
          if (error.code === 'link.credentials_refused' || error.code === 'vendor.login_expired')
            throw new Error(`${error.code}: a fault of the vendor is no wrong password`);
          checkSecrets(error, cloud);
        } finally {
          cloud.fault(null);
        }
      }),
    );
  for (const { name, kind } of credentialFields(adapter.credentials)) {
    if (kind.is !== 'secret') continue;
    report(
      `a wrong ${name} is link.credentials_refused`,
      await faultOf(async () => {
        const error = await tried({ ...simulator.credentials, [name]: 'certainly-wrong' });
        if (error.code !== 'link.credentials_refused') throw new Error(`${error.code}: ${error.message}`);
        checkSecrets(error, cloud);
      }),
    );
  }
}

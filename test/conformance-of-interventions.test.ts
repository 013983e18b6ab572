import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Adapter, AnyKind } from '../src/adapter/adapter.ts';
import type { Intervention } from '../src/adapter/interventions.ts';
import { AppError } from '../src/core/errors.ts';
import type { Simulator } from '../src/proof/conformance/index.ts';
import { checkInterventions } from '../src/proof/conformance/interventions.ts';
import { sandbox } from '../src/vendors/sandbox/index.ts';
import { simulatorForTest } from '../src/vendors/sandbox/test-world.ts';

const appliance: AnyKind = sandbox.kinds.smart_home_appliance;
const declared = appliance.interventions?.allow_remote_start ?? assert.fail();

/** What the check finds wrong when the sandbox declares this, and its simulator does that. */
async function faultsOf(
  { kind = {}, ...changed }: Partial<Intervention<unknown>> & { readonly kind?: Partial<AnyKind> },
  simulated: Partial<Simulator> = {},
): Promise<string[]> {
  const simulator = { ...simulatorForTest(), ...simulated };
  const changedKind = {
    ...appliance,
    ...kind,
    interventions: { allow_remote_start: { ...declared, ...changed } },
  } as AnyKind;
  const adapter = { ...sandbox, kinds: { smart_home_appliance: changedKind } } as Adapter;
  const { devices } = await sandbox.link(simulator.session());
  const found = devices.filter(({ type }) => type === 'smart_home_appliance');
  const faults: (string | null)[] = [];
  const report = (_check: string, fault: string | null) => faults.push(fault);
  await checkInterventions({ adapter, simulator, kind: changedKind, found, report });
  assert.equal(faults.length, 2);
  return faults.filter((fault) => fault !== null);
}

describe('the check of interventions', () => {
  it('the check of interventions finds nothing wrong with the sandbox', async () => {
    assert.deepEqual(await faultsOf({}), []);
  });

  it('the check of interventions finds one that a reading does not say, or says for ever', async () => {
    assert.deepEqual(await faultsOf({ inReading: () => false }), ['a read says false where it is true']);
    assert.deepEqual(await faultsOf({ inReading: () => true }), ['a read says true where it is false']);
    assert.deepEqual(await faultsOf({ inReading: () => null }), [
      'a read says nothing of it where it is true',
    ]);
  });

  it('the check of interventions finds a command that is said to be blocked and is not, and a refusal that does not say so', async () => {
    assert.deepEqual(await faultsOf({ blocks: ['turn_off'] }), ['turn_off says false where it is true']);
    const start = async () => {
      throw new AppError('vendor.refused', 'remote start is not allowed');
    };
    const controls = {
      ...appliance.controls,
      program_control: { start_program: start, stop_program: start },
    };
    assert.deepEqual(await faultsOf({ kind: { controls } }), ['remote start is not allowed']);
  });

  it('the check of interventions finds one that the simulator cannot bring about, and one that nothing speaks of', async () => {
    assert.deepEqual(await faultsOf({}, { intervene: async () => false }), [
      'the simulator brings it about at none of its devices',
    ]);
    const silent = { inReading: undefined as never, blocks: ['set_light'] } as const;
    assert.deepEqual(await faultsOf(silent), ['nothing says whether it is needed']);
  });

  it('the check of interventions finds words that are missing, and no place', async () => {
    const { en, sv } = declared.words;
    const same = 'its words are the same in both languages';
    assert.deepEqual(await faultsOf({ words: { en, sv: en } }), [same]);
    assert.deepEqual(await faultsOf({ words: { en: { ...en, title: '' }, sv } }), ['it has no words in en']);
    assert.deepEqual(await faultsOf({ url: 'http://plain.example/' }), ['its address is not https']);
  });
});

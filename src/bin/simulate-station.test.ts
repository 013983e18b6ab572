import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { until } from '../../test/kit/until.ts';
import { type Caller, makeWorld, type World } from '../../test/kit/world.ts';
import { parseStationArguments, runStation, type StationArguments } from './simulate-station.ts';

const given = (args: readonly string[]): StationArguments => {
  const read = parseStationArguments(args);
  assert.ok(read !== 'help');
  return read;
};

describe('the command line of a simulated station', () => {
  it('the command line of a simulated station fits the example of the README', () => {
    assert.deepEqual(given([]), {
      identity: 'CP-1001',
      password: 'a-long-station-password',
      url: 'ws://127.0.0.1:8080/ocpp',
      version: '1.6',
      plugged: false,
      seconds: undefined,
    });
    assert.equal(given(['--url', 'https://h.example/']).url, 'wss://h.example/ocpp');
    assert.equal(given(['--url', 'ws://h:1/ocpp/']).url, 'ws://h:1/ocpp');
    assert.equal(parseStationArguments(['--help']), 'help');
  });

  it('the command line of a simulated station says what is wrong in it', () => {
    const wrong: readonly [readonly string[], RegExp][] = [
      [['--version', '2.1'], /--version must be 1\.6 or 2\.0\.1, not 2\.1/],
      [['--seconds', 'soon'], /--seconds must be a whole number/],
      [['--url', 'here'], /--url must be an address/],
      [['--plug'], /--help tells more/],
    ];
    for (const [args, message] of wrong)
      assert.throws(() => parseStationArguments(args), { name: 'OperatorError', message });
  });
});

describe('a simulated station on the command line', () => {
  let world: World;
  let caller: Caller;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
    caller = await world.newAccount();
  });
  after(() => world.close());

  for (const version of ['1.6', '2.0.1'] as const) {
    it(`a simulated station on the command line dials in with ${version}, obeys, and says so`, async () => {
      const identity = `CP-${version}`;
      const credentials = { identity, password: 'a-long-station-password' };
      await caller.call('POST', '/link', { vendor: 'ocpp', user_ref: 'anna', credentials });
      const lines: string[] = [];
      const input = new PassThrough();
      const args = ['--url', world.connect, '--identity', identity, '--version', version];
      const running = runStation(given(args), { print: (line) => lines.push(line), input });
      const says = (what: RegExp) => until(String(what), async () => lines.some((line) => what.test(line)));
      await says(/has dialled in/);
      await says(/no car/);
      input.write('plug\n');
      await says(/a car is plugged in and does not charge/);
      const command = (body: object) => caller.call('POST', `/devices/${identity}/command`, body);
      assert.equal((await command({ type: 'start_charge' })).status, 200);
      await says(/elnav asks: R\w+StartTransaction/);
      await says(/a car charges with 16 A, 11040 W/);
      assert.equal((await command({ type: 'set_current', current_a: 8 })).status, 200);
      await says(/elnav asks: SetChargingProfile/);
      await says(/a car charges with 8 A/);
      input.write('dance\nquit\n');
      await running;
      assert.ok(lines.includes('plug, unplug, card <id>, state or quit'));
    });
  }

  it('a simulated station on the command line that is not let in says what to look at', async () => {
    const args = given(['--url', world.connect, '--identity', 'CP-9']);
    await assert.rejects(runStation(args, { print: () => {}, input: new PassThrough() }), {
      name: 'OperatorError',
      message: /CP-9 was not let in at .*is the station linked/,
    });
  });
});

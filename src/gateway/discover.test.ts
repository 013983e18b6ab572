import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { describe, it } from 'node:test';
import { turnedClock } from '../core/clock.ts';
import type { Json } from '../core/json.ts';
import { createDiscover } from './discover.ts';
import { questionIn } from './wire/discovery.ts';

const QUESTION = { services: ['_shelly._tcp'], ports: [80], except: [] };

const lan = [
  { address: '10.99.0.2', cidr: '10.99.0.2/30', family: 'IPv4', internal: false },
] as NetworkInterfaceInfo[];

const discoverIn = (networks: readonly string[]) => {
  const clock = turnedClock();
  const discover = createDiscover({
    interfaces: () => ({ lan }),
    networks: () => networks,
    isPermitted: () => true,
    clock,
    print: () => {},
  });
  return { clock, discover };
};
const never = new AbortController().signal;

describe('a question of a discovery', () => {
  it('a question of a discovery is taken without the ports that no gateway looks for', () => {
    const question = { services: ['_hue._tcp'], ports: [22, 502, 3389], except: [] };
    assert.deepEqual(questionIn(question), { ...question, ports: [502] });
  });

  it('a question of a discovery is refused where it is none', async () => {
    const { discover } = discoverIn([]);
    const faulty: readonly Json[] = [
      null,
      [],
      { ...QUESTION, ports: [0] },
      { ...QUESTION, ports: Array.from({ length: 9 }, () => 80) },
      { ...QUESTION, services: ['_shelly._udp'] },
      { ...QUESTION, services: ['x'.repeat(500)] },
      { ...QUESTION, except: [{ address: 'router.example', port: 80 }] },
    ];
    for (const question of faulty)
      await assert.rejects(discover(question, never), { code: 'EINVAL' }, JSON.stringify(question));
  });
});

describe('a gateway', () => {
  it('a gateway looks nowhere where it permits none of its own networks', async () => {
    const nothing = { networks: [], instances: [], open: [], is_complete: true };
    for (const networks of [[], ['192.168.1.0/24'], ['10.98.0.0/16']])
      assert.deepEqual(await discoverIn(networks).discover(QUESTION, never), nothing);
  });

  it('a gateway refuses a second discovery while one runs, and not after it', async () => {
    const { clock, discover } = discoverIn(['10.99.0.0/30']);
    const asked = { ...QUESTION, services: [], ports: [] };
    const first = discover(asked, never);
    await assert.rejects(discover(asked, never), { code: 'EBUSY' });
    clock.turn(10_000);
    assert.deepEqual(((await first) as { networks: Json }).networks, ['10.99.0.0/30']);
    await discover(asked, never);
  });
});

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { limit } from '../src/adapter/kit/index.ts';
import { turnedClock } from '../src/core/clock.ts';
import { waitingBudgets } from './kit/waiting-budgets.ts';

it('a call beyond a limit waits until the window permits it', async () => {
  const clock = turnedClock();
  const start = clock.now();
  const budgets = [
    limit('minute', { of: 'app', calls: 2, seconds: 60, source: 'made up' }),
    limit('device_ten', { of: 'device', calls: 1, seconds: 10, for: ['command'], source: 'made up' }),
    limit('day', { calls: 1, seconds: 86_400, source: 'made up' }),
  ];
  const spend = waitingBudgets({ budgets }, clock);
  const call = async (use: 'read' | 'command' | 'login', device?: string) => {
    await spend({ host: 'api', use, device, site: undefined, costs: undefined });
    return (clock.now() - start) / 1_000;
  };
  assert.equal(await call('read'), 0);
  assert.equal(await call('command', 'a'), 0);
  assert.equal(await call('login'), 0);
  assert.equal(await call('command', 'b'), 60);
  assert.equal(await call('command', 'b'), 70);
  assert.equal(await call('read'), 120);
});

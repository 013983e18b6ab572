import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { whyNotSet, withoutSecrets } from '../station/secrets.ts';
import { Frames } from './frames.ts';

const call = (id: string, action: string, payload: object) => JSON.stringify([2, id, action, payload]);

test('a frame has its direction, and a response the action of its call', () => {
  const clock = turnedClock();
  const frames = new Frames(clock);
  frames.add('a', call('1', 'Heartbeat', {}), false);
  // Both sides may use the same id for their calls.
  frames.add('a', call('1', 'Reset', { type: 'Soft' }), true);
  frames.add('a', JSON.stringify([3, '1', { status: 'Accepted' }]), false);
  clock.turn(1_000);
  frames.add('a', JSON.stringify([4, '1', 'InternalError', 'no', {}]), true);
  frames.add('a', 'no json', false);
  frames.add('b', call('9', 'Heartbeat', {}), false);
  assert.deepEqual(
    frames.of('a').map(({ direction, kind, action }) => [direction, kind, action]),
    [
      ['received', 'call', 'Heartbeat'],
      ['sent', 'call', 'Reset'],
      ['received', 'result', 'Reset'],
      ['sent', 'error', 'Heartbeat'],
      ['received', 'unreadable', null],
    ],
  );
  assert.equal(frames.of('a')[3]?.at, '2026-11-21T09:00:01.000Z');
  frames.forget('a');
  assert.deepEqual([frames.of('a').length, frames.of('b').length], [0, 1]);
});

test('the last 200 frames of a station are kept, within a total size', () => {
  const frames = new Frames(turnedClock(), 3_000);
  for (let index = 0; index < 300; index += 1) frames.add('long', String(index), false);
  assert.equal(frames.of('long').length, 200);
  frames.add('quiet', call('1', 'Heartbeat', {}), false);
  for (let index = 0; index < 40; index += 1) frames.add('loud', 'x'.repeat(100), false);
  assert.equal(frames.of('long').length, 0);
  assert.equal(frames.of('quiet').length, 0, 'the station that was silent longest loses its frames first');
  assert.equal(frames.of('loud').length, 30);
});

test('a frame that is too long to parse has its action but no payload', () => {
  const frames = new Frames(turnedClock());
  frames.add('a', call('1', 'NotifyReport', { idTag: 'SECRET-CARD', filler: 'x'.repeat(9_000) }), false);
  const [frame] = frames.of('a');
  assert.deepEqual([frame?.kind, frame?.action, frame?.payload], ['unreadable', 'NotifyReport', null]);
});

test('frames contain no secrets', () => {
  const cases: readonly [object, object][] = [
    [{ idTag: '04E91C5A123B80' }, { idTag: '…80' }],
    [{ idTag: 'SHORT' }, { idTag: '…' }],
    [
      { idToken: { idToken: '04E91C5A123B80', type: 'ISO14443' } },
      { idToken: { idToken: '…80', type: 'ISO14443' } },
    ],
    [
      { idTagInfo: { status: 'Accepted', parentIdTag: 'FAMILY-1' } },
      { idTagInfo: { status: 'Accepted', parentIdTag: '…-1' } },
    ],
    [
      {
        configurationKey: [
          { key: 'AuthorizationKey', value: '6d79' },
          { key: 'HeartbeatInterval', value: '5' },
        ],
      },
      {
        configurationKey: [
          { key: 'AuthorizationKey', value: '…' },
          { key: 'HeartbeatInterval', value: '5' },
        ],
      },
    ],
    [
      { setVariableData: [{ variable: { name: 'BasicAuthPassword' }, attributeValue: 'pw' }] },
      { setVariableData: [{ variable: { name: 'BasicAuthPassword' }, attributeValue: '…' }] },
    ],
    [{ location: 'ftp://user:pass@host/x' }, { location: 'ftp://…@host/x' }],
    [
      { connectionData: { apn: { apnPassword: 'pw', apn: 'net' } } },
      { connectionData: { apn: { apnPassword: '…', apn: 'net' } } },
    ],
  ];
  for (const [original, redacted] of cases) assert.deepEqual(withoutSecrets(original), redacted);
});

test('settings that hold secrets, or by which the station finds us, cannot be set', () => {
  for (const key of [
    'AuthorizationKey',
    'SecurityCtrlr.BasicAuthPassword',
    'WifiPassphrase',
    'SecurityProfile',
    'OCPPCommCtrlr.NetworkConfigurationPriority',
    'CentralSystemURL',
    'BackendUrl',
    'SecurityCtrlr.Identity',
  ])
    assert.notEqual(whyNotSet(key), null, key);
  for (const key of [
    'HeartbeatInterval',
    'SampledDataCtrlr.TxUpdatedInterval',
    'AuthorizeRemoteTxRequests',
    'LocalPreAuthorize',
  ])
    assert.equal(whyNotSet(key), null, key);
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchesTopic, topicsIn } from './mqtt.ts';

describe('the filter of a subscription', () => {
  it('the filter of a subscription names topics as MQTT says', () => {
    // The examples of MQTT 3.1.1, section 4.7.
    const named: readonly (readonly [string, string])[] = [
      ['sport/tennis/player1/#', 'sport/tennis/player1'],
      ['sport/tennis/player1/#', 'sport/tennis/player1/ranking'],
      ['sport/tennis/player1/#', 'sport/tennis/player1/score/wimbledon'],
      ['sport/#', 'sport'],
      ['#', 'any/thing'],
      ['sport/tennis/+', 'sport/tennis/player1'],
      ['sport/+', 'sport/'],
      ['+/+', '/finance'],
      ['/+', '/finance'],
      ['+/tennis/#', 'sport/tennis/player1'],
      ['$SYS/#', '$SYS/broker'],
      ['a/b', 'a/b'],
    ];
    for (const [filter, topic] of named)
      assert.equal(matchesTopic(filter, topic), true, `${filter} ${topic}`);
    const others: readonly (readonly [string, string])[] = [
      ['sport/tennis/+', 'sport/tennis/player1/ranking'],
      ['sport/+', 'sport'],
      ['+', '/finance'],
      ['#', '$SYS/broker'],
      ['+/broker', '$SYS/broker'],
      ['a/b', 'a/b/c'],
      ['a/b/c', 'a/b'],
      ['a/B', 'a/b'],
    ];
    for (const [filter, topic] of others)
      assert.equal(matchesTopic(filter, topic), false, `${filter} ${topic}`);
  });
});

describe('filters of one listener', () => {
  it('filters of one listener are met by their own topics and by what their wildcards name', () => {
    const hasTopic = topicsIn(['a/b', 'plugs/+/state']);
    assert.deepEqual(['a/b', 'plugs/1/state', 'a/c', 'plugs/1/set', 'a'].map(hasTopic), [
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

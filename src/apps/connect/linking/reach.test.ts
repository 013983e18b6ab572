import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Reach, reachOf } from './reach.ts';

it('the check of an address tells addresses that a station in a home reaches from those that it does not', () => {
  for (const [url, reach] of [
    ['ws://localhost:8080/ocpp/', 'machine'],
    ['ws://127.0.0.1:8080/ocpp/', 'machine'],
    ['ws://[::1]:8080/ocpp/', 'machine'],
    ['ws://elnav.localhost/', 'machine'],
    ['ws://192.168.1.20:8080/ocpp/', 'network'],
    ['ws://10.0.0.2/', 'network'],
    ['ws://169.254.9.9/', 'network'],
    ['ws://[fd00::2]/', 'network'],
    ['ws://server/', 'network'],
    ['ws://elnav.local/', 'network'],
    ['ws://elnav.local./', 'network'],
    ['wss://connect.example.com/ocpp/', 'everywhere'],
    ['wss://local.example.com/', 'everywhere'],
    ['wss://8.8.8.8/', 'everywhere'],
    ['wss://[2606:4700::1111]/', 'everywhere'],
  ] satisfies [string, Reach][])
    assert.equal(reachOf(url), reach, url);
});

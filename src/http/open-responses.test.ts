import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../domain/access/accounts/index.ts';
import { createOpenResponses } from './open-responses.ts';

const fromAddress = (ip: string) => ({ ip, principal: null }) as FastifyRequest;
const ofAccount = (account: number) =>
  ({ ip: '192.0.2.1', principal: { account } as Principal }) as FastifyRequest;

function answer() {
  const raw = Object.assign(new EventEmitter(), { closed: false });
  return { reply: { raw } as unknown as FastifyReply, close: () => raw.emit('close') };
}

describe('open responses', () => {
  it('open responses are limited per caller, independently of other callers', () => {
    const open = createOpenResponses({ name: 'streams', mostOfCaller: 1 });
    for (const caller of [fromAddress('192.0.2.1'), fromAddress('192.0.2.2'), ofAccount(1), ofAccount(2)]) {
      const { reply, close } = answer();
      open.enter(caller, reply);
      assert.throws(() => open.enter(caller, answer().reply), {
        code: 'limit.busy',
        message: '1 streams of yours are already open; close one, or retry later',
        retryAfterSeconds: 30,
      });
      close();
      open.enter(caller, answer().reply);
    }
  });

  it('open responses are limited in total', () => {
    const open = createOpenResponses({ name: 'streams', mostInAll: 3 });
    const answers = [1, 2, 3].map((account) => {
      const { reply, close } = answer();
      open.enter(ofAccount(account), reply);
      return close;
    });
    assert.throws(() => open.enter(ofAccount(4), answer().reply), { code: 'limit.busy' });
    answers[0]?.();
    open.enter(ofAccount(4), answer().reply);
    assert.throws(() => open.enter(ofAccount(5), answer().reply), { code: 'limit.busy' });
  });

  it('open responses are not counted for a caller that has disconnected', () => {
    const open = createOpenResponses({ name: 'streams', mostOfCaller: 1 });
    const { reply } = answer();
    Object.assign(reply.raw, { closed: true });
    open.enter(ofAccount(1), reply);
    open.enter(ofAccount(1), answer().reply);
  });
});

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { it } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../../domain/access/accounts/index.ts';
import { createHistoryLimit } from './send-history.ts';

it('histories of prices and production that nobody reads are open at most 200 at a time, and ten of each caller', () => {
  const limit = createHistoryLimit();
  const enter = (account: number) => {
    const raw = Object.assign(new EventEmitter(), { closed: false });
    const request = { ip: '192.0.2.1', principal: { account } as Principal } as FastifyRequest;
    limit.enter(request, { raw } as unknown as FastifyReply);
  };
  for (let account = 1; account <= 20; account += 1) for (let one = 0; one < 10; one += 1) enter(account);
  assert.throws(() => enter(1), /^AppError: 10 answers of history of yours are already open/);
  assert.throws(() => enter(21), /^AppError: too many answers of history are already open/);
});

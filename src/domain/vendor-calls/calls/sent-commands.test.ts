import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { type Engine, onEachEngine } from '../../../../test/kit/databases.ts';
import { EMPTY_RESPONSE, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import { vendorFailure } from '../../../adapter/failures.ts';
import { HttpFailure, type VendorRequest } from '../../../adapter/http.ts';
import type { Session } from '../../../adapter/session.ts';
import { AppError } from '../../../core/errors.ts';

const READ = { path: '/state' };
const COMMAND = { path: '/on', method: 'POST', use: 'command' } as const;

const send = async (session: Session, request: VendorRequest) => {
  await session.http.send(request).catch((cause: unknown) => {
    throw vendorFailure('Test vendor', cause);
  });
};

onEachEngine('a command of several calls', (engine: Engine) => {
  /** How a command ends for its caller whose handler is this; `failing` are the calls that the vendor fails. */
  async function outcomeOf(
    test: Pick<TestContext, 'after'>,
    handler: (session: Session) => Promise<void>,
    failing: Readonly<Record<string, HttpFailure>> = {},
  ) {
    const vendor = testVendor();
    const adapter: Adapter = { ...vendor.adapter, hosts: { api: 'https://vendor.example' } };
    vendor.onCommand = (_device, _command, session) => handler(session);
    const world = await makeCoreWorld(engine, [adapter], {
      hostOf: () => ({
        async send({ path }) {
          const failure = failing[path];
          if (failure !== undefined) throw failure;
          return EMPTY_RESPONSE;
        },
      }),
    });
    test.after(() => world.remove());
    const account = await world.newAccount();
    await world.link(account, 'testvendor');
    const code = await world.send(account, 'light-1', { type: 'turn_on' }).then(
      () => 'done',
      (error: AppError) => error.code,
    );
    const { status } = await world.database.queries
      .selectFrom('commands')
      .select('status')
      .executeTakeFirstOrThrow();
    return [code, status];
  }

  const limited = new HttpFailure('rate_limited', 'enough', { status: 429, retryAfterSeconds: 8 });
  const down = new HttpFailure('server_error', 'down', { status: 503 });

  it('a command that the vendor took is unknown, not failed, where a call after it fails', async (test) => {
    for (const failure of [limited, down, new HttpFailure('answer_invalid', 'a page', { status: 200 })])
      assert.deepEqual(
        await outcomeOf(
          test,
          async (session) => {
            await send(session, COMMAND);
            await send(session, READ);
          },
          { '/state': failure },
        ),
        ['command.outcome_unknown', 'unknown'],
        failure.message,
      );
  });

  it('a command whose response the adapter does not understand is unknown', async (test) => {
    const handler = async (session: Session) => {
      await send(session, COMMAND);
      throw new AppError('vendor.answer_invalid', 'the response was not understood');
    };
    assert.deepEqual(await outcomeOf(test, handler), ['command.outcome_unknown', 'unknown']);
  });

  it('a command that was never sent has failed, whatever is not understood before it', async (test) => {
    const handler = async (session: Session) => {
      await send(session, READ);
      await send(session, COMMAND);
    };
    const page = new HttpFailure('answer_invalid', 'a page', { status: 200 });
    assert.deepEqual(await outcomeOf(test, handler, { '/state': page }), ['vendor.answer_invalid', 'failed']);
  });

  it('a command that the vendor limits or refuses has failed', async (test) => {
    const handler = (session: Session) => send(session, COMMAND);
    const refused = new HttpFailure('refused', 'no', { status: 403 });
    assert.deepEqual(await outcomeOf(test, handler, { '/on': limited }), ['vendor.rate_limited', 'failed']);
    assert.deepEqual(await outcomeOf(test, handler, { '/on': refused }), ['vendor.refused', 'failed']);
  });

  it('a command that the vendor took and the adapter then finds refused has failed', async (test) => {
    const handler = async (session: Session) => {
      await send(session, COMMAND);
      throw new AppError('vendor.refused', 'the charger said no');
    };
    assert.deepEqual(await outcomeOf(test, handler), ['vendor.refused', 'failed']);
  });
});

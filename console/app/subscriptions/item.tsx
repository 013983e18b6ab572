import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Subscription } from '../api/shapes.ts';
import type { Operations } from '../api/types.ts';
import { ago, count, dateTime, duration } from '../format.ts';
import { useAction } from '../parts/action.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Failure } from '../parts/failure.tsx';
import { focusHeading } from '../parts/focus-heading.ts';
import { Name } from '../parts/name.tsx';
import { words } from '../words/index.ts';
import { Attempts } from './attempts.tsx';
import { SubscriptionEdit } from './form.tsx';
import { Outcome } from './outcome.tsx';
import { Replay } from './replay.tsx';
import { Secret, type Verification } from './secret.tsx';

const texts = words.subscriptions;
type Panel = 'edit' | 'attempts' | 'replay' | 'rotate' | 'remove';
type Tested = Operations['POST /subscriptions/{id}/test']['response'];

interface ItemProps {
  readonly subscription: Subscription;
  /** Now, ms. */
  readonly at: number;
}

/** One subscription, and what can be done with it. */
export function SubscriptionItem({ subscription, at }: ItemProps) {
  const { id } = subscription;
  const [panel, setPanel] = useState<Panel>();
  const [tested, setTested] = useState<Tested>();
  const [rotated, setRotated] = useState<Verification>();
  const { run, isBusy, error } = useAction();
  const toggle = (one: Panel) => setPanel(panel === one ? undefined : one);
  const changed = () => {
    invalidate('GET /subscriptions');
    invalidate('GET /subscriptions/{id}/attempts');
  };
  const test = async () => {
    setTested(undefined);
    setTested((await run(() => call('POST /subscriptions/{id}/test', { path: [id] })))?.body);
  };
  const resume = async () => {
    await run(() => call('POST /subscriptions/{id}/resume', { path: [id] }));
    changed();
  };
  const rotate = async () => {
    const answered = await run(() => call('POST /subscriptions/{id}/rotate', { path: [id] }));
    setPanel(undefined);
    if (answered !== undefined)
      setRotated({ secret: answered.body.secret, publicKey: answered.body.public_key });
    changed();
  };
  const remove = async () => {
    const answered = await run(() => call('DELETE /subscriptions/{id}', { path: [id] }));
    if (answered === undefined) setPanel(undefined);
    else focusHeading();
    changed();
  };
  const replay = async (after: string | null) => {
    const answered = await run(() =>
      call('POST /subscriptions/{id}/replay', { path: [id], body: { after } }),
    );
    changed();
    if (answered !== undefined) setPanel(undefined);
  };
  return (
    <li class="card">
      <div class="card-head">
        <h2 class="item-title">
          <Name text={subscription.url} />
        </h2>
        <Condition subscription={subscription} />
      </div>
      <Facts facts={factsOf({ subscription, at })} isOfItem />
      {subscription.status === 'paused' && subscription.reason !== null ? (
        <p>{texts.reasons[subscription.reason]}</p>
      ) : null}
      <div class="row">
        {subscription.status === 'paused' ? (
          <ActionButton tone="primary" isBusy={isBusy} onClick={() => void resume()}>
            {texts.resume}
          </ActionButton>
        ) : null}
        <ActionButton isBusy={isBusy} onClick={() => void test()}>
          {texts.test}
        </ActionButton>
        <ActionButton isOpen={panel === 'edit'} onClick={() => toggle('edit')}>
          {texts.edit}
        </ActionButton>
        <ActionButton isOpen={panel === 'attempts'} onClick={() => toggle('attempts')}>
          {texts.attempts}
        </ActionButton>
        <ActionButton isOpen={panel === 'replay'} onClick={() => toggle('replay')}>
          {texts.replay}
        </ActionButton>
        <ActionButton isOpen={panel === 'rotate'} onClick={() => toggle('rotate')}>
          {texts.rotate}
        </ActionButton>
        <ActionButton tone="danger" isOpen={panel === 'remove'} onClick={() => toggle('remove')}>
          {texts.remove}
        </ActionButton>
      </div>
      {error === undefined ? null : <Failure title={texts.failed} error={error} />}
      <div role="status" class="item-said">
        {tested === undefined ? null : <Outcome tested={tested} />}
      </div>
      {rotated === undefined ? null : <Secret {...rotated} onDone={() => setRotated(undefined)} />}
      {panel === 'edit' ? (
        <SubscriptionEdit subscription={subscription} onDone={() => setPanel(undefined)} />
      ) : null}
      {panel === 'attempts' ? <Attempts id={id} /> : null}
      {panel === 'replay' ? <Replay isBusy={isBusy} onReplay={(after) => void replay(after)} /> : null}
      {panel === 'rotate' ? (
        <Confirm
          {...{ title: texts.rotateTitle, text: texts.rotateText, act: texts.rotateAct, isBusy }}
          onConfirm={() => void rotate()}
          onCancel={() => setPanel(undefined)}
        />
      ) : null}
      {panel === 'remove' ? (
        <Confirm
          {...{ title: texts.removeTitle, text: texts.removeText, act: texts.removeAct, isBusy }}
          onConfirm={() => void remove()}
          onCancel={() => setPanel(undefined)}
        />
      ) : null}
    </li>
  );
}

function Condition({ subscription }: { readonly subscription: Subscription }) {
  if (subscription.status === 'paused') return <span class="mark mark-bad">{texts.paused}</span>;
  if (subscription.failing_since !== null) return <span class="mark mark-note">{texts.failing}</span>;
  return <span class="mark mark-good">{texts.active}</span>;
}

const LATE_SECONDS = 60;

function factsOf({ subscription: one, at }: ItemProps): readonly Fact[] {
  const types = one.types?.map((type) => (words.eventTypes as Record<string, string>)[type] ?? type);
  return [
    [texts.types, types === undefined ? texts.allTypes : types.join(', ')],
    [texts.device, one.device],
    [texts.user, one.user_ref],
    [texts.lag, one.lag_seconds < LATE_SECONDS ? texts.noLag : duration(one.lag_seconds)],
    [
      texts.failingSince,
      one.failing_since && texts.failures(ago(one.failing_since, at), count(one.failures)),
    ],
    [texts.nextAttempt, one.next_attempt_at && dateTime(one.next_attempt_at)],
    [texts.lost, one.lost && texts.span(dateTime(one.lost.from), dateTime(one.lost.until))],
    [texts.publicKey, one.public_key],
    [texts.signature, one.signature],
    [texts.madeAt, dateTime(one.created_at)],
  ];
}

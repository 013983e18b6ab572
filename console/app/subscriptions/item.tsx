import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Subscription } from '../api/shapes.ts';
import type { Operations } from '../api/types.ts';
import { ago, count, dateTime, duration } from '../format.ts';
import { ActionButton, useAction } from '../parts/action.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Failure } from '../parts/failure.tsx';
import { focusHeading } from '../parts/page.tsx';
import { Confirm, ShownOnce } from '../parts/panel.tsx';
import { type Fact, Facts, Name } from '../parts/texts.tsx';
import { words } from '../words/index.ts';
import { Attempts, Outcome, Replay } from './attempts.tsx';
import { SubscriptionEdit } from './form.tsx';

const texts = words.subscriptions;

/** What the receiver verifies deliveries with. */
export interface Verification {
  /** Null where it verifies with the public key. */
  readonly secret: string | null;
  readonly publicKey: string | null;
}

interface SecretProps extends Verification {
  readonly onDone: () => void;
}

/** Shows what the receiver verifies deliveries with. */
export function Secret({ secret, publicKey, onDone }: SecretProps) {
  if (secret !== null)
    return (
      <ShownOnce title={texts.secret} text={texts.secretText} onDone={onDone}>
        <Copyable act={words.copying.copy(texts.secret)} text={secret} />
      </ShownOnce>
    );
  return (
    <ShownOnce title={texts.publicKey} text={texts.publicKeyText} onDone={onDone}>
      <Copyable act={words.copying.copy(texts.publicKey)} text={publicKey ?? ''} />
    </ShownOnce>
  );
}

const itemTexts = words.subscriptions;
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
        <p>{itemTexts.reasons[subscription.reason]}</p>
      ) : null}
      <div class="row">
        {subscription.status === 'paused' ? (
          <ActionButton tone="primary" isBusy={isBusy} onClick={() => void resume()}>
            {itemTexts.resume}
          </ActionButton>
        ) : null}
        <ActionButton isBusy={isBusy} onClick={() => void test()}>
          {itemTexts.test}
        </ActionButton>
        <ActionButton isOpen={panel === 'edit'} onClick={() => toggle('edit')}>
          {itemTexts.edit}
        </ActionButton>
        <ActionButton isOpen={panel === 'attempts'} onClick={() => toggle('attempts')}>
          {itemTexts.attempts}
        </ActionButton>
        <ActionButton isOpen={panel === 'replay'} onClick={() => toggle('replay')}>
          {itemTexts.replay}
        </ActionButton>
        <ActionButton isOpen={panel === 'rotate'} onClick={() => toggle('rotate')}>
          {itemTexts.rotate}
        </ActionButton>
        <ActionButton tone="danger" isOpen={panel === 'remove'} onClick={() => toggle('remove')}>
          {itemTexts.remove}
        </ActionButton>
      </div>
      {error === undefined ? null : <Failure title={itemTexts.failed} error={error} />}
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
          {...{ title: itemTexts.rotateTitle, text: itemTexts.rotateText, act: itemTexts.rotateAct, isBusy }}
          onConfirm={() => void rotate()}
          onCancel={() => setPanel(undefined)}
        />
      ) : null}
      {panel === 'remove' ? (
        <Confirm
          {...{ title: itemTexts.removeTitle, text: itemTexts.removeText, act: itemTexts.removeAct, isBusy }}
          onConfirm={() => void remove()}
          onCancel={() => setPanel(undefined)}
        />
      ) : null}
    </li>
  );
}

function Condition({ subscription }: { readonly subscription: Subscription }) {
  if (subscription.status === 'paused') return <span class="mark mark-bad">{itemTexts.paused}</span>;
  if (subscription.failing_since !== null) return <span class="mark mark-note">{itemTexts.failing}</span>;
  return <span class="mark mark-good">{itemTexts.active}</span>;
}

const LATE_SECONDS = 60;

function factsOf({ subscription: one, at }: ItemProps): readonly Fact[] {
  const types = one.types?.map((type) => (words.eventTypes as Record<string, string>)[type] ?? type);
  return [
    [itemTexts.types, types === undefined ? itemTexts.allTypes : types.join(', ')],
    [itemTexts.device, one.device],
    [itemTexts.user, one.user_ref],
    [itemTexts.lag, one.lag_seconds < LATE_SECONDS ? itemTexts.noLag : duration(one.lag_seconds)],
    [
      itemTexts.failingSince,
      one.failing_since && itemTexts.failures(ago(one.failing_since, at), count(one.failures)),
    ],
    [itemTexts.nextAttempt, one.next_attempt_at && dateTime(one.next_attempt_at)],
    [itemTexts.lost, one.lost && itemTexts.span(dateTime(one.lost.from), dateTime(one.lost.to))],
    [itemTexts.publicKey, one.public_key],
    [itemTexts.signature, one.signature],
    [itemTexts.madeAt, dateTime(one.created_at)],
  ];
}

import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Operations } from '../api/types.ts';
import { ago, dateTime } from '../format.ts';
import { useAction } from '../parts/action.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Failure } from '../parts/failure.tsx';
import { focusHeading } from '../parts/focus-heading.ts';
import { Name } from '../parts/name.tsx';
import { words } from '../words/index.ts';
import { Discovered, type Found } from './discovered.tsx';
import { type Pairing, PairingCode } from './pairing.tsx';

const texts = words.gateways;
type Gateway = Operations['GET /gateways']['response'][number];

interface ItemProps {
  readonly gateway: Gateway;
  /** Now, ms. */
  readonly at: number;
}

/** One gateway, and what can be done with it. */
export function GatewayItem({ gateway, at }: ItemProps) {
  const { id } = gateway;
  const [isRemoving, setRemoving] = useState(false);
  const [pairing, setPairing] = useState<Pairing>();
  const [found, setFound] = useState<Found>();
  const changing = useAction();
  const discovering = useAction();
  const error = changing.error ?? discovering.error;

  const pairAgain = async () => {
    const answered = await changing.run(() => call('POST /gateways/{id}/pairing-code', { path: [id] }));
    if (answered !== undefined) setPairing(answered.body);
  };
  const discover = async () => {
    setFound(undefined);
    setFound((await discovering.run(() => call('POST /gateways/{id}/discover', { path: [id] })))?.body);
  };
  const remove = async () => {
    const answered = await changing.run(() => call('DELETE /gateways/{id}', { path: [id] }));
    if (answered === undefined) setRemoving(false);
    else focusHeading();
    invalidate('GET /gateways');
  };
  return (
    <li class="card">
      <div class="card-head">
        <h2 class="item-title">
          <Name text={gateway.name} />
        </h2>
        <Condition gateway={gateway} />
      </div>
      <Facts facts={factsOf({ gateway, at })} isOfItem />
      <div class="row">
        <ActionButton isBusy={discovering.isBusy} onClick={() => void discover()}>
          {texts.discover}
        </ActionButton>
        <ActionButton isBusy={changing.isBusy} onClick={() => void pairAgain()}>
          {texts.pairAgain}
        </ActionButton>
        <ActionButton tone="danger" isOpen={isRemoving} onClick={() => setRemoving(!isRemoving)}>
          {texts.remove}
        </ActionButton>
      </div>
      {error === undefined ? null : <Failure title={texts.failed} error={error} />}
      <p role="status" class="item-said soft">
        {discovering.isBusy ? texts.discovering : ''}
      </p>
      {found === undefined ? null : <Discovered found={found} />}
      {pairing === undefined ? null : (
        <PairingCode key={pairing.pairing_code} pairing={pairing} onDone={() => setPairing(undefined)} />
      )}
      {isRemoving ? (
        <Confirm
          {...{ title: texts.removeTitle, text: texts.removeText, act: texts.removeAct }}
          isBusy={changing.isBusy}
          onConfirm={() => void remove()}
          onCancel={() => setRemoving(false)}
        />
      ) : null}
    </li>
  );
}

function Condition({ gateway }: { readonly gateway: Gateway }) {
  if (gateway.connected) return <span class="mark mark-good">{texts.connected}</span>;
  if (gateway.paired_at === null) return <span class="mark mark-still">{texts.unpaired}</span>;
  return <span class="mark mark-bad">{texts.lost}</span>;
}

function factsOf({ gateway, at }: ItemProps): readonly Fact[] {
  const { last_heard_at: heard, version, networks, created_at: made } = gateway;
  return [
    [texts.heard, heard === null ? texts.never : ago(heard, at)],
    [texts.version, version ?? words.none],
    [texts.networks, networks.length === 0 ? words.none : networks.join(', ')],
    [texts.id, gateway.id],
    [texts.madeAt, dateTime(made)],
  ];
}

import { useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Operations } from '../api/types.ts';
import { useVendorNames } from '../api/vendors.ts';
import { useNow } from '../clock.ts';
import { ago, clockSeconds, dateTime, foreign } from '../format.ts';
import { ActionButton, useAction } from '../parts/action.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Failure } from '../parts/failure.tsx';
import { focusHeading } from '../parts/page.tsx';
import { Confirm, ShownOnce } from '../parts/panel.tsx';
import { TableScroll } from '../parts/scrolled.tsx';
import { type Fact, Facts, Name } from '../parts/texts.tsx';
import { words } from '../words/index.ts';

const texts = words.gateways;
const LOOK_MS = 5_000;

export type Pairing = Operations['POST /gateways']['response'];

/** The code that a gateway is paired with, and how it is started with it. */
export function PairingCode({ pairing, onDone }: { readonly pairing: Pairing; readonly onDone: () => void }) {
  const at = useNow(LOOK_MS);
  const isOver = Date.parse(pairing.expires_at) <= at;
  const command = `ELNAV_GATEWAY_URL=${location.origin} ELNAV_GATEWAY_CODE=${pairing.pairing_code} npm run gateway`;
  return (
    <ShownOnce
      title={texts.pairing}
      text={isOver ? texts.pairingOver : texts.pairingText(clockSeconds(pairing.expires_at))}
      onDone={onDone}
    >
      {isOver ? null : (
        <>
          <Copyable act={words.copying.copy(texts.code)} text={pairing.pairing_code} />
          <p>{texts.commandText}</p>
          <Copyable act={words.copying.copy(texts.command)} text={command} />
        </>
      )}
    </ShownOnce>
  );
}

const discoveredTexts = words.gateways;

type Found = Operations['POST /gateways/{id}/discover']['response'];
type FoundDevice = Found['devices'][number];

/** What answers in the network of a gateway. */
function Discovered({ found }: { readonly found: Found }) {
  const label = useId();
  const names = useVendorNames();
  return (
    <section class="stack-small" aria-labelledby={label}>
      <h3 id={label} class="heading-small">
        {discoveredTexts.found(String(found.devices.length))}
      </h3>
      <p class="hint">{discoveredTexts.looked(foreign(found.networks.join(', ')))}</p>
      {found.truncated ? <p class="hint">{discoveredTexts.truncated}</p> : null}
      {found.devices.length === 0 ? null : (
        <TableScroll labelledBy={label}>
          <table class="item-table">
            <thead>
              <tr>
                <th scope="col">{discoveredTexts.columns.name}</th>
                <th scope="col">{discoveredTexts.columns.vendor}</th>
                <th scope="col">{discoveredTexts.columns.address}</th>
                <th scope="col">{discoveredTexts.columns.state}</th>
              </tr>
            </thead>
            <tbody>
              {found.devices.map((one) => (
                <tr key={`${one.vendor} ${one.host} ${JSON.stringify(one.link.credentials)}`}>
                  <th scope="row">
                    <Name text={one.name} />
                  </th>
                  <td>
                    <Name text={names.get(one.vendor) ?? one.vendor} />
                  </td>
                  <td>
                    <code>{foreign(one.host)}</code>
                  </td>
                  <td>{stateOf(one)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      )}
    </section>
  );
}

function stateOf({ is_linked: isLinked, certain, missing }: FoundDevice): string {
  if (isLinked) return discoveredTexts.linked;
  const needed =
    missing.length === 0 ? discoveredTexts.ready : discoveredTexts.missing(foreign(missing.join(', ')));
  return certain ? needed : `${discoveredTexts.uncertain} ${needed}`;
}

const itemTexts = words.gateways;
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
          {itemTexts.discover}
        </ActionButton>
        <ActionButton isBusy={changing.isBusy} onClick={() => void pairAgain()}>
          {itemTexts.pairAgain}
        </ActionButton>
        <ActionButton tone="danger" isOpen={isRemoving} onClick={() => setRemoving(!isRemoving)}>
          {itemTexts.remove}
        </ActionButton>
      </div>
      {error === undefined ? null : <Failure title={itemTexts.failed} error={error} />}
      <p role="status" class="item-said soft">
        {discovering.isBusy ? itemTexts.discovering : ''}
      </p>
      {found === undefined ? null : <Discovered found={found} />}
      {pairing === undefined ? null : (
        <PairingCode key={pairing.pairing_code} pairing={pairing} onDone={() => setPairing(undefined)} />
      )}
      {isRemoving ? (
        <Confirm
          {...{ title: itemTexts.removeTitle, text: itemTexts.removeText, act: itemTexts.removeAct }}
          isBusy={changing.isBusy}
          onConfirm={() => void remove()}
          onCancel={() => setRemoving(false)}
        />
      ) : null}
    </li>
  );
}

function Condition({ gateway }: { readonly gateway: Gateway }) {
  if (gateway.connected) return <span class="mark mark-good">{itemTexts.connected}</span>;
  if (gateway.paired_at === null) return <span class="mark mark-still">{itemTexts.unpaired}</span>;
  return <span class="mark mark-bad">{itemTexts.lost}</span>;
}

function factsOf({ gateway, at }: ItemProps): readonly Fact[] {
  const { last_heard_at: heard, version, networks, created_at: made } = gateway;
  return [
    [itemTexts.heard, heard === null ? itemTexts.never : ago(heard, at)],
    [itemTexts.version, version ?? words.none],
    [itemTexts.networks, networks.length === 0 ? words.none : networks.join(', ')],
    [itemTexts.id, gateway.id],
    [itemTexts.madeAt, dateTime(made)],
  ];
}

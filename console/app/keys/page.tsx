import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate, useRead } from '../api/queries.ts';
import type { Key } from '../api/shapes.ts';
import { useNow } from '../clock.ts';
import { ago, dateTime, foreign } from '../format.ts';
import { ActionButton, useAction } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { ItemsPage } from '../parts/items-page.tsx';
import { focusHeading } from '../parts/page.tsx';
import { Confirm } from '../parts/panel.tsx';
import { type Fact, Facts, Name, Time } from '../parts/texts.tsx';
import { words } from '../words/index.ts';
import { KeyForm, type Made, MadeKey } from './form.tsx';

const texts = words.keys;

interface ItemProps {
  readonly apiKey: Key;
  /** Now, ms. */
  readonly at: number;
  /** Gets the sentence that reports the revocation. */
  readonly onRevoked: (said: string) => void;
}

/** One key, and how it is revoked. */
function KeyItem({ apiKey, at, onRevoked }: ItemProps) {
  const { id, label, revoked_at: revokedAt } = apiKey;
  const [isRevoking, setRevoking] = useState(false);
  const { run, isBusy, error } = useAction();
  const shown = foreign(label) === '' ? id : foreign(label);
  const revoke = async () => {
    const answered = await run(() => call('DELETE /account/keys/{key_id}', { path: [id] }));
    setRevoking(false);
    if (answered !== undefined) {
      onRevoked(texts.isRevoked(shown));
      focusHeading();
    }
    invalidate('GET /account/keys');
  };
  return (
    <li class="card">
      <div class="card-head">
        <h2 class="item-title">
          <Name text={label} />
        </h2>
        {revokedAt === null ? (
          <span class="mark mark-good">{texts.active}</span>
        ) : (
          <span class="mark mark-still">{texts.revoked}</span>
        )}
      </div>
      <Facts facts={factsOf(apiKey, at)} isOfItem />
      {error === undefined ? null : <Failure title={texts.failed} error={error} />}
      {revokedAt === null ? (
        <div class="row">
          <ActionButton tone="danger" isOpen={isRevoking} onClick={() => setRevoking(!isRevoking)}>
            {texts.revoke}
            <span class="hidden-visually"> {shown}</span>
          </ActionButton>
        </div>
      ) : null}
      {revokedAt === null && isRevoking ? (
        <Confirm
          {...{ title: texts.revokeTitle, text: texts.revokeText, act: texts.revokeAct, isBusy }}
          onConfirm={() => void revoke()}
          onCancel={() => setRevoking(false)}
        />
      ) : null}
    </li>
  );
}

function factsOf(key: Key, at: number): readonly Fact[] {
  const created = dateTime(key.created_at);
  return [
    [texts.key, <code key="key">elnav_{key.id}_…</code>],
    [texts.scopes, key.scopes.map((scope) => texts.scopeWords[scope]).join(' · ') || words.none],
    [texts.createdAt, key.created_by === null ? created : texts.createdBy[key.created_by](created)],
    [
      texts.lastUsed,
      key.last_used_at === null ? (
        texts.never
      ) : (
        <Time at={key.last_used_at} text={ago(key.last_used_at, at)} />
      ),
    ],
    [texts.revokedAt, key.revoked_at && dateTime(key.revoked_at)],
  ];
}

/** No event reports what becomes of keys: they are read again while the page is seen. */
const REFETCH_MS = 10_000;

/** The API keys of the account. */
export function KeysPage() {
  const result = useRead('GET /account/keys', {}, REFETCH_MS);
  const at = useNow(REFETCH_MS);
  const [made, setMade] = useState<Made>();
  const [said, setSaid] = useState('');
  return (
    <ItemsPage
      texts={words.keys}
      result={result}
      order={activeFirst}
      item={(one) => <KeyItem apiKey={one} at={at} onRevoked={setSaid} />}
      made={
        <>
          <p role="status" class={said === '' ? 'item-said' : 'notice notice-good'}>
            {said}
          </p>
          {made === undefined ? null : (
            <MadeKey key={made.id} made={made} onDone={() => setMade(undefined)} />
          )}
        </>
      }
      form={(close) => (
        <KeyForm
          onCancel={close}
          onMade={(key) => {
            close();
            setSaid('');
            setMade(key);
            invalidate('GET /account/keys');
          }}
        />
      )}
    />
  );
}

/** Those that can be used, the youngest first, before those that are revoked. */
const activeFirst = (keys: readonly Key[]): readonly Key[] =>
  keys.toReversed().toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null));

import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Key } from '../api/shapes.ts';
import { ago, dateTime, foreign } from '../format.ts';
import { useAction } from '../parts/action.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Failure } from '../parts/failure.tsx';
import { focusHeading } from '../parts/focus-heading.ts';
import { Name } from '../parts/name.tsx';
import { Time } from '../parts/time.tsx';
import { words } from '../words/index.ts';

const texts = words.keys;

interface ItemProps {
  readonly apiKey: Key;
  /** Now, ms. */
  readonly at: number;
  /** Takes what is said of it. */
  readonly onRevoked: (said: string) => void;
}

/** One key, and how it is revoked. */
export function KeyItem({ apiKey, at, onRevoked }: ItemProps) {
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

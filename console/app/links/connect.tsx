import { useEffect, useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useRead } from '../api/queries.ts';
import { Failure } from '../parts/failure.tsx';
import { keepTyped } from '../session.ts';
import { useStore } from '../store.ts';
import { words } from '../words/index.ts';
import { AreaOptions, areaIn } from './area.tsx';
import { begun } from './begun.ts';
import { LinkSession } from './session.tsx';

const texts = words.connect;
const NOTHING = { user: '', vendor: '', area: '', redirect: '' };
type Typed = typeof NOTHING;
const LONGEST_USER = 200;
const LONGEST_ADDRESS = 2_000;

/** Begins a link session, whose page the user opens. */
export function Connect() {
  const present = useStore(begun);
  return (
    <section class="card" aria-labelledby="connect">
      <h2 id="connect">{texts.title}</h2>
      <p class="soft">{texts.text}</p>
      {present === undefined ? <ConnectForm /> : <LinkSession key={present.session} begun={present} />}
    </section>
  );
}

function ConnectForm() {
  const id = useId();
  const [typed, setTyped] = useState(NOTHING);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error>();
  const [isMissing, setMissing] = useState(false);
  const isTyped = Object.values(typed).some((text) => text !== '');
  useEffect(() => (isTyped ? keepTyped() : undefined), [isTyped]);
  const type = (change: Partial<Typed>) => {
    setTyped({ ...typed, ...change });
    setMissing(false);
  };
  const submit = async () => {
    if (isSending) return;
    setMissing(typed.user.trim() === '');
    if (typed.user.trim() === '') return document.getElementById(`${id}-user`)?.focus();
    setSending(true);
    setError(undefined);
    try {
      begun.set(await begin(typed));
    } catch (thrown) {
      setError(thrown as Error);
      setSending(false);
    }
  };
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div class="connect-fields">
        <div class="field">
          <label for={`${id}-user`}>{texts.user}</label>
          <input
            id={`${id}-user`}
            type="text"
            autoComplete="off"
            maxLength={LONGEST_USER}
            value={typed.user}
            aria-invalid={isMissing}
            aria-describedby={`${id}-user-hint`}
            onInput={(event) => type({ user: event.currentTarget.value })}
          />
          <span id={`${id}-user-hint`} class={isMissing ? 'fault' : 'hint'}>
            {isMissing ? texts.userMissing : texts.userHint}
          </span>
        </div>
        <div class="field">
          <label for={`${id}-vendor`}>{texts.vendor}</label>
          <VendorChoice id={`${id}-vendor`} value={typed.vendor} onChange={(vendor) => type({ vendor })} />
        </div>
        <div class="field">
          <label for={`${id}-area`}>{texts.area}</label>
          <select
            id={`${id}-area`}
            value={typed.area}
            onChange={(event) => type({ area: event.currentTarget.value })}
          >
            <AreaOptions none={texts.noArea} />
          </select>
        </div>
        <div class="field">
          <label for={`${id}-redirect`}>{texts.redirect}</label>
          <input
            id={`${id}-redirect`}
            type="url"
            autoComplete="off"
            maxLength={LONGEST_ADDRESS}
            value={typed.redirect}
            aria-describedby={`${id}-redirect-hint`}
            onInput={(event) => type({ redirect: event.currentTarget.value })}
          />
          <span id={`${id}-redirect-hint`} class="hint">
            {texts.redirectHint}
          </span>
        </div>
      </div>
      {error === undefined ? null : <Failure title={texts.failed} error={error} />}
      <p>
        <button type="submit" class="button button-primary" aria-disabled={isSending}>
          {texts.begin}
        </button>
      </p>
    </form>
  );
}

async function begin({ user, vendor, area, redirect }: Typed) {
  const userRef = user.trim();
  const priceArea = areaIn(area);
  const { body } = await call('POST /link/sessions', {
    body: {
      user_ref: userRef,
      ...(vendor === '' ? {} : { vendor }),
      ...(priceArea === null ? {} : { price_area: priceArea }),
      ...(redirect.trim() === '' ? {} : { redirect_uri: redirect.trim() }),
    },
  });
  return { session: body.session, url: body.url, userRef };
}

interface VendorChoiceProps {
  readonly id: string;
  readonly value: string;
  readonly onChange: (vendor: string) => void;
}

/** The vendors that can be linked here; without one, the user chooses. */
function VendorChoice({ id, value, onChange }: VendorChoiceProps) {
  const { data = [] } = useRead('GET /vendors');
  const vendors = data.filter(({ configured }) => configured);
  return (
    <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{texts.userChooses}</option>
      {vendors.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </select>
  );
}

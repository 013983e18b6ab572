import { useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useRead } from '../api/queries.ts';
import { useAction } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { Form } from '../parts/form.tsx';
import { TextInput } from '../parts/inputs.tsx';
import { useStore } from '../store.ts';
import { words } from '../words/index.ts';
import { AreaOptions, areaIn } from './area.tsx';
import { begun, LinkSession } from './session.tsx';

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
  const { run, isBusy, error } = useAction();
  const [isMissing, setMissing] = useState(false);
  const isTyped = Object.values(typed).some((text) => text !== '');
  const type = (change: Partial<Typed>) => {
    setTyped({ ...typed, ...change });
    setMissing(false);
  };
  const submit = async () => {
    setMissing(typed.user.trim() === '');
    if (typed.user.trim() === '') return;
    const made = await run(() => begin(typed));
    if (made !== undefined) begun.set(made);
  };
  return (
    <Form class="stack" isTyped={isTyped} onSubmit={() => void submit()}>
      <div class="connect-fields">
        <TextInput
          {...{ label: texts.user, hint: texts.userHint, text: typed.user, most: LONGEST_USER }}
          fault={isMissing ? texts.userMissing : ''}
          onInput={(user) => type({ user })}
        />
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
        <TextInput
          {...{
            label: texts.redirect,
            hint: texts.redirectHint,
            text: typed.redirect,
            most: LONGEST_ADDRESS,
          }}
          inputMode="url"
          onInput={(redirect) => type({ redirect })}
        />
      </div>
      {error === undefined ? null : <Failure title={texts.failed} error={error} />}
      <p>
        <button type="submit" class="button button-primary" aria-disabled={isBusy}>
          {texts.begin}
        </button>
      </p>
    </Form>
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

import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate, useRead } from '../api/queries.ts';
import { ActionButton, useAction } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { focusHeading, Page } from '../parts/page.tsx';
import { Confirm } from '../parts/panel.tsx';
import { words } from '../words/index.ts';
import { type Brand, BrandForm, FIELDS } from './form.tsx';

const texts = words.brand;
/** No event reports what another tab or a program sets: it is read again while the page is seen. */
const REFETCH_MS = 10_000;

/** The name and the colour of the pages on which users link their devices. */
export function BrandPage() {
  const { data, error, isPending, refetch } = useRead('GET /account/brand', {}, REFETCH_MS);
  return (
    <Page texts={texts}>
      {error === null ? null : <Failure error={error} onRetry={() => void refetch()} />}
      {isPending ? <p class="soft">{words.loading}</p> : null}
      {data === undefined ? null : <BrandOf read={data} />}
    </Page>
  );
}

/** @param read what is set, as far as is known: what is typed stays, whatever another tab saves */
function BrandOf({ read }: { readonly read: Brand }) {
  const [saved, setSaved] = useState(read);
  const [isTyped, setTyped] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const [said, setSaid] = useState('');
  // The form begins again with each.
  const [edition, setEdition] = useState(0);
  const { run, isBusy, error } = useAction();
  const beginWith = (brand: Brand) => {
    setSaved(brand);
    setTyped(false);
    setEdition((before) => before + 1);
  };
  useEffect(() => {
    if (!isTyped && FIELDS.some((field) => read[field] !== saved[field])) beginWith(read);
  }, [read]);
  const remove = async () => {
    const answered = await run(() => call('DELETE /account/brand'));
    setRemoving(false);
    invalidate('GET /account/brand');
    if (answered === undefined) return;
    beginWith({ name: null, color: null, privacy_url: null, terms_url: null });
    setSaid(texts.removed);
    focusHeading();
  };
  return (
    <>
      <p role="status" class={said === '' ? 'item-said' : 'notice notice-good'}>
        {said}
      </p>
      {saved.name === null && said === '' ? <p class="soft">{texts.none}</p> : null}
      <BrandForm
        key={edition}
        saved={saved}
        onTyped={() => {
          setTyped(true);
          setSaid('');
        }}
        onSaved={(brand) => {
          setSaved(brand);
          setTyped(false);
          setSaid(texts.saved);
        }}
      />
      {error === undefined ? null : <Failure title={texts.notSaved} error={error} />}
      {saved.name === null ? null : (
        <div class="row">
          <ActionButton tone="danger" isOpen={isRemoving} onClick={() => setRemoving(!isRemoving)}>
            {texts.remove}
          </ActionButton>
        </div>
      )}
      {isRemoving ? (
        <Confirm
          {...{ title: texts.removeTitle, text: texts.removeText, act: texts.removeAct, isBusy }}
          onConfirm={() => void remove()}
          onCancel={() => setRemoving(false)}
        />
      ) : null}
    </>
  );
}

import { useEffect, useRef } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Link, Removal } from '../api/shapes.ts';
import { count, foreign } from '../format.ts';
import { useAction } from '../parts/action.tsx';
import { Failure } from '../parts/failure.tsx';
import { words } from '../words/index.ts';

const texts = words.links;

export interface Removed {
  readonly user: string;
  readonly vendor: string;
  /** What the removal waits for; null where the link is gone. */
  readonly waits: Removal | null;
}

interface RemoveProps {
  readonly link: Link;
  readonly vendor: string;
  readonly onClose: (removed?: Removed) => void;
}

/** Asks whether a link shall be removed, and removes it. */
export function RemoveLink({ link, vendor, onClose }: RemoveProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { run, isBusy, error } = useAction();
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // Enter pressed twice removes nothing.
    keep.current?.focus();
  }, []);
  const user = foreign(link.user_ref);
  const remove = async () => {
    const answered = await run(() => call('DELETE /links/{id}', { path: [link.id] }));
    if (answered === undefined) return;
    invalidate('GET /links');
    // A dialog that closes gives the focus back first.
    dialog.current?.close();
    onClose({ user, vendor, waits: answered.body ?? null });
  };
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-labelledby="remove-link"
      onCancel={(event) => {
        // It goes on at the service.
        if (isBusy) event.preventDefault();
      }}
      onClose={() => {
        if (!isBusy) onClose();
        // Browsers close it at the second Escape, whatever is asked of them; what comes of the removal is shown in it.
        else dialog.current?.showModal();
      }}
    >
      <div class="stack">
        <h2 id="remove-link">{texts.removeAsk(user, vendor)}</h2>
        <p>{texts.removeText(count(link.device_count))}</p>
        {error === undefined ? null : <Failure title={texts.notRemoved} error={error} />}
        <div class="row">
          <button
            type="button"
            class="button button-danger"
            aria-disabled={isBusy}
            onClick={() => void remove()}
          >
            {isBusy ? texts.removing : texts.remove}
          </button>
          <button
            ref={keep}
            type="button"
            class="button"
            aria-disabled={isBusy}
            onClick={() => {
              if (!isBusy) dialog.current?.close();
            }}
          >
            {texts.keep}
          </button>
        </div>
      </div>
    </dialog>
  );
}

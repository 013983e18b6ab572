import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { invalidate } from '../api/queries.ts';
import type { Link, Removal } from '../api/shapes.ts';
import { count, foreign } from '../format.ts';
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
  const [isRemoving, setRemoving] = useState(false);
  const [error, setError] = useState<Error>();
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // Enter pressed twice removes nothing.
    keep.current?.focus();
  }, []);
  const user = foreign(link.user_ref);
  const remove = async () => {
    if (isRemoving) return;
    setRemoving(true);
    setError(undefined);
    try {
      const { body } = await call('DELETE /links/{id}', { path: [link.id] });
      invalidate('GET /links');
      // A dialog that closes gives the focus back first.
      dialog.current?.close();
      onClose({ user, vendor, waits: body });
    } catch (thrown) {
      setError(thrown as Error);
      setRemoving(false);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="ask"
      aria-labelledby="remove-link"
      onCancel={(event) => {
        // It goes on at the service.
        if (isRemoving) event.preventDefault();
      }}
      onClose={() => {
        if (!isRemoving) onClose();
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
            aria-disabled={isRemoving}
            onClick={() => void remove()}
          >
            {isRemoving ? texts.removing : texts.remove}
          </button>
          <button
            ref={keep}
            type="button"
            class="button"
            aria-disabled={isRemoving}
            onClick={() => {
              if (!isRemoving) dialog.current?.close();
            }}
          >
            {texts.keep}
          </button>
        </div>
      </div>
    </dialog>
  );
}

import { type ComponentChildren, Fragment } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Result } from '../api/queries.ts';
import { words } from '../words/index.ts';
import { ActionButton } from './action.tsx';
import { Failure } from './failure.tsx';
import { Empty, Page } from './page.tsx';
import { More } from './texts.tsx';

const AT_FIRST = 50;

interface ItemsPageProps<T> {
  readonly texts: {
    readonly title: string;
    readonly text: string;
    /** What the button says that opens the form. */
    readonly make: string;
    readonly empty: string;
    readonly emptyText: string;
  };
  readonly result: Result<readonly T[]>;
  /** The order of the list, where it is another than that of the response. */
  readonly order?: (items: readonly T[]) => readonly T[];
  /** A card of the list. */
  readonly item: (item: T) => ComponentChildren;
  /** The form in which another is made. */
  readonly form: (close: () => void) => ComponentChildren;
  /** What was made last, where it is to be shown. */
  readonly made: ComponentChildren;
}

/** A page of things that are made, listed and removed there. */
export function ItemsPage<T extends { readonly id: string }>(props: ItemsPageProps<T>) {
  const { texts, result, order = (items) => items, form, made } = props;
  // Each opening of the form has a number, so that what comes late of one that was cancelled does not close the next.
  const openings = useRef(0);
  const [opening, setOpening] = useState(0);
  const isMaking = opening > 0;
  const toggle = () => {
    if (!isMaking) openings.current += 1;
    setOpening(isMaking ? 0 : openings.current);
  };
  return (
    <Page texts={texts}>
      {made}
      <div class="row">
        <ActionButton tone="primary" isOpen={isMaking} onClick={toggle}>
          {texts.make}
        </ActionButton>
      </div>
      {isMaking ? (
        <Fragment key={opening}>{form(() => setOpening((now) => (now === opening ? 0 : now)))}</Fragment>
      ) : null}
      {result.error === null ? null : <Failure error={result.error} onRetry={() => void result.refetch()} />}
      {result.isPending ? <p class="soft">{words.loading}</p> : null}
      {result.data === undefined ? null : <Items {...props} items={order(result.data)} />}
    </Page>
  );
}

interface ItemsProps<T> extends Pick<ItemsPageProps<T>, 'texts' | 'item'> {
  readonly items: readonly T[];
}

function Items<T extends { readonly id: string }>({ texts, item, items }: ItemsProps<T>) {
  const [most, setMost] = useState(AT_FIRST);
  if (items.length === 0) return <Empty title={texts.empty} text={texts.emptyText} />;
  return (
    <>
      <ul class="items">
        {items.slice(0, most).map((one) => (
          <Fragment key={one.id}>{item(one)}</Fragment>
        ))}
      </ul>
      <More hasMore={items.length > most} onMore={() => setMost(most + AT_FIRST)} />
    </>
  );
}

import { type ComponentChildren, Fragment } from 'preact';
import { dateTime, foreign } from '../format.ts';
import { words } from '../words/index.ts';
import { ActionButton } from './action.tsx';

/** A name that others chose: kept apart from the text around it, in whatever direction it is written. */
export function Name({ text }: { readonly text: string | null }) {
  const shown = foreign(text ?? '');
  return shown === '' ? <span class="soft">{words.noName}</span> : <bdi>{shown}</bdi>;
}

const LONGEST_SENTENCE = 1_000;

/** A sentence of the service or of a vendor, which is in English on a page of any language. */
export function Sentence({ text }: { readonly text: string }) {
  return <bdi lang="en">{foreign(text, LONGEST_SENTENCE)}</bdi>;
}

interface TimeProps {
  readonly at: string;
  /** How it is said, such as how long ago it was. */
  readonly text: string;
  readonly class?: string;
}

/** A moment; its date and time are shown on pointing at it. */
export function Time({ at, text, ...others }: TimeProps) {
  return (
    <time dateTime={at} title={dateTime(at)} {...others}>
      {text}
    </time>
  );
}

/** A name and its value; a text may be one that others chose. Null: it has no value, and is not shown. */
export type Fact = readonly [name: string, value: ComponentChildren];

interface FactsProps {
  readonly facts: readonly Fact[];
  /** Whether they are of an item of a list: in one column where the page is narrow. */
  readonly isOfItem?: boolean;
}

/** Facts, each by its name. */
export function Facts({ facts, isOfItem = false }: FactsProps) {
  return (
    <dl class={isOfItem ? 'facts item-facts' : 'facts'}>
      {facts.map(([name, value]) =>
        value === null ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? <bdi>{foreign(value)}</bdi> : value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  );
}

interface MoreProps {
  /** Whether there may be more. */
  readonly hasMore: boolean;
  readonly isLoading?: boolean;
  readonly text?: string;
  readonly onMore: () => void;
}

/** The end of a list of which only a part is shown. */
export function More({ hasMore, isLoading = false, text = words.more, onMore }: MoreProps) {
  if (!hasMore) return null;
  return (
    <p>
      <ActionButton isBusy={isLoading} onClick={onMore}>
        {isLoading ? words.loading : text}
      </ActionButton>
    </p>
  );
}

import { type ComponentChildren, Fragment } from 'preact';
import { foreign } from '../format.ts';

/** A name and its value; a text may be one that others chose. Null: it has no value, and is not shown. */
export type Fact = readonly [name: string, value: ComponentChildren];

interface FactsProps {
  readonly facts: readonly Fact[];
  /** Whether they are of an item of a list: in one column where the page is narrow. */
  readonly isOfItem?: boolean;
}

/** What is known of something, each by its name. */
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

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const OVERSCAN = 8;

interface VirtualOptions {
  readonly count: number;
  /** px, the same for all rows. */
  readonly rowHeight: number;
  readonly scroller: RefObject<HTMLElement | null>;
}

interface VirtualRows {
  readonly items: readonly VirtualItem[];
  /** Heights above and below what is drawn, px. */
  readonly above: number;
  readonly below: number;
  scrollTo(index: number): void;
}

/** Which rows of a long table are drawn. */
export function useVirtualRows({ count, rowHeight, scroller }: VirtualOptions): VirtualRows {
  const [, redraw] = useState<unknown>(undefined);
  const made = useRef<Virtualizer<HTMLElement, Element>>(null);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw({}),
  };
  made.current ??= new Virtualizer<HTMLElement, Element>(options);
  const virtual = made.current;
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  // Another height of a row, as in a narrower window.
  useLayoutEffect(() => virtual.measure(), [rowHeight]);
  const items = virtual.getVirtualItems();
  const [first] = items;
  const last = items.at(-1);
  return {
    items,
    above: first?.start ?? 0,
    below: last === undefined ? 0 : virtual.getTotalSize() - last.end,
    scrollTo: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
  };
}

interface RowKeys {
  /** The row that the Tab key reaches. */
  readonly active: number;
  onKeyDown(event: KeyboardEvent): void;
  onFocus(index: number): void;
}

const PAGE = 10;

/** Arrow keys, Page Up and Down, Home and End move between the rows; one of them is reached by Tab. */
export function useRowKeys(
  { count, scroller }: Pick<VirtualOptions, 'count' | 'scroller'>,
  { scrollTo }: Pick<VirtualRows, 'scrollTo'>,
): RowKeys {
  const [wanted, setActive] = useState(0);
  const active = Math.max(0, Math.min(wanted, count - 1));
  const isMoving = useRef(false);
  useLayoutEffect(() => {
    if (!isMoving.current) return;
    const target = scroller.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
    if (target === null || target === undefined) return;
    isMoving.current = false;
    target.focus({ preventScroll: true });
  });
  return {
    active,
    onKeyDown(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLElement)) return;
      if (event.target.dataset.row === undefined) return;
      const moves: Readonly<Record<string, number>> = {
        ArrowDown: active + 1,
        ArrowUp: active - 1,
        PageDown: active + PAGE,
        PageUp: active - PAGE,
        Home: 0,
        End: count - 1,
      };
      const to = moves[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = Math.max(0, Math.min(to, count - 1));
      isMoving.current = true;
      setActive(next);
      scrollTo(next);
    },
    onFocus: setActive,
  };
}

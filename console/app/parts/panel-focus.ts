import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusHeading } from './focus-heading.ts';

/**
 * A panel that takes the focus when it opens, and gives it back to what had it when it closes.
 * @param selector what in it takes the focus; itself by default
 */
export function usePanelFocus<T extends HTMLElement>(selector?: string) {
  const panel = useRef<T>(null);
  useLayoutEffect(() => {
    const own = panel.current;
    const before = document.activeElement;
    const target = selector === undefined ? own : own?.querySelector<HTMLElement>(selector);
    target?.focus();
    return () => {
      const focused = document.activeElement;
      // Whoever has gone elsewhere stays there.
      if (focused !== document.body && own?.contains(focused) !== true) return;
      if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus();
      else focusHeading();
    };
  }, []);
  return panel;
}

import { useEffect } from 'preact/hooks';
import { words } from '../words/index.ts';

/** What the tab of the browser says. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${words.title} · elnav`;
  }, [title]);
}

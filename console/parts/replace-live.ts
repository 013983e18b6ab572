/** Replaces the changing parts of the page; parts that the user is using stay. */
export function replaceLive(markup: string): void {
  const next = new DOMParser().parseFromString(markup, 'text/html');
  for (const part of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const fresh = next.querySelector(`[data-live="${part.dataset.live}"]`);
    if (fresh === null || part.contains(document.activeElement)) continue;
    const isOpen = part.querySelector('details')?.open ?? false;
    fresh.querySelector('details')?.toggleAttribute('open', isOpen);
    part.replaceWith(document.adoptNode(fresh));
  }
}

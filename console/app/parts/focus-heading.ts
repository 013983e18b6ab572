/** Gives the focus to the heading of the page, where what had it is gone. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('#console h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus();
}

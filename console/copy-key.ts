/* Copies a new key, which a page shows once. The page works without it. */

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy ?? '');
  const status = button.parentElement?.querySelector('[data-copy-status]');
  // Browsers offer the clipboard only on https and on localhost.
  if (source === null || navigator.clipboard === undefined) continue;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent ?? '');
      if (status) status.textContent = button.dataset.copied ?? '';
    } catch {
      // Not permitted: select the text, so that the user can copy it.
      getSelection()?.selectAllChildren(source);
    }
  });
}

/** Adds a copy button to every block of code. */
export function makeCopyable(): void {
  for (const figure of document.querySelectorAll('.code')) {
    const code = figure.querySelector('code');
    const title = figure.querySelector('figcaption');
    if (code === null || title === null || navigator.clipboard === undefined) continue;
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.className = 'copy';
    copy.textContent = 'Copy';
    copy.setAttribute('aria-label', `Copy: ${title.textContent}`);
    const said = document.createElement('span');
    said.className = 'hidden-visually';
    said.setAttribute('role', 'status');
    copy.addEventListener('click', () => {
      navigator.clipboard.writeText(code.textContent).then(
        () => showResult(copy, said, 'Copied'),
        () => showResult(copy, said, 'Not copied'),
      );
    });
    title.append(copy, said);
  }
}

function showResult(copy: HTMLElement, said: HTMLElement, word: string): void {
  copy.textContent = word;
  said.textContent = word;
  setTimeout(() => {
    copy.textContent = 'Copy';
    said.textContent = '';
  }, 2_000);
}

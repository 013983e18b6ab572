/** Adds a button to each password field that shows the typed password. */
for (const field of document.querySelectorAll<HTMLInputElement>('input[data-show]')) {
  const { show = '', hide = '', showLabel = '', hideLabel = '' } = field.dataset;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button';
  button.setAttribute('aria-controls', field.id);
  const setShown = (isShown: boolean): void => {
    field.type = isShown ? 'text' : 'password';
    button.textContent = isShown ? hide : show;
    button.setAttribute('aria-label', isShown ? hideLabel : showLabel);
  };
  setShown(false);
  button.addEventListener('click', () => setShown(field.type === 'password'));
  // Hide it before sending, so that browsers do not save it as ordinary text.
  field.form?.addEventListener('submit', () => setShown(false));
  field.after(button);
}

export {};

/** The entered credentials, kept only in memory: browser storage is written to disk. */
const kept = { key: '', admin: '' };

/** Headers with the credentials of an operation; `shown` has variables instead of secrets, for samples. */
export function keyHeaders(access: string): {
  readonly sent: [string, string][];
  readonly shown: [string, string][];
} {
  if (access === 'admin token') {
    return {
      sent: kept.admin === '' ? [] : [['x-admin-token', kept.admin]],
      shown: [['X-Admin-Token', 'ADMIN_TOKEN']],
    };
  }
  // The browser sends the cookie.
  if (access === 'session') return { sent: [], shown: [['Cookie', 'COOKIE']] };
  if (access !== 'key' && access !== 'key optional') return { sent: [], shown: [] };
  const sent: [string, string][] = kept.key === '' ? [] : [['x-api-key', kept.key]];
  return { sent, shown: access === 'key' || kept.key !== '' ? [['X-Api-Key', 'KEY']] : [] };
}

/** The sentence above an operation's form about the credentials sent. */
export function keySentence(access: string): { readonly text: string; readonly canEnter: boolean } {
  const has = access === 'admin token' ? kept.admin !== '' : kept.key !== '';
  switch (access) {
    case 'admin token':
      return { text: has ? 'Sent with your admin token.' : 'Needs the admin token.', canEnter: true };
    case 'key':
      return { text: has ? 'Sent with your key.' : 'Needs your API key.', canEnter: true };
    case 'key optional':
      return { text: has ? 'Sent with your key.' : 'Sent without a key.', canEnter: true };
    case 'session':
      return { text: 'Sent with the session of this browser.', canEnter: false };
    default:
      return { text: 'Sent without a key.', canEnter: false };
  }
}

/** Opens the key dialog on demand; calls `changed` when the credentials change. */
export function listenForKeys(changed: () => void): void {
  const dialog = document.querySelector<HTMLDialogElement>('#keys');
  const form = dialog?.querySelector('form');
  if (dialog === null || form === null || form === undefined) return;
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('.open-keys') !== null) dialog.showModal();
  });
  dialog.addEventListener('close', () => {
    const fields = new FormData(form);
    if (dialog.returnValue === 'keep') {
      kept.key = String(fields.get('key') ?? '').trim();
      kept.admin = String(fields.get('admin') ?? '').trim();
    }
    if (dialog.returnValue === 'forget') {
      kept.key = '';
      kept.admin = '';
    }
    // Clear input that was not confirmed.
    form.reset();
    for (const input of form.querySelectorAll('input')) {
      input.value = input.name === 'admin' ? kept.admin : kept.key;
    }
    dialog.returnValue = '';
    const text = kept.key === '' && kept.admin === '' ? 'Your key' : 'Your key: entered';
    for (const open of document.querySelectorAll('.contents-tools .open-keys')) open.textContent = text;
    changed();
  });
  // The escape key closes it without a button.
  dialog.addEventListener('cancel', () => {
    dialog.returnValue = '';
  });
}

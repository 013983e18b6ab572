/** What people search for, and what the reference calls it: any of these is as good as the word itself. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  disconnect: ['unlink'],
  connect: ['link'],
  connection: ['link'],
  login: ['sign in', 'sign-in'],
  logout: ['sign out'],
  register: ['sign-up', 'create an account'],
  token: ['key', 'admin token'],
  tenant: ['account'],
  customer: ['user'],
  car: ['vehicle', 'device'],
  cars: ['vehicle', 'device'],
  ev: ['vehicle'],
  turn: ['command'],
  control: ['command'],
  schedule: ['plan'],
  optimise: ['plan', 'optimize'],
  webhook: ['subscription', 'webhook'],
  callback: ['subscription', 'callback'],
  sse: ['stream'],
  websocket: ['stream', 'websocket'],
  zip: ['postal'],
  postcode: ['postal'],
  vat: ['tax', 'vat'],
  tariff: ['price'],
  chargepoint: ['station'],
  'charge-point': ['station'],
  delete: ['delete', 'remove', 'unlink', 'revoke', 'forget'],
  remove: ['remove', 'delete', 'unlink', 'revoke', 'forget'],
  gdpr: ['forget'],
};

/** Whether a text, in lower case, has a word or what the reference calls it. */
export function hasWord(text: string, word: string): boolean {
  if (text.includes(word)) return true;
  return (Object.hasOwn(OTHER_WORDS, word) ? (OTHER_WORDS[word] ?? []) : []).some((other) =>
    text.includes(other),
  );
}

/** In the place of a key's id: a person who is signed in to the console. */
export const CONSOLE = 'console';
/** The same for what elnav does by itself. */
export const ELNAV = 'elnav';

/** Who sends a command. */
export interface Sender {
  /** Id of the API key, `CONSOLE` or `ELNAV`: no key has these ids. */
  readonly keyId: string;
  /** The `X-Request-Id` of the HTTP request. */
  readonly requestId?: string | undefined;
  /** What the command is to be called; a random id where it is absent. */
  readonly commandId?: string | undefined;
}

/** Only who sends it, of something that has more. */
export const senderOf = ({ keyId, requestId, commandId }: Sender): Sender => ({
  keyId,
  requestId,
  commandId,
});

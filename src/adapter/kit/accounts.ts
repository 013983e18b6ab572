import type { JsonObject } from '../../core/json.ts';
import type { Session } from '../session.ts';
import { notUnderstood } from './calls.ts';
import { word } from './values.ts';

const MOST_CHARACTERS = 200;

/** Names the account of a vendor that gives no id of it: the user name, however its letters and spaces were typed. */
export const accountOf = ({ username }: JsonObject): string => String(username).trim().toLowerCase();

/**
 * The account that the access token names; `otherwise` names it where the token does not.
 * @param vendor its name, for sentences
 */
export async function accountInToken(
  vendor: string,
  { http }: Pick<Session, 'http'>,
  { claim = 'sub', otherwise }: { readonly claim?: string; readonly otherwise?: string | undefined } = {},
): Promise<string> {
  const account = word((await http.tokenClaims())?.[claim], MOST_CHARACTERS) ?? otherwise;
  if (account === undefined) throw notUnderstood(vendor, 'whose the account is');
  return account;
}

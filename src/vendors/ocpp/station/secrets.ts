/** Names of settings and fields that hold a secret, in either protocol and in vendors' own. */
const SECRET = /authorizationkey|password|passphrase|secret|privatekey|psk|apikey|credential/i;

/** Settings by which the station finds and authenticates to us; after a remote change it could not reconnect. */
const OURS =
  /^(securityprofile|networkconfigurationpriority|networkprofile.*|activenetworkprofile|identity|chargeboxid(entity)?|chargepointid(entity)?|basicauthpassword|websocketping.*|.*(url|uri|endpoint|hostname))$/i;

/** The last part of a key: in 2.0.1 the component precedes it. */
const lastPart = (key: string): string => key.slice(key.lastIndexOf('.') + 1);

export const isSecret = (key: string): boolean => SECRET.test(key);

/** Why a setting must not be changed from here; null when it may be. */
export function whyNotSet(key: string): string | null {
  if (isSecret(key))
    return `${key} holds a secret; to change the password, change it in the station and link the station again`;
  if (OURS.test(lastPart(key)))
    return `${key} is needed to reach this service; with another value the station could not reconnect`;
  return null;
}

const MASK = '…';
const CARDS = /^(idtag|parentidtag|idtoken|groupidtoken|additionalidtoken)$/i;

const maskedCard = (card: string): string => (card.length > 6 ? `${MASK}${card.slice(-2)}` : MASK);

/** A copy without secrets: card numbers are masked, passwords and keys removed, and credentials in URLs stripped. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\/\/[^/@\s]*@/g, `//${MASK}@`);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const { key, variable } = value as { key?: unknown; variable?: { name?: unknown } };
  const isSecretSetting = [key, variable?.name].some((name) => typeof name === 'string' && isSecret(name));
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      if (CARDS.test(field) && typeof inner === 'string') return [field, maskedCard(inner)];
      if (isSecret(field)) return [field, MASK];
      if (isSecretSetting && (field === 'value' || field === 'attributeValue')) return [field, MASK];
      return [field, withoutSecrets(inner)];
    }),
  );
}

/*
/*
 * Passwords have at least 15 characters, so lists of common short ones do not apply. Common long ones are built from a
 * few ordinary parts: a repeated word, keyboard rows, number sequences, the user's own name. A password is common when
 * little is left after such parts are removed, and whatever repeats an earlier part.
 */

/** Fewest characters that must be left: more than one long word, fewer than three short ones. */
const LEFT_AT_LEAST = 11;
/** Fewest different characters. */
const KINDS_AT_LEAST = 5;
/** Shortest repetition of an earlier part that is removed. */
const SHORTEST_REPEATED = 3;
/** Shortest run along a row that is removed. */
const SHORTEST_RUN = 4;
const SHORTEST_OWN = 3;

const digits = '01234567890123456789';
const letters = 'abcdefghijklmnopqrstuvwxyz';
/** Listed forwards; they are checked backwards too. */
const ROWS = [
  digits,
  letters + letters,
  'qwertyuiopåqwertyuiop',
  'qwertzuiopüqwertzuiop',
  'azertyuiop',
  'asdfghjklöäasdfghjkl',
  'zxcvbnmzxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
].flatMap((row) => [row, [...row].reverse().join('')]);

/** Longest first, so that a whole phrase is removed before one of its words. */
const WORDS = [
  'correcthorsebatterystaple',
  'correctbatteryhorsestaple',
  'tobeornottobethatisthequestion',
  'maytheforcebewithyou',
  'thequickbrownfoxjumpsoverthelazydog',
  'thequickbrownfox',
  'loremipsumdolorsitamet',
  'loremipsum',
  'iloveyouforever',
  'letmeinplease',
  'openthedoor',
  'twinkletwinklelittlestar',
  'neverforgetyourpassword',
  'thisismypassword',
  'thisisapassword',
  'thisispassword',
  'mypasswordis',
  'mypassword',
  'dettaarmittlosenord',
  'dettaärmittlösenord',
  'mittlösenord',
  'mittlosenord',
  'jagälskardig',
  'jagalskardig',
  'duärbäst',
  'sommarsommar',
  'administrator',
  'passwort',
  'motdepasse',
  'contraseña',
  'wachtwoord',
  'salasana',
  'passord',
  'password',
  'passphrase',
  'lösenord',
  'losenord',
  'lösen',
  'losen',
  'hemligt',
  'hemlig',
  'secret',
  'welcome',
  'välkommen',
  'valkommen',
  'iloveyou',
  'letmein',
  'changeme',
  'trustno1',
  'dragon',
  'monkey',
  'football',
  'baseball',
  'superman',
  'batman',
  'princess',
  'sunshine',
  'starwars',
  'whatever',
  'abc123',
  'admin',
  'login',
  'guest',
  'access',
  'master',
  'default',
  'example',
  'sommar',
  'vinter',
  'spring',
  'summer',
  'autumn',
  'winter',
  'stockholm',
  'sverige',
  'sweden',
  'elnav',
  'qwerty',
].sort((a, b) => b.length - a.length);

const YEAR = /(?:19|20)\d\d/g;

const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Whether a password, already in NFKC, is easy to guess. `own`: the user's own words, such as name and address. */
export function isCommonPassword(password: string, own: readonly string[]): boolean {
  const lower = password.toLowerCase();
  const plain = bare(lower);
  const unleeted = bare(lower.replaceAll(/[0134578@$!]/g, (sign) => LEET[sign] ?? sign));
  const ownWords = own
    .flatMap((text) => [bare(text.toLowerCase()), ...text.toLowerCase().split(/[^\p{L}\p{N}]+/u)])
    .filter((word) => word.length >= SHORTEST_OWN)
    .sort((a, b) => b.length - a.length);
  const words = [...ownWords, ...WORDS];
  return [plain, unleeted].some((text) => {
    const unit = repeatedUnit(text);
    return left(unit, words) < LEFT_AT_LEAST || new Set(text).size < KINDS_AT_LEAST;
  });
}

/** Removes separators between words. */
const bare = (text: string): string => text.replaceAll(/[\s_.,-]/g, '');

/** The unit that a text repeats from start to end, or the text itself. */
function repeatedUnit(text: string): string {
  for (let length = 1; length <= text.length / 2; length += 1) {
    const unit = text.slice(0, length);
    // Cheap check first, without a copy.
    if (!text.startsWith(unit, length)) continue;
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) return unit;
  }
  return text;
}

/** Number of characters left after removing words, runs and repetitions of earlier parts. */
function left(text: string, words: readonly string[]): number {
  let rest = text.replaceAll(YEAR, ' ');
  for (const word of words) rest = rest.replaceAll(word, ' ');
  let count = 0;
  let at = 0;
  while (at < rest.length) {
    const run = runAt(rest, at);
    if (run > 0) {
      at += run;
      continue;
    }
    const repeated = repeatedAt(rest, at);
    if (repeated === 0 && rest[at] !== ' ' && rest[at] !== rest[at - 1]) count += 1;
    at += Math.max(repeated, 1);
  }
  return count;
}

/** Length of the longest run that starts at an index; 0 if it is too short. */
function runAt(text: string, at: number): number {
  let length = SHORTEST_RUN;
  if (at + length > text.length || !ROWS.some((row) => row.includes(text.slice(at, at + length)))) return 0;
  while (at + length < text.length && ROWS.some((row) => row.includes(text.slice(at, at + length + 1))))
    length += 1;
  return length;
}

/** Length of the longest part that begins at a position and occurs before it; 0 when it is short. */
function repeatedAt(text: string, at: number): number {
  const before = text.slice(0, at);
  let length = SHORTEST_REPEATED;
  if (at + length > text.length || !before.includes(text.slice(at, at + length))) return 0;
  while (at + length < text.length && before.includes(text.slice(at, at + length + 1))) length += 1;
  return length;
}

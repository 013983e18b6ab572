import Type from 'typebox';
import { pinnedIn } from '../../adapter/connections.ts';
import type { Identified } from '../../adapter/discovers.ts';
import {
  fits,
  LOOKING,
  lenient,
  notUnderstood,
  objectIn,
  vendorCalls,
  word,
} from '../../adapter/kit/index.ts';
import type { Login, Tokens } from '../../adapter/login.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { Changed, Resources, requireSet } from '../hue/bridge/resources.ts';

const RESOURCE = '/clip/v2/resource';
/** A large home with its scenes takes 1 MB. */
const MOST_BYTES = 8 * 1024 * 1024;
/** What the Hue app calls it in the list of apps. */
const APP = 'elnav#connect';
/** Keys do not end: the last second of the year 9999, ms since 1970. */
const NEVER = 253_402_300_799_000;
/** The error of the bridge while nobody has pressed its button. */
const NOT_PRESSED = 101;
const PRESS_SECONDS = 30;

const api = vendorCalls('The Hue Bridge');
const Answer = lenient({ data: Resources });
const Key = Type.Array(lenient({}, 'success', 'error'), { minItems: 1 });
const Made = lenient({ username: Type.String({ pattern: '^[\\w-]{8,128}$' }) });

/** Everything that the bridge has, in one call. */
export async function readBridge(session: Session, use: 'list' | 'read'): Promise<readonly unknown[]> {
  const request = { use, mostBytes: MOST_BYTES, what: 'its lamps' };
  return (await api.get(session, RESOURCE, Answer, request)).data;
}

/** Sets a lamp; throws where the bridge did not do so. */
export async function setLight(session: Session, device: DeviceRef, json: JsonObject): Promise<void> {
  const path = `${RESOURCE}/light/${encodeURIComponent(device.id)}`;
  const request = { method: 'PUT', path, json, repeatable: true } as const;
  requireSet((await api.command(session, device, request, Changed)).errors, device.id);
}

const Config = lenient({ bridgeid: Type.String({ pattern: '^[0-9A-Fa-f]{16}$' }) }, 'name', 'modelid');
/** The first, round bridge, which has neither TLS nor this API. */
const ROUND = 'BSB001';

/** What the bridge says of itself to anybody. */
export async function identified(session: Session): Promise<Identified | undefined> {
  const options = { use: 'list', what: 'its name', ...LOOKING } as const;
  const { bridgeid, name, modelid } = await api.get(session, '/api/0/config', Config, options);
  const vendorAccount = bridgeid.toLowerCase();
  const signedFor = pinnedIn(session.credentials)?.name?.toLowerCase() ?? vendorAccount;
  if (modelid === ROUND || signedFor !== vendorAccount) return undefined;
  return { name: word(name) ?? 'Hue Bridge', vendorAccount };
}

/** A key of the bridge, which it gives while its button was pressed in the last half minute. */
export const login = {
  async signIn(session, _credentials, before): Promise<Tokens> {
    const request = { method: 'POST', path: '/api', use: 'login', json: { devicetype: APP } } as const;
    const [answer] = await api.send(session, request, Key, 'its key');
    const made = objectIn(answer?.success);
    if (isMade(made)) return { access: made.username, refresh: null, expiresAt: NEVER };
    if (objectIn(answer?.error).type !== NOT_PRESSED) throw notUnderstood('the Hue Bridge', 'its key');
    // It had given a key, and does not accept it any more.
    if (before !== undefined)
      throw new AppError(
        'link.credentials_refused',
        'elnav was removed from the Hue Bridge; press the button of the bridge and link it again',
      );
    throw new AppError(
      'link.not_confirmed',
      `the button of the Hue Bridge was not pressed; press it, and link within ${PRESS_SECONDS} s`,
      { retryAfterSeconds: PRESS_SECONDS },
    );
  },
  headers: ({ access }) => ({ 'hue-application-key': access }),
  isTokenRefused: ({ status }) => status === 401 || status === 403,
} satisfies Login;

const isMade = (value: JsonObject): value is JsonObject & { readonly username: string } => fits(Made, value);

/**
 * The authorities that sign the certificates of bridges, as developers.meethue.com publishes them ("Using HTTPS"): root-bridge (2017–2038,
 * SHA-256 F0BD8E65…8ACF) and, since 2025, Hue Root CA 01 (2025–2050, SHA-256 D8B89448…28B8).
 */
export const ROOTS: readonly string[] = [
  `-----BEGIN CERTIFICATE-----
MIICMjCCAdigAwIBAgIUO7FSLbaxikuXAljzVaurLXWmFw4wCgYIKoZIzj0EAwIw
OTELMAkGA1UEBhMCTkwxFDASBgNVBAoMC1BoaWxpcHMgSHVlMRQwEgYDVQQDDAty
b290LWJyaWRnZTAiGA8yMDE3MDEwMTAwMDAwMFoYDzIwMzgwMTE5MDMxNDA3WjA5
MQswCQYDVQQGEwJOTDEUMBIGA1UECgwLUGhpbGlwcyBIdWUxFDASBgNVBAMMC3Jv
b3QtYnJpZGdlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEjNw2tx2AplOf9x86
aTdvEcL1FU65QDxziKvBpW9XXSIcibAeQiKxegpq8Exbr9v6LBnYbna2VcaK0G22
jOKkTqOBuTCBtjAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBhjAdBgNV
HQ4EFgQUZ2ONTFrDT6o8ItRnKfqWKnHFGmQwdAYDVR0jBG0wa4AUZ2ONTFrDT6o8
ItRnKfqWKnHFGmShPaQ7MDkxCzAJBgNVBAYTAk5MMRQwEgYDVQQKDAtQaGlsaXBz
IEh1ZTEUMBIGA1UEAwwLcm9vdC1icmlkZ2WCFDuxUi22sYpLlwJY81Wrqy11phcO
MAoGCCqGSM49BAMCA0gAMEUCIEBYYEOsa07TH7E5MJnGw557lVkORgit2Rm1h3B2
sFgDAiEA1Fj/C3AN5psFMjo0//mrQebo0eKd3aWRx+pQY08mk48=
-----END CERTIFICATE-----
`,
  `-----BEGIN CERTIFICATE-----
MIIBzDCCAXOgAwIBAgICEAAwCgYIKoZIzj0EAwIwPDELMAkGA1UEBhMCTkwxFDAS
BgNVBAoMC1NpZ25pZnkgSHVlMRcwFQYDVQQDDA5IdWUgUm9vdCBDQSAwMTAgFw0y
NTAyMjUwMDAwMDBaGA8yMDUwMTIzMTIzNTk1OVowPDELMAkGA1UEBhMCTkwxFDAS
BgNVBAoMC1NpZ25pZnkgSHVlMRcwFQYDVQQDDA5IdWUgUm9vdCBDQSAwMTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABFfOO0jfSAUXGQ9kjEDzyBrcMQ3ItyA5krE+
cyvb1Y3xFti7KlAad8UOnAx0FBLn7HZrlmIwm1QnX0fK3LPM13mjYzBhMB0GA1Ud
DgQWBBTF1pSpsCASX/z0VHLigxU2CAaqoTAfBgNVHSMEGDAWgBTF1pSpsCASX/z0
VHLigxU2CAaqoTAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAKBggq
hkjOPQQDAgNHADBEAiAk7duT+IHbOGO4UUuGLAEpyYejGZK9Z7V9oSfnvuQ5BQIg
IYSgwwxHXm73/JgcU9lAM6c8Bmu3UE3kBIUwBs1qXFw=
-----END CERTIFICATE-----
`,
];

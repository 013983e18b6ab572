/** The parts that a vendor's declaration is made of; `docs/guides/add-a-vendor.md` shows them at work. */

export {
  type Modbus,
  type ModbusPurpose,
  type ModbusTarget,
  modbus,
} from '../modbus/index.ts';
export { type NumberType, numberAt, REGISTERS, registersOf, type WordOrder } from '../modbus/values.ts';
export { claimsIn, tokensIn, wordsIn } from '../tokens.ts';
export { accountInToken, accountOf } from './accounts.ts';
export { allPages, each, fits, LOOKING, notUnderstood, type Page, refused, vendorCalls } from './calls.ts';
export { clientCredentials, partnerTokens } from './client-credentials.ts';
export { credentialsOf, secret, text } from './credentials.ts';
export { deviceAddress, hostAt, httpAddressOf, httpsAddressOf, NAME_OR_ADDRESS } from './device-address.ts';
export { deviceTimes } from './device-time.ts';
export { detailsOf, gone, inTurn, listedOnce, sweepBy, unlessRefused } from './devices.ts';
export { type Challenge, cnonceOf, digest, digestOf } from './digest.ts';
export { errorCodes } from './error-codes.ts';
export { followDevices } from './following.ts';
export { gather } from './gathering.ts';
export { houseMeterOf, houseMeters } from './house-meters.ts';
export { limit } from './limit.ts';
export { apiKey, oauth2, password } from './linking.ts';
export { messageIn } from './messages.ts';
export { flagIn, numberIn, type Observations, type Observed, observing, timeIn } from './observations.ts';
export { keepLimit, keptLimit, LEAST_A } from './paused-limit.ts';
export { repeat } from './repeating.ts';
export { followHub, HUB_SILENCE_SECONDS } from './signalr.ts';
export { hmacHexIn } from './signature.ts';
export { signedIn } from './signed-in.ts';
export { figure, jsonIn, lenient, named, objectIn, PlainId, unrecognized, word } from './values.ts';
export { until } from './waiting.ts';

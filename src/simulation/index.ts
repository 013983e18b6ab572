/** The parts that a vendor's simulator is made of. */

export { byAddress, hostOf } from './address-sign-in.ts';
export { type BrokerWire, createBroker } from './broker.ts';
export { byClient } from './client-sign-in.ts';
export { digestDoor } from './digest-sign-in.ts';
export { simulatedEvents } from './events.ts';
export { isObject, type Refusal } from './faults.ts';
export {
  ILLEGAL_ADDRESS,
  ILLEGAL_VALUE,
  NO_TARGET,
  type SimulatedTable,
  speakModbus,
} from './modbus.ts';
export type { SimulatedCall } from './routes.ts';
export { passOn } from './serve-local.ts';
export { byKey, byOAuth, byPassword, type MakeSignIn } from './sign-in.ts';
export { type HubClient, simulatedHub } from './signalr.ts';
export {
  deviceIn,
  listed,
  ofDevice,
  pageOf,
  type SimulatedVendor,
  simulatedVendor,
} from './simulated-vendor.ts';
export { simulatedWebhooks } from './webhooks.ts';

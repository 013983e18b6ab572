/** The parts that a vendor's simulator is made of. */

export { type BrokerWire, createBroker } from './broker.ts';
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
export {
  byAddress,
  byClient,
  byKey,
  byOAuth,
  byPassword,
  digestDoor,
  hostOf,
  type MakeSignIn,
} from './sign-in.ts';
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

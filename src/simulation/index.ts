/** The parts that a vendor's simulator is made of. */

export { byClient } from './client-sign-in.ts';
export { simulatedEvents } from './events.ts';
export { isObject, type Refusal } from './faults.ts';
export type { SimulatedCall } from './routes.ts';
export { byKey, byOAuth, byPassword } from './sign-in.ts';
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

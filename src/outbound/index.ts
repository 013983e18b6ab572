export { type AddressGuard, deviceAddresses, publicAddresses, type Resolve } from './address-guard.ts';
export { createAgent, type OutboundAgent } from './agent.ts';
export { createHttp, type HttpOptions, type Observation, type OutboundHttp } from './client.ts';
export {
  createConnections,
  type Dialer,
  directDialer,
  type OutboundConnections,
} from './connections/index.ts';
export { type EventsOptions, openEvents } from './events.ts';
export { openSocket, type SocketRequest } from './socket.ts';

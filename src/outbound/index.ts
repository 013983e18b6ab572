export { type AddressGuard, permittedAddresses, publicAddresses, type Resolve } from './address-guard.ts';
export { CONNECT_TIMEOUT_MS, createAgent, type OutboundAgent } from './agent.ts';
export { createHttp, type HttpOptions, type Observation, type OutboundHttp } from './client.ts';
export {
  createConnections,
  type Dialer,
  directDialer,
  type GatewayTunnels,
  gatewayDialer,
  type OutboundConnections,
} from './connections/index.ts';
export { certificateAt, pinnedConnector } from './device-certificates.ts';
export { type EventsOptions, openEvents } from './events.ts';
export { connectorThrough } from './gateway-connector.ts';
export { createPoster } from './post.ts';
export { openSocket, type SocketRequest } from './socket.ts';

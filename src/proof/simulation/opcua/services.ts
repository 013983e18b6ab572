import { randomBytes } from 'node:crypto';
import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  asymmetricDecryptWithKeyOps,
  BrowseNextRequest,
  BrowseNextResponse,
  BrowseRequest,
  BrowseResponse,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateMonitoredItemsRequest,
  CreateSessionRequest,
  CreateSessionResponse,
  CreateSubscriptionRequest,
  computeSignatureAsync,
  DeleteSubscriptionsRequest,
  DeleteSubscriptionsResponse,
  type EndpointDescription,
  fromURI,
  GetEndpointsRequest,
  GetEndpointsResponse,
  getCryptoFactory,
  type Message,
  NodeId,
  PublishRequest,
  ReadRequest,
  ReadResponse,
  type ReferenceDescription,
  type Response,
  resolveNodeId,
  type ServerSecureChannelLayer,
  ServiceFault,
  type StatusCode,
  StatusCodes,
  UserNameIdentityToken,
  UserTokenType,
  verifySignature,
  WriteRequest,
  WriteResponse,
} from 'node-opcua-client';
import type { Clock } from '../../../core/clock.ts';
import type { AddressSpace } from './address-space.ts';
import { createSubscriptions } from './subscriptions.ts';

/** The faults of a simulated server, until they are changed. */
export interface ServerFaults {
  /** What a subscription is refused with. */
  subscriptions: StatusCode | undefined;
  /** Clients' certificates are not in its list of trusted ones. */
  refusesCertificates: boolean;
  /** What each request but the first ones of a connection is answered with: a session that was lost, a server that shuts down. */
  requests: StatusCode | undefined;
}

/** The parts of the server that its services need. */
export interface Served {
  readonly space: AddressSpace;
  readonly faults: ServerFaults;
  readonly clock: Clock;
  readonly users: ReadonlyMap<string, string> | undefined;
  endpoints(): EndpointDescription[];
}

const nonce = (): Buffer => randomBytes(32);

const SESSION_MS = 60_000;
/** References in one response, at most; the rest is asked for. */
const MOST_REFERENCES = 20;

const fault = (serviceResult: StatusCode): Response =>
  new ServiceFault({ responseHeader: { serviceResult } });

/** Answers what comes over one secure channel (OPC UA Part 4). A channel has one session. */
export function serveChannel(channel: ServerSecureChannelLayer, served: Served): void {
  const { space, faults, clock, users } = served;
  const waiting = new Map<PublishRequest, Message>();
  const subscriptions = createSubscriptions({
    space,
    clock,
    send(request, response) {
      const message = waiting.get(request);
      waiting.delete(request);
      if (message !== undefined) channel.send_response('MSG', response, message);
    },
  });
  const continuations = new Map<string, ReferenceDescription[]>();
  let session: { readonly serverNonce: Buffer; isActive: boolean } | undefined;

  async function created(request: CreateSessionRequest): Promise<Response> {
    session = { serverNonce: nonce(), isActive: false };
    const serverSignature = await computeSignatureAsync(
      request.clientCertificate,
      request.clientNonce,
      channel.getKeyOperations(),
      channel.securityPolicy,
    );
    return new CreateSessionResponse({
      sessionId: new NodeId(NodeId.resolveNodeId('ns=1;i=1').identifierType, 1, 1),
      authenticationToken: resolveNodeId('ns=1;i=2'),
      revisedSessionTimeout: SESSION_MS,
      serverNonce: session.serverNonce,
      serverCertificate: channel.getCertificate(),
      serverEndpoints: served.endpoints(),
      maxRequestMessageSize: 0,
      ...(serverSignature === undefined ? {} : { serverSignature }),
    });
  }

  async function passwordOf(token: UserNameIdentityToken, serverNonce: Buffer): Promise<string> {
    const policy = served
      .endpoints()
      .flatMap(({ userIdentityTokens }) => userIdentityTokens ?? [])
      .find(({ tokenType }) => tokenType === UserTokenType.UserName);
    const own = channel.getEndpointDescription(channel.securityMode, channel.securityPolicy, null);
    const of = own?.userIdentityTokens?.find(({ policyId }) => policyId === token.policyId) ?? policy;
    const crypto = getCryptoFactory(fromURI(of?.securityPolicyUri ?? null));
    if (crypto === null) return token.password.toString();
    const block = await asymmetricDecryptWithKeyOps(crypto, token.password, channel.getKeyOperations());
    return block.subarray(4, 4 + block.readUInt32LE(0) - serverNonce.length).toString();
  }

  async function activated(request: ActivateSessionRequest): Promise<Response> {
    const current = session;
    if (current === undefined) return fault(StatusCodes.BadSessionIdInvalid);
    const { clientCertificate } = channel;
    const isSigned =
      clientCertificate === null ||
      verifySignature(
        channel.getCertificate(),
        current.serverNonce,
        request.clientSignature,
        clientCertificate,
        channel.securityPolicy,
      );
    if (!isSigned) return fault(StatusCodes.BadApplicationSignatureInvalid);
    const token = request.userIdentityToken;
    if (token instanceof UserNameIdentityToken) {
      const password = await passwordOf(token, current.serverNonce);
      if (users?.get(token.userName ?? '') !== password) return fault(StatusCodes.BadUserAccessDenied);
    } else if (users !== undefined) return fault(StatusCodes.BadIdentityTokenRejected);
    session = { serverNonce: nonce(), isActive: true };
    return new ActivateSessionResponse({ serverNonce: session.serverNonce });
  }

  function page(references: ReferenceDescription[], most: number) {
    const limit = most === 0 ? MOST_REFERENCES : Math.min(most, MOST_REFERENCES);
    const rest = references.slice(limit);
    const key = rest.length === 0 ? undefined : nonce();
    if (key !== undefined) continuations.set(key.toString('hex'), rest);
    return {
      statusCode: StatusCodes.Good,
      references: references.slice(0, limit),
      ...(key === undefined ? {} : { continuationPoint: key }),
    };
  }

  function browsed({ nodesToBrowse, requestedMaxReferencesPerNode }: BrowseRequest): Response {
    return new BrowseResponse({
      results: (nodesToBrowse ?? []).map((node) => {
        const references = space.browse(node);
        return references === undefined
          ? { statusCode: StatusCodes.BadNodeIdUnknown }
          : page(references, requestedMaxReferencesPerNode);
      }),
    });
  }

  function browsedOn({ continuationPoints }: BrowseNextRequest): Response {
    return new BrowseNextResponse({
      results: (continuationPoints ?? []).map((point) => {
        const rest = continuations.get(point.toString('hex'));
        continuations.delete(point.toString('hex'));
        return rest === undefined
          ? { statusCode: StatusCodes.BadContinuationPointInvalid }
          : page(rest, MOST_REFERENCES);
      }),
    });
  }

  /** Undefined for a request that is answered later. */
  async function answer(message: Message): Promise<Response | undefined> {
    const { request } = message;
    if (request instanceof GetEndpointsRequest)
      return new GetEndpointsResponse({ endpoints: served.endpoints() });
    if (request instanceof CreateSessionRequest) return created(request);
    if (request instanceof ActivateSessionRequest) return activated(request);
    if (request instanceof CloseSessionRequest) return new CloseSessionResponse();
    if (session?.isActive !== true) return fault(StatusCodes.BadSessionNotActivated);
    if (faults.requests !== undefined) return fault(faults.requests);
    if (request instanceof ReadRequest)
      return new ReadResponse({ results: (request.nodesToRead ?? []).map((node) => space.read(node)) });
    if (request instanceof WriteRequest)
      return new WriteResponse({ results: (request.nodesToWrite ?? []).map((node) => space.write(node)) });
    if (request instanceof BrowseRequest) return browsed(request);
    if (request instanceof BrowseNextRequest) return browsedOn(request);
    if (request instanceof CreateSubscriptionRequest)
      return faults.subscriptions === undefined ? subscriptions.create(request) : fault(faults.subscriptions);
    if (request instanceof CreateMonitoredItemsRequest) return subscriptions.monitor(request);
    if (request instanceof DeleteSubscriptionsRequest) {
      subscriptions.remove(request.subscriptionIds ?? []);
      return new DeleteSubscriptionsResponse({
        results: [...(request.subscriptionIds ?? [])].map(() => StatusCodes.Good),
      });
    }
    if (request instanceof PublishRequest) {
      waiting.set(request, message);
      if (subscriptions.wait(request)) return undefined;
      waiting.delete(request);
      return fault(StatusCodes.BadNoSubscription);
    }
    return fault(StatusCodes.BadServiceUnsupported);
  }

  channel.on('message', (message: Message) => {
    void answer(message).then((response) => {
      if (response !== undefined) channel.send_response('MSG', response, message);
    });
  });
  channel.on('abort', () => {
    subscriptions.end();
    channel.dispose();
  });
}

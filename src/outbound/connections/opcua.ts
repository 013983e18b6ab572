import type { Duplex } from 'node:stream';
import {
  AttributeIds,
  BrowseDirection,
  type ClientSession,
  DataType,
  type DataValue,
  NodeClassMask,
  NodeId,
  OPCUAClient,
  ReferenceTypeIds,
  SecurityPolicy,
  setErrorLogger,
  setWarningLogger,
  UserTokenType,
  VariantArrayType,
} from 'node-opcua-client';
import type {
  OpcuaChange,
  OpcuaIdentity,
  OpcuaReading,
  OpcuaReference,
  OpcuaServer,
  OpcuaSubscription,
  OpcuaVariable,
  OpcuaWrite,
} from '../../adapter/connections.ts';
import { outcomeUnknown } from '../../adapter/failures.ts';
import type { ApplicationCertificate } from '../../adapter/reach.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { Inbox } from '../inbox.ts';
import { lost, type Named, notUnderstoodAt, timedOut } from './failures.ts';
import { limitFrames } from './frame-meter.ts';
import { endsSession, failureOf } from './opcua-failures.ts';
import { clientOptions, findEndpoint, fingerprintOf, requireSealedPassword } from './opcua-security.ts';
import { subscribe } from './opcua-subscription.ts';
import { messageLength } from './opcua-transport.ts';
import { encodable, nodeIdOf, readingOf, textOf, typeOf, UNKNOWN_NODE } from './opcua-values.ts';
import type { Channel } from './pool.ts';

/** Nodes in one request: what small servers take. */
const MOST_NODES = 100;
const ANSWERED_WITHIN_MS = 10_000;
/** The server ends a session of which it has heard nothing for so long. */
const SESSION_MS = 180_000;
const CAN_READ = 1;
const CAN_WRITE = 2;

const DESCRIBED = [
  AttributeIds.NodeClass,
  AttributeIds.DisplayName,
  AttributeIds.DataType,
  AttributeIds.ValueRank,
  AttributeIds.AccessLevel,
  AttributeIds.UserAccessLevel,
  AttributeIds.Value,
] as const;

/** Of references: NodeClass and DisplayName (BrowseResultMask). */
const CLASS_AND_NAME = 4 | 16;
/** NodeClass, as an attribute has it. */
const VARIABLE = 2;

// They would write to the console, and what they write may hold what was sent.
setErrorLogger(() => {});
setWarningLogger(() => {});

/** What one piece of work over a connection may take, and who is told that it is sent. */
export interface Sending {
  readonly signal: AbortSignal;
  readonly sent: () => void;
  readonly isCommand: boolean;
}

interface Opening {
  readonly server: OpcuaServer;
  readonly application: ApplicationCertificate;
  readonly named: Named;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** One session at an OPC UA server, with everybody who works for the link over it. */
export class OpcuaChannel implements Channel {
  readonly #client: OPCUAClient;
  readonly #socket: Duplex;
  readonly #opening: Opening;
  /** Aborted, with the failure as its reason, once the connection is gone. */
  readonly #gone = new AbortController();
  #session: ClientSession | undefined;
  #namespaces: readonly string[] = [];
  #fingerprint: string | null = null;

  /**
   * Opens a session. With security it is asked first, over a connection of its own, which certificate the server has.
   * @param dial opens a connection
   */
  static async open(dial: () => Promise<Duplex>, opening: Opening): Promise<OpcuaChannel> {
    const { server, application, named, clock, signal } = opening;
    const url = `opc.tcp://${named.address}${server.path ?? ''}`;
    const sockets: Duplex[] = [];
    const dialled = async () => {
      const socket = await dial();
      sockets.push(socket);
      return socket;
    };
    const end = () => {
      for (const socket of sockets) socket.destroy();
    };
    signal.addEventListener('abort', end, { once: true });
    let channel: OpcuaChannel | undefined;
    try {
      const found =
        server.mode === 'none'
          ? undefined
          : await findEndpoint(await dialled(), { server, application, named, url, now: clock.now() });
      channel = new OpcuaChannel(await dialled(), opening, found);
      await channel.#begin(url, found);
      return channel;
    } catch (error) {
      const why: unknown = channel === undefined ? undefined : channel.#gone.signal.reason;
      end();
      if (signal.aborted) throw signal.reason;
      if (why instanceof AppError && why.code === 'vendor.answer_invalid') throw why;
      throw failureOf(error, { named, server, certificate: application.certificate });
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  private constructor(
    socket: Duplex,
    opening: Opening,
    found: Awaited<ReturnType<typeof findEndpoint>> | undefined,
  ) {
    this.#socket = socket;
    this.#opening = opening;
    const { server, application, named } = opening;
    this.#fingerprint = found === undefined ? null : fingerprintOf(found.certificate);
    limitFrames(socket, messageLength(), () =>
      this.#fail(notUnderstoodAt(named, 'sent a message that is too large')),
    );
    socket.once('close', () => this.#fail(lost(named)));
    this.#client = OPCUAClient.create({
      ...clientOptions(socket, application),
      ...(found === undefined
        ? {}
        : {
            securityMode: server.mode === 'sign' ? 'Sign' : 'SignAndEncrypt',
            securityPolicy: SecurityPolicy[found.policy],
            serverCertificate: found.certificate,
          }),
      requestedSessionTimeout: SESSION_MS,
    });
  }

  async #begin(url: string, found: Awaited<ReturnType<typeof findEndpoint>> | undefined): Promise<void> {
    const { server, named } = this.#opening;
    const { username, password = '', mode } = server;
    await this.#client.connect(url);
    if (found !== undefined && username !== undefined)
      requireSealedPassword(await this.#client.getEndpoints(), { mode, policy: found.policy, named });
    this.#session = await this.#client.createSession(
      username === undefined
        ? { type: UserTokenType.Anonymous }
        : { type: UserTokenType.UserName, userName: username, password },
    );
    this.#namespaces = await this.#session.readNamespaceArray();
  }

  get isAlive(): boolean {
    return !this.#gone.signal.aborted;
  }

  onClosed(tell: () => void): void {
    if (this.isAlive) this.#gone.signal.addEventListener('abort', tell, { once: true });
    else tell();
  }

  close(): void {
    if (!this.isAlive) return;
    this.#gone.abort(lost(this.#opening.named));
    const end = () => {
      this.#socket.destroy();
      void this.#client.disconnect().catch(() => {});
    };
    // The server keeps a session that is not ended, and has few of them.
    void this.#session
      ?.close(true)
      .catch(() => {})
      .finally(end);
    const cancel = this.#opening.clock.after(ANSWERED_WITHIN_MS, end);
    this.#socket.once('close', cancel);
    if (this.#session === undefined) end();
  }

  #fail(failure: AppError): void {
    if (!this.isAlive) return;
    this.#gone.abort(failure);
    this.#socket.destroy();
    void this.#client.disconnect().catch(() => {});
  }

  /** What the session answers; the connection is given up where nothing comes in time, and where the session has ended. */
  async #ask<T>(sending: Sending, work: (session: ClientSession) => Promise<T>): Promise<T> {
    const { named, server, application, clock } = this.#opening;
    const session = this.#session;
    if (session === undefined || !this.isAlive) throw this.#gone.signal.reason ?? lost(named);
    if (sending.signal.aborted) throw timedOut(named);
    const over = Promise.withResolvers<never>();
    const giveUp = () => over.reject(timedOut(named));
    const gone = this.#gone.signal;
    const lose = () => over.reject(gone.reason);
    const cancel = clock.after(ANSWERED_WITHIN_MS, () => {
      const failure = timedOut(named);
      over.reject(failure);
      this.#fail(failure);
    });
    sending.signal.addEventListener('abort', giveUp, { once: true });
    gone.addEventListener('abort', lose, { once: true });
    sending.sent();
    try {
      return await Promise.race([work(session), over.promise]);
    } catch (error) {
      const failure =
        error instanceof AppError
          ? error
          : gone.aborted
            ? gone.reason
            : failureOf(error, { named, server, certificate: application.certificate });
      if (endsSession(error)) this.#fail(failure);
      const isUnknown = sending.isCommand && failure.code !== 'vendor.refused';
      throw isUnknown ? outcomeUnknown(named.name, failure) : failure;
    } finally {
      cancel();
      sending.signal.removeEventListener('abort', giveUp);
      gone.removeEventListener('abort', lose);
    }
  }

  async identity(sending: Sending): Promise<OpcuaIdentity> {
    // Server.ServerArray: its first element is the server itself.
    const servers = await this.#ask(sending, (session) =>
      session.read({ nodeId: 'ns=0;i=2254', attributeId: AttributeIds.Value }),
    );
    const [applicationUri]: unknown[] = Array.isArray(servers.value?.value) ? servers.value.value : [];
    if (typeof applicationUri !== 'string' || applicationUri === '')
      throw notUnderstoodAt(this.#opening.named, 'does not say which server it is (ServerArray)');
    return { applicationUri, namespaces: this.#namespaces, fingerprint: this.#fingerprint };
  }

  /** Attributes of nodes, node by node; those of one that the server cannot have are absent. */
  async #attributes(
    nodes: readonly string[],
    attributes: readonly AttributeIds[],
    sending: Sending,
  ): Promise<(readonly DataValue[] | undefined)[]> {
    const ids = nodes.map((node) => nodeIdOf(node, this.#namespaces));
    const asked = ids
      .filter((id) => id !== undefined)
      .flatMap((nodeId) => attributes.map((attributeId) => ({ nodeId, attributeId })));
    const values: DataValue[] = [];
    for (let at = 0; at < asked.length; at += MOST_NODES) {
      const some = asked.slice(at, at + MOST_NODES);
      const answered = await this.#ask(sending, (session) => session.read(some));
      if (answered.length !== some.length)
        throw notUnderstoodAt(this.#opening.named, 'did not answer for every node');
      values.push(...answered);
    }
    return ids.map((id) => (id === undefined ? undefined : values.splice(0, attributes.length)));
  }

  async read(nodes: readonly string[], sending: Sending): Promise<OpcuaReading[]> {
    const values = await this.#attributes(nodes, [AttributeIds.Value], sending);
    return values.map((one) => (one?.[0] === undefined ? UNKNOWN_NODE : readingOf(one[0])));
  }

  async describe(nodes: readonly string[], sending: Sending): Promise<OpcuaVariable[]> {
    const all = await this.#attributes(nodes, DESCRIBED, sending);
    const described: OpcuaVariable[] = [];
    for (const values of all) described.push(await this.#described(values, sending));
    return described;
  }

  async #described(values: readonly DataValue[] | undefined, sending: Sending): Promise<OpcuaVariable> {
    const [nodeClass, name, type, rank, access, userAccess, value] = values ?? [];
    const levels = Number(access?.value?.value ?? 0) & Number(userAccess?.value?.value ?? 0);
    const told: unknown = name?.value?.value?.text;
    const isArray =
      Number(rank?.value?.value ?? -1) >= 0 ||
      (value?.value?.arrayType ?? VariantArrayType.Scalar) !== VariantArrayType.Scalar;
    const isKnown = nodeClass?.statusCode.isGood() === true;
    return {
      reading: isKnown && value !== undefined ? readingOf(value) : UNKNOWN_NODE,
      isVariable: nodeClass?.value?.value === VARIABLE,
      name: typeof told === 'string' && told !== '' ? told : null,
      type: isArray ? null : await this.#builtIn(type?.value?.value, sending),
      isReadable: (levels & CAN_READ) !== 0,
      isWritable: (levels & CAN_WRITE) !== 0,
    };
  }

  /** The built-in type below a type, which the server is asked for unless it is one itself. */
  async #builtIn(type: unknown, sending: Sending) {
    if (!(type instanceof NodeId)) return null;
    const own = type.namespace === 0 ? typeOf(Number(type.value)) : null;
    if (own !== null) return own;
    const found = await this.#ask(sending, (session) =>
      session.getBuiltInDataType(type).catch(() => DataType.Null),
    );
    return typeOf(found);
  }

  async browse(nodes: readonly string[], most: number, sending: Sending): Promise<OpcuaReference[][]> {
    const found: OpcuaReference[][] = [];
    for (const node of nodes) {
      const nodeId = nodeIdOf(node, this.#namespaces);
      found.push(nodeId === undefined ? [] : await this.#below(nodeId, most, sending));
    }
    return found;
  }

  async #below(nodeId: NodeId, most: number, sending: Sending): Promise<OpcuaReference[]> {
    let page = await this.#ask(sending, (session) =>
      session.browse({
        nodeId,
        browseDirection: BrowseDirection.Forward,
        referenceTypeId: new NodeId(NodeId.NodeIdType.NUMERIC, ReferenceTypeIds.HierarchicalReferences),
        includeSubtypes: true,
        nodeClassMask: NodeClassMask.Object | NodeClassMask.Variable,
        resultMask: CLASS_AND_NAME,
      }),
    );
    const references = [...(page.references ?? [])];
    while (page.continuationPoint?.length > 0) {
      const { continuationPoint } = page;
      const isEnough = references.length >= most;
      page = await this.#ask(sending, (session) => session.browseNext(continuationPoint, isEnough));
      if (isEnough) break;
      references.push(...(page.references ?? []));
    }
    return references.slice(0, most).map((one) => ({
      node: textOf(one.nodeId, this.#namespaces),
      name: one.displayName.text ?? '',
      isVariable: one.nodeClass === VARIABLE,
    }));
  }

  async write(writes: readonly OpcuaWrite[], sending: Sending): Promise<string[]> {
    const nodes = writes.map(({ node, type, value }) => {
      const nodeId = nodeIdOf(node, this.#namespaces);
      if (nodeId === undefined)
        throw new AppError('vendor.refused', `${this.#opening.named.name} has no node ${node}`);
      // Many servers refuse a value that comes with a time or a status.
      const variant = { dataType: DataType[type], value: encodable(type, value) };
      return { nodeId, attributeId: AttributeIds.Value, value: { value: variant } };
    });
    const codes = await this.#ask(sending, (session) => session.write(nodes));
    return codes.map(({ name }) => name);
  }

  /** Subscribes; the changes are taken in until the inbox ends. */
  async listen(
    { nodes, everyMs }: OpcuaSubscription,
    { signal, heard }: { readonly signal: AbortSignal; readonly heard: () => void },
  ): Promise<Inbox<OpcuaChange>> {
    const inbox = new Inbox<OpcuaChange>(({ node }) => node.length);
    const gone = this.#gone.signal;
    const lose = () => inbox.end(gone.reason);
    const stop = () => inbox.end();
    gone.addEventListener('abort', lose, { once: true });
    signal.addEventListener('abort', stop, { once: true });
    this.#socket.on('data', heard);
    void inbox.ended.then(() => {
      gone.removeEventListener('abort', lose);
      signal.removeEventListener('abort', stop);
      this.#socket.off('data', heard);
    });
    const items = nodes.map((node) => ({ node, id: nodeIdOf(node, this.#namespaces) }));
    try {
      const sending = { signal, sent: () => {}, isCommand: false };
      const end = await this.#ask(sending, (session) =>
        subscribe(
          session,
          { items, everyMs },
          (change) => inbox.push(change),
          () => inbox.end(lost(this.#opening.named)),
        ),
      );
      void inbox.ended.then(() => (this.isAlive ? end() : undefined)).catch(() => {});
      return inbox;
    } catch (error) {
      inbox.end();
      throw error;
    }
  }
}

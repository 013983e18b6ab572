import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** A message, and which side sent it. */
export interface Passed {
  readonly from: 'station' | 'service';
  readonly text: string;
}

/** Where the connection breaks: at which message, and whether that one still arrives. */
export interface Cut {
  readonly at: number;
  readonly arrives: boolean;
}

/** The connection between a station and the service: records every message, and breaks once where it is told to. */
export class Line {
  readonly passed: Passed[] = [];
  cuts = 0;
  readonly #cut: Cut | null;
  readonly #server: WebSocketServer;
  /** Ids of the unanswered calls of each side. */
  readonly #open = new Set<string>();
  #ends: readonly [WebSocket, WebSocket] | null = null;

  constructor(servicePort: number, cut: Cut | null) {
    this.#cut = cut;
    this.#server = new WebSocketServer({
      port: 0,
      host: '127.0.0.1',
      handleProtocols: ([first]) => first ?? false,
    });
    this.#server.on('connection', (station, { url, headers }) => {
      const { authorization = '' } = headers;
      const service = new WebSocket(`ws://127.0.0.1:${servicePort}${url}`, station.protocol, {
        headers: { authorization },
      });
      this.#join(station, service);
    });
  }

  /** Resolves when stations can connect. */
  async open(): Promise<this> {
    if (this.#server.address() === null) {
      await new Promise<void>((resolve) => this.#server.once('listening', resolve));
    }
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get isUp(): boolean {
    return this.#ends?.every(({ readyState }) => readyState === WebSocket.OPEN) === true;
  }

  /** Whether no call waits for its response. */
  get isQuiet(): boolean {
    return this.isUp && this.#open.size === 0;
  }

  close(): void {
    for (const end of this.#ends ?? []) end.terminate();
    this.#server.close();
  }

  #join(station: WebSocket, service: WebSocket): void {
    this.#open.clear();
    this.#ends = [station, service];
    const early: string[] = [];
    service.on('error', () => station.terminate());
    service.on('open', () => {
      for (const text of early) this.#pass({ from: 'station', text }, station, service);
    });
    station.on('message', (data) => {
      const text = String(data);
      if (service.readyState === WebSocket.CONNECTING) early.push(text);
      else this.#pass({ from: 'station', text }, station, service);
    });
    service.on('message', (data) => this.#pass({ from: 'service', text: String(data) }, service, station));
    station.on('close', () => service.terminate());
    service.on('close', () => station.terminate());
  }

  #pass(message: Passed, source: WebSocket, target: WebSocket): void {
    if (source.readyState !== WebSocket.OPEN || target.readyState !== WebSocket.OPEN) return;
    this.passed.push(message);
    const breaks = this.cuts === 0 && this.#cut?.at === this.passed.length - 1;
    if (!breaks || this.#cut?.arrives === true) {
      this.#note(message);
      target.send(message.text);
    }
    if (!breaks) return;
    this.cuts += 1;
    // What was sent before the end still arrives.
    target.close();
    source.terminate();
  }

  #note({ from, text }: Passed): void {
    const [type, id] = JSON.parse(text) as [number, string];
    const other = from === 'station' ? 'service' : 'station';
    if (type === 2) this.#open.add(`${from} ${id}`);
    else this.#open.delete(`${other} ${id}`);
  }
}

/** Time limits and bounds of the station server. Tests shorten them; the service uses `DEFAULTS`. */
export interface StationOptions {
  /** The tag of our remote starts: 1–20 characters (1.6 IdToken). */
  readonly idTag: string;
  /** Time limit of a command's response. */
  readonly callTimeoutMs: number;
  /** Time limit of each configuration request after connecting; a command waits behind at most one of them. */
  readonly setupTimeoutMs: number;
  /** How long a command may wait in the queue before it is dropped unsent. */
  readonly queueTimeoutMs: number;
  /** How long an acknowledged command waits for the station to report its effect. */
  readonly settleMs: number;
  /** How long a station that booted may report a connector as available before its transaction is ended. */
  readonly forgottenMs: number;
  /** How long a station has to end a transaction whose card was refused, before it is told to. */
  readonly refusedMs: number;
  /** How long a connected station has for its BootNotification before it is treated as one that does not boot. */
  readonly bootMs: number;
  /** Interval of WebSocket pings; a connection with an unanswered ping at the next one is closed. */
  readonly pingMs: number;
  /** How long a closing connection has before its socket is destroyed. */
  readonly lingerMs: number;
  /** Message rate of a station: per second in the long run, in a burst, and queued before it counts as a flood. */
  readonly messagesPerSecond: number;
  readonly messagesBurst: number;
  readonly messagesBehind: number;
  /** Bytes of a station: per second in the long run, and without delay. A station that sends more is read from more slowly. */
  readonly bytesPerSecond: number;
  readonly bytesBurst: number;
  /** The same of all stations of an account, while it has few; see `STATIONS_OF_A_SHARE`. */
  readonly accountBytesPerSecond: number;
  readonly accountBytesBurst: number;
  /** Consecutive malformed messages. */
  readonly badMessages: number;
  /** The largest frame, bytes. */
  readonly frameBytes: number;
  /** Takeovers of one link per minute; more mean that two stations use one identity. */
  readonly takeoversPerMinute: number;
  /** Wrong passwords per minute for one identity from one address. */
  readonly wrongPasswordsPerMinute: number;
  /** Failed sign-ins per minute from one address, for any identity. */
  readonly failedSignInsPerMinute: number;
  /** How long a password waits for its comparison after too many wrong ones. */
  readonly suspectMs: number;
}

export const DEFAULTS: StationOptions = {
  idTag: 'ELNAV',
  callTimeoutMs: 10_000,
  setupTimeoutMs: 4_000,
  queueTimeoutMs: 4_500,
  settleMs: 5_000,
  forgottenMs: 5 * 60_000,
  refusedMs: 10_000,
  bootMs: 3_000,
  pingMs: 30_000,
  lingerMs: 2_000,
  messagesPerSecond: 20,
  messagesBurst: 100,
  messagesBehind: 100,
  bytesPerSecond: 32 * 1024,
  bytesBurst: 512 * 1024,
  accountBytesPerSecond: 256 * 1024,
  accountBytesBurst: 1024 * 1024,
  badMessages: 10,
  frameBytes: 256 * 1024,
  takeoversPerMinute: 10,
  wrongPasswordsPerMinute: 10,
  failedSignInsPerMinute: 60,
  suspectMs: 1_000,
};

/** With each so many stations an account may send as much again: 512 bytes a second for each of a large fleet. */
export const STATIONS_OF_A_SHARE = 512;

/** Heartbeat interval sent in the BootNotification response, seconds; the WebSocket ping detects a lost peer sooner. */
export const HEARTBEAT_SECONDS = 300;

/** Interval of meter values during a transaction, seconds. */
export const METER_SECONDS = 30;

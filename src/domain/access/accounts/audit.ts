import { type Clock, rfc3339 } from '../../../core/clock.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Queries } from '../../../db/database.ts';
import { type AuditRow, type AuditSearch, insertAudit, searchAudit } from './store-administration.ts';

/**
 * Author of a change: `admin` with the admin token, `setup` at the first start, `command` for an npm command on the operator's machine,
 * `user` for an account's own changes, `user/7` for an account with the role of an operator.
 */
export interface Actor {
  readonly name: 'admin' | 'setup' | 'command' | 'user' | `user/${number}`;
  readonly ip: string;
  readonly requestId: string;
  /** The API key that was used, `console` for a person in the console; absent without one. */
  readonly keyId?: string;
}

export interface Change {
  /** What was done, as in `key.revoked`. */
  readonly action: string;
  /** The record it was done to, as in `user/7`. */
  readonly target: string;
  /** Never a secret. */
  readonly detail: JsonObject;
}

export interface AuditEntry extends Change {
  readonly id: number;
  /** RFC 3339. */
  readonly at: string;
  readonly actor: string;
  readonly ip: string;
  readonly request_id: string;
}

/** Stores an audit entry in the transaction that makes the change. */
export type Audit = (queries: Queries, actor: Actor, change: Change) => Promise<void>;

export function createAudit(clock: Clock): Audit {
  return (queries, actor, { action, target, detail }) =>
    insertAudit(queries, {
      at: clock.now(),
      actor: actor.name,
      ip: actor.ip,
      request_id: actor.requestId,
      action,
      target,
      detail_json: JSON.stringify(actor.keyId === undefined ? detail : { ...detail, key_id: actor.keyId }),
    });
}

/** The changes that match, the newest first. */
export async function findAudit(queries: Queries, search: AuditSearch): Promise<AuditEntry[]> {
  return (await searchAudit(queries, search)).map(toEntry);
}

const toEntry = ({ detail_json, at, ...row }: AuditRow): AuditEntry => ({
  ...row,
  at: rfc3339(at),
  detail: JSON.parse(detail_json) as JsonObject,
});

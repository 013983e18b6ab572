import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemRandom } from '../../src/core/ids.ts';
import { parseVaultKeys } from '../../src/core/settings/index.ts';
import { createVault } from '../../src/domain/calls/index.ts';
import type { Engine } from '../kit/databases.ts';
import { VAULT_KEYS } from '../kit/world.ts';

/*
 * A database of the first version with links, at migration 0003, stored as text: migrations may be rewritten later, while users'
 * databases stay the same.
 */

export function oldestSchema(engine: Engine): string {
  const identity =
    engine === 'sqlite'
      ? 'integer primary key autoincrement'
      : 'bigint generated always as identity primary key';
  const text = engine === 'sqlite' ? 'text' : 'text collate "C"';
  return `
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "accounts" ("id" ${identity}, "email" text not null unique, "name" text not null, "tier" text not null, "created_at" bigint not null, "throttled_until" bigint);
CREATE TABLE "account_policies" ("account_id" bigint primary key references "accounts" ("id"), "per_minute" bigint not null, "per_hour" bigint not null, "per_day" bigint not null, "burst" bigint not null, "auto_throttle_enabled" smallint not null, "updated_at" bigint not null);
CREATE TABLE "api_keys" ("account_id" bigint not null references "accounts" ("id"), "id" text not null unique, "label" text not null, "scopes" text not null, "sha256" text not null, "created_at" bigint not null, "last_used_at" bigint, "revoked_at" bigint, constraint "api_keys_pk" primary key ("account_id", "id"));
CREATE TABLE "global_policy" ("id" smallint primary key check (id = 1), "anon_per_ip_per_day" bigint not null, "anon_global_per_day" bigint not null, "updated_at" bigint not null);
CREATE TABLE "usage" ("account_id" bigint not null, "day" text not null, "service" text not null, "route" text not null, "key_id" text not null, "status_class" text not null, "count" bigint not null, "last_at" bigint not null, constraint "usage_pk" primary key ("account_id", "day", "service", "route", "key_id", "status_class"));
CREATE INDEX "usage_newest" on "usage" ("last_at");
CREATE TABLE "bans" ("id" ${identity}, "ip" text not null, "reason" text not null, "created_at" bigint not null, "expires_at" bigint not null);
CREATE INDEX "bans_by_ip" on "bans" ("ip", "expires_at");
CREATE TABLE "partner_applications" ("id" text primary key, "company" text not null, "email" text not null, "contact_name" text, "website" text, "use_case" text, "vendors_json" text not null, "status" text not null, "created_at" bigint not null, "decided_at" bigint, "account_id" bigint);
CREATE TABLE "audit" ("id" ${identity}, "at" bigint not null, "actor" text not null, "ip" text not null, "request_id" text not null, "action" text not null, "target" text not null, "detail_json" text not null);
CREATE TABLE "idempotent_requests" ("account_id" bigint not null, "route" text not null, "key" text not null, "fingerprint" text not null, "status" text not null, "started_at" bigint not null, "lease_until" bigint not null, "answer_status" smallint, "answer_code" text, "answer_body" text, constraint "idempotent_requests_pk" primary key ("account_id", "route", "key"));
CREATE INDEX "idempotent_requests_by_age" on "idempotent_requests" ("started_at");
CREATE TABLE "links" ("account_id" bigint not null references "accounts" ("id"), "id" text not null, "vendor" text not null, "vendor_account" text not null, "user_ref" text not null, "status" text not null, "status_since" bigint not null, "status_reason" text, "created_at" bigint not null, "updated_at" bigint not null, "vault_key" text not null, "sealed_credentials" text not null, constraint "links_pk" primary key ("account_id", "id"), constraint "links_one_per_vendor_account" unique ("account_id", "vendor", "vendor_account"));
CREATE INDEX "links_by_vendor_account" on "links" ("vendor", "vendor_account");
CREATE TABLE "link_documents" ("account_id" bigint not null, "link_id" text not null, "name" text not null, "value_json" text not null, "updated_at" bigint not null, constraint "link_documents_pk" primary key ("account_id", "link_id", "name"), constraint "link_documents_of_link" foreign key ("account_id", "link_id") references "links" ("account_id", "id") on delete cascade);
CREATE TABLE "devices" ("account_id" bigint not null, "vendor" ${text} not null, "id" ${text} not null, "link_id" text not null, "user_ref" text not null, "device_type" text not null, "name" text, "capabilities_json" text not null, "details_json" text not null, "created_at" bigint not null, "state_json" text, "limits_json" text, "available_capacity_json" text, "observed_at" bigint, "fetched_at" bigint, constraint "devices_pk" primary key ("account_id", "vendor", "id"), constraint "devices_of_link" foreign key ("account_id", "link_id") references "links" ("account_id", "id") on delete cascade);
CREATE INDEX "devices_by_id" on "devices" ("account_id", "id");
CREATE INDEX "devices_by_link" on "devices" ("account_id", "link_id");
CREATE INDEX "devices_by_user_ref" on "devices" ("account_id", "user_ref", "vendor", "id");
CREATE INDEX "devices_by_type" on "devices" ("account_id", "device_type", "vendor", "id");
CREATE TABLE "commands" ("account_id" bigint not null, "id" text not null, "vendor" text not null, "device_id" text not null, "key_id" text not null, "command_json" text not null, "status" text not null, "error" text, "requested_at" bigint not null, "finished_at" bigint, "lease_until" bigint not null, constraint "commands_pk" primary key ("account_id", "id"));
CREATE INDEX "commands_by_device" on "commands" ("account_id", "vendor", "device_id", "requested_at");
CREATE UNIQUE INDEX "commands_one_running" on "commands" ("account_id", "vendor", "device_id") where status = 'running';
CREATE TABLE "charging_transactions" ("account_id" bigint not null, "link_id" text not null, "transaction_id" text not null, "device_id" text not null, "id_tag" text, "started_at" bigint, "meter_start_wh" double precision, "ended_at" bigint, "meter_stop_wh" double precision, "end_reason" text, constraint "charging_transactions_pk" primary key ("account_id", "link_id", "transaction_id"));
CREATE INDEX "charging_transactions_by_device" on "charging_transactions" ("account_id", "device_id", "started_at");
CREATE TABLE "meter_readings" ("account_id" bigint not null, "link_id" text not null, "device_id" text not null, "at" bigint not null, "transaction_id" text, "samples_json" text not null, constraint "meter_readings_pk" primary key ("account_id", "link_id", "device_id", "at"));
INSERT INTO kysely_migration VALUES ('0001-accounts', '2026-11-20T08:00:00.000Z'), ('0002-devices', '2026-11-20T08:00:00.001Z'), ('0003-charging', '2026-11-20T08:00:00.002Z');
INSERT INTO kysely_migration_lock VALUES ('migration_lock', 0);
`;
}

/** At least one row in every table; the test vault keys decrypt the link's credentials. */
export function oldestRows(): string {
  const vault = createVault(parseVaultKeys(VAULT_KEYS), systemRandom);
  const sealed = vault.seal('{}', { account: 1, link: 'link1', field: 'credentials' });
  return `
INSERT INTO accounts (email, name, tier, created_at) VALUES ('anna@example.com', 'Anna', 'pro', 1), ('bo@example.com', '', 'free', 2);
INSERT INTO account_policies VALUES (1, 600, 6000, 60000, 50, 1, 3);
INSERT INTO api_keys VALUES (1, 'k1', 'laptop', 'devices:read', 'abc', 4, 5, NULL), (2, 'k2', '', 'devices:read', 'def', 6, NULL, 7);
INSERT INTO global_policy VALUES (1, 100, 1000, 8);
INSERT INTO usage VALUES (1, '2026-11-20', 'connect', 'GET /devices', 'k1', '2xx', 9, 10);
INSERT INTO bans (ip, reason, created_at, expires_at) VALUES ('203.0.113.9', 'keys', 11, 12);
INSERT INTO partner_applications VALUES ('p1', 'Kraft AB', 'kraft@example.com', NULL, NULL, NULL, '[]', 'received', 13, NULL, NULL);
INSERT INTO audit (at, actor, ip, request_id, action, target, detail_json) VALUES (14, 'setup', '', '', 'user.create', '1', '{}'), (4, 'user', '', '', 'key.created', 'key/k1', '{}');
INSERT INTO idempotent_requests VALUES (1, 'POST /link', 'once', 'fff', 'done', 15, 16, 200, NULL, '{}');
INSERT INTO links VALUES (1, 'link1', 'sandbox', 'anna', 'anna', 'active', 17, NULL, 18, 19, '${sealed.keyId}', '${sealed.text}');
INSERT INTO link_documents VALUES (1, 'link1', 'house', '{"rooms":3}', 20);
INSERT INTO devices VALUES (1, 'sandbox', 'charger-1', 'link1', 'anna', 'charger', 'Garage å', '["read_power"]', '{}', 21, '{"power_w":0}', NULL, NULL, 22, 23), (1, 'sandbox', 'light-1', 'link1', 'anna', 'light', NULL, '[]', '{}', 24, NULL, NULL, NULL, NULL, NULL);
INSERT INTO commands VALUES (1, 'c1', 'sandbox', 'charger-1', 'k1', '{"type":"start_charge"}', 'done', NULL, 25, 26, 27);
INSERT INTO charging_transactions VALUES (1, 'link1', 't1', 'charger-1', 'tag', 28, 1000.5, 29, 2000.25, 'Local');
INSERT INTO meter_readings VALUES (1, 'link1', 'charger-1', 30, 't1', '[]');
`;
}

/** Creates such an embedded database in a directory. */
export function makeOldestIn(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'elnav.sqlite'));
  database.exec(`PRAGMA journal_mode = WAL; ${oldestSchema('sqlite')} ${oldestRows()}`);
  database.close();
}

/** Every table of the oldest schema. */
export const OLDEST_TABLES = [
  'accounts',
  'account_policies',
  'api_keys',
  'global_policy',
  'usage',
  'bans',
  'partner_applications',
  'audit',
  'idempotent_requests',
  'links',
  'link_documents',
  'devices',
  'commands',
  'charging_transactions',
  'meter_readings',
] as const;

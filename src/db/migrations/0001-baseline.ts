import { type Kysely, sql } from 'kysely';
import { addHistoryColumns, isSqlite } from '../columns.ts';

/** SQL in which the two engines differ. */
interface Types {
  /** A whole-number primary key that increases and is never reused. */
  readonly identity: string;
  /** Text that sorts by its bytes; PostgreSQL would sort by the locale of its installation. */
  readonly bytewise: string;
  readonly bytes: string;
  /** How a table is stored whose rows are read by time: PostgreSQL gets partitions later, the embedded database only the key. */
  readonly storedBy: (time: string) => string;
  /** The key of the event log: the embedded database has one writer, whose ids are the order. */
  readonly eventId: string;
  readonly eventKey: string;
  readonly eventOrder: string;
  /** The number of the running transaction as `xmin` has it; null on the embedded database. */
  readonly ownTransaction: string;
}

const SQLITE: Types = {
  identity: 'integer primary key autoincrement',
  bytewise: 'text',
  bytes: 'blob',
  storedBy: () => 'without rowid',
  eventId: 'integer primary key autoincrement',
  eventKey: '',
  eventOrder: 'id',
  ownTransaction: 'null',
};

const POSTGRES: Types = {
  identity: 'bigint generated always as identity primary key',
  bytewise: 'text collate "C"',
  bytes: 'bytea',
  storedBy: (time) => `partition by range (${time})`,
  eventId: 'bigint generated always as identity',
  eventKey: ', constraint events_pk primary key (tx, id)',
  eventOrder: 'tx, id',
  ownTransaction: 'pg_current_xact_id()::xid::text',
};

/** Rows of a link end with it. */
const OF_LINK = 'foreign key (account_id, link_id) references links (account_id, id) on delete cascade';

/** Accounts, their keys and limits, and how they are used. */
const accounts = ({ identity, bytewise }: Types): string => `
  create table accounts (
    id ${identity}, email text not null unique, name text not null, tier text not null,
    created_at bigint not null, throttled_until bigint, role text, suspended_at bigint,
    closing_since bigint
  );
  create index accounts_closing on accounts (id) where closing_since is not null;
  create index accounts_suspended on accounts (id) where suspended_at is not null;
  create index accounts_of_tier on accounts (tier, id);
  create table account_policies (
    account_id bigint primary key references accounts (id), per_minute bigint not null, per_hour bigint not null,
    per_day bigint not null, burst bigint not null, auto_throttle_enabled smallint not null,
    updated_at bigint not null, most_links bigint
  );
  create table api_keys (
    account_id bigint not null references accounts (id), id text not null unique, label text not null,
    scopes text not null, sha256 text not null, created_at bigint not null, last_used_at bigint,
    revoked_at bigint, created_by text,
    constraint api_keys_pk primary key (account_id, id)
  );
  create table brands (
    account_id bigint primary key references accounts (id), name text not null, color text,
    updated_at bigint not null, privacy_url text, terms_url text
  );
  create table global_policy (
    id smallint primary key check (id = 1), anon_per_ip_per_day bigint not null,
    anon_global_per_day bigint not null, updated_at bigint not null
  );
  create table usage (
    account_id bigint not null, day text not null, service text not null, route text not null,
    key_id text not null, status_class text not null, count bigint not null, last_at bigint not null,
    constraint usage_pk primary key (account_id, day, service, route, key_id, status_class)
  );
  create index usage_newest on usage (last_at);
  create table requests (
    account_id bigint not null, at bigint not null, id ${bytewise} not null,
    request_id ${bytewise} not null, service text not null, instance text not null, key_id text,
    method text not null, route text not null, status integer, error_code text, error text,
    duration_ms integer not null, device_id ${bytewise}, link_id text, vendor text, calls_json text not null,
    constraint requests_pk primary key (account_id, at, id)
  );
  create index requests_by_id on requests (request_id);
  create index requests_by_time on requests (at, id);
  create table bans (
    id ${identity}, ip text not null, reason text not null, created_at bigint not null,
    expires_at bigint not null
  );
  create index bans_by_ip on bans (ip, expires_at);
  create table partner_applications (
    id text primary key, company text not null, email text not null, contact_name text, website text,
    use_case text, vendors_json text not null, status text not null, created_at bigint not null,
    decided_at bigint, account_id bigint
  );
  create table audit (
    id ${identity}, at bigint not null, actor text not null, ip text not null, request_id text not null,
    action text not null, target text not null, detail_json text not null
  );
  create index audit_of_action on audit (action, id);
  create index audit_of_actor on audit (actor, id);
  create index audit_of_target on audit (target, id);
  create table idempotent_requests (
    account_id bigint not null, route text not null, key text not null, fingerprint text not null,
    status text not null, started_at bigint not null, lease_until bigint not null, answer_status smallint,
    answer_code text, answer_command text, answer_body text, claim text not null default '', begun smallint not null default 1,
    fingerprint_key text not null default '',
    constraint idempotent_requests_pk primary key (account_id, route, key)
  );
  create index idempotent_requests_by_age on idempotent_requests (started_at);
`;

/** How people and operators sign in. */
const signIn = (): string => `
  create table passwords (
    account_id bigint primary key, phc text not null, failures integer not null, updated_at bigint not null
  );
  insert into passwords (account_id, phc, failures, updated_at) values (0, '', 0, 0);
  create table web_sessions (
    sha256 text primary key, account_id bigint not null references accounts (id) on delete cascade,
    created_at bigint not null, expires_at bigint not null, signed_in_by text not null
  );
  create index web_sessions_by_end on web_sessions (expires_at);
  create index web_sessions_of_account on web_sessions (account_id);
  create table console_sessions (
    sha256 text primary key, session_sha256 text not null references web_sessions (sha256) on delete cascade,
    expires_at bigint not null
  );
  create index console_sessions_of_session on console_sessions (session_sha256);
  create table console_codes (
    sha256 text primary key, session_sha256 text not null references web_sessions (sha256) on delete cascade,
    expires_at bigint not null, browser_sha256 text not null
  );
  create index console_codes_of_session on console_codes (session_sha256);
  create table magic_links (
    sha256 text primary key, email text not null, account_id bigint references accounts (id) on delete cascade,
    purpose text not null, expires_at bigint not null, browser_sha256 text, pending_name text, pending_phc text
  );
  create index magic_links_by_end on magic_links (expires_at);
  create table operator_sessions (
    sha256 text primary key, token_key text not null, token_hash text not null, created_at bigint not null,
    used_at bigint not null
  );
  create table operator_changes (session_sha256 text primary key, expires_at bigint not null);
  create table operator_forms (token text primary key, sent_at bigint not null);
`;

/** Links, how they are made, and what their vendors are called with. */
const links = (): string => `
  create table links (
    account_id bigint not null references accounts (id), id text not null, vendor text not null,
    vendor_account text not null, user_ref text not null, status text not null, status_since bigint not null,
    status_reason text, created_at bigint not null, updated_at bigint not null, vault_key text not null,
    sealed_credentials text not null, refused_since bigint, gateway_id text, price_area text,
    constraint links_pk primary key (account_id, id),
    constraint links_one_per_vendor_account unique (account_id, vendor, vendor_account)
  );
  create index links_by_age on links (account_id, created_at, id);
  create index links_by_status on links (account_id, status, created_at, id);
  create index links_by_user_ref on links (account_id, user_ref, created_at, id);
  create index links_by_vendor_account on links (vendor, vendor_account);
  create index links_gateway on links (account_id, gateway_id);
  create table gateways (
    account_id bigint not null references accounts (id), id text not null, name text not null, key_sha256 text,
    code_sha256 text, code_expires_at bigint, created_at bigint not null, paired_at bigint, last_heard_at bigint,
    instance text, version text, networks_json text,
    constraint gateways_pk primary key (account_id, id)
  );
  create unique index gateways_code_sha256 on gateways (code_sha256);
  create unique index gateways_id on gateways (id);
  create unique index gateways_key_sha256 on gateways (key_sha256);
  create table link_documents (
    account_id bigint not null, link_id text not null, name text not null, value_json text not null,
    updated_at bigint not null,
    constraint link_documents_pk primary key (account_id, link_id, name),
    constraint link_documents_of_link ${OF_LINK}
  );
  create table link_tokens (
    account_id bigint not null, link_id text not null, vault_key text not null, sealed_tokens text not null,
    version bigint not null, expires_at bigint not null, lost_reason text, renewer text, renewing_until bigint,
    constraint link_tokens_pk primary key (account_id, link_id),
    constraint link_tokens_of_link ${OF_LINK}
  );
  create table application_certificates (
    account_id bigint primary key references accounts (id) on delete cascade, vault_key text not null,
    sealed_certificate text not null, created_at bigint not null
  );
  create table oauth_states (
    state_sha256 text primary key, vendor text not null, session_sha256 text, browser_sha256 text not null,
    vault_key text not null, sealed_verifier text not null, expires_at bigint not null, sealed_session text,
    device_types_json text
  );
  create index oauth_states_by_end on oauth_states (expires_at);
  create table link_codes (
    code_sha256 text primary key, vendor text not null, vault_key text not null, sealed_tokens text not null,
    expires_at bigint not null
  );
  create index link_codes_by_end on link_codes (expires_at);
  create table link_sessions (
    session_sha256 text primary key, account_id bigint not null, user_ref text not null, vendor text,
    redirect_uri text, created_at bigint not null, expires_at bigint not null, used_at bigint,
    browser_sha256 text, linked_vendor text, linked_link text, reason text, agreed_vendor text,
    agreed_browser_sha256 text, failed_at bigint, device_types_json text, gateway_id text, price_area text,
    shows_devices integer not null default 0
  );
  create index link_sessions_by_end on link_sessions (expires_at);
`;

/** What vendors permit and what they send. */
const vendors = ({ identity, bytes }: Types): string => `
  create table vendor_use (
    vendor text not null, rule text not null, subject text not null, window_start bigint not null,
    used bigint not null, before_start bigint, used_before bigint not null default 0,
    constraint vendor_use_pk primary key (vendor, rule, subject)
  );
  create table vendor_blocks (
    vendor text not null, host text not null, subject text not null, until bigint not null,
    constraint vendor_blocks_pk primary key (vendor, host, subject)
  );
  create table webhook_deliveries (
    id ${identity}, vendor text not null, delivery_id text not null, received_at bigint not null,
    status text not null, due_at bigint not null, attempts integer not null, reason text, headers_json text,
    body ${bytes},
    constraint webhook_deliveries_once unique (vendor, delivery_id)
  );
  create index webhook_deliveries_by_age on webhook_deliveries (status, received_at);
  create index webhook_deliveries_pending on webhook_deliveries (vendor, id) where status = 'pending';
  create table webhook_subscriptions (
    account_id bigint not null, link_id text not null, vendor text not null, due_at bigint not null,
    failures integer not null,
    constraint webhook_subscriptions_pk primary key (account_id, link_id),
    constraint webhook_subscriptions_of_link ${OF_LINK}
  );
  create index webhook_subscriptions_due on webhook_subscriptions (due_at);
`;

/** Devices, how they are controlled, and how they are followed. */
const devices = ({ identity, bytewise }: Types): string => `
  create table devices (
    account_id bigint not null, vendor ${bytewise} not null, id ${bytewise} not null, link_id text not null,
    user_ref text not null, device_type text not null, name text, capabilities_json text not null,
    details_json text not null, created_at bigint not null, state_json text, limits_json text,
    available_capacity_json text, observed_at bigint, fetched_at bigint, missing_since bigint, reported_json text,
    site text, measures text, granted_json text, logged_tx bigint, interventions_json text, plugged smallint,
    constraint devices_pk primary key (account_id, vendor, id),
    constraint devices_of_link ${OF_LINK}
  );
  create index devices_by_id on devices (account_id, id);
  create index devices_by_link on devices (account_id, link_id);
  create index devices_by_type on devices (account_id, device_type, vendor, id);
  create index devices_by_user_ref on devices (account_id, user_ref, vendor, id);
  create index devices_by_vendor_id on devices (vendor, id);
  create table interventions (
    account_id bigint not null, id ${bytewise} not null, link_id text not null, vendor text not null,
    device_id ${bytewise}, device_type text, code text not null, capabilities_json text not null,
    opened_at bigint not null, resolved_at bigint,
    constraint interventions_pk primary key (account_id, id),
    constraint interventions_of_link ${OF_LINK}
  );
  create index interventions_by_link on interventions (account_id, link_id);
  create index interventions_in_order on interventions (account_id, opened_at, id);
  create unique index interventions_open on interventions (account_id, link_id, code, coalesce(device_id, ''))
    where resolved_at is null;
  create table commands (
    account_id bigint not null, id text not null, vendor text not null, device_id text not null,
    key_id text not null, request_id text, command_json text not null, status text not null, error text,
    requested_at bigint not null, finished_at bigint, lease_until bigint not null,
    constraint commands_pk primary key (account_id, id)
  );
  create index commands_by_device on commands (account_id, vendor, device_id, requested_at);
  create index commands_by_time on commands (requested_at);
  -- At most one command of a device runs at a time, in all processes.
  create unique index commands_one_running on commands (account_id, vendor, device_id) where status = 'running';
  create table device_polls (
    id ${identity}, account_id bigint not null, link_id text not null, device_id text not null,
    vendor text not null, due_at bigint not null, planned_at bigint, interval_s double precision not null,
    failures integer not null, hinted_at bigint, active_until bigint,
    constraint device_polls_one_each unique (account_id, link_id, device_id),
    constraint device_polls_of_link ${OF_LINK}
  );
  create index device_polls_due on device_polls (vendor, due_at);
  create table link_streams (
    account_id bigint not null, link_id text not null, vendor text not null, holder text,
    held_until bigint not null, open_since bigint,
    constraint link_streams_pk primary key (account_id, link_id),
    constraint link_streams_of_link ${OF_LINK}
  );
  create index link_streams_free on link_streams (held_until);
  create table link_lists (
    account_id bigint not null, link_id text not null, vendor text not null, due_at bigint not null,
    failures integer not null, listed_at bigint not null,
    constraint link_lists_pk primary key (account_id, link_id),
    constraint link_lists_of_link ${OF_LINK}
  );
  create index link_lists_due on link_lists (due_at);
  create table set_points (
    account_id bigint not null, vendor ${bytewise} not null, device_id ${bytewise} not null,
    command_type text not null, link_id text not null, version text not null, state text not null,
    command_json text not null, next_json text, key_id text not null, since bigint not null,
    renewed_at bigint not null, until bigint, ends_by_itself integer not null, revert_ms bigint,
    due_at bigint not null, failures integer not null, error text, releasing_since bigint, reason text,
    removes_link_of bigint, failing_since bigint, has_will integer not null,
    constraint set_points_pk primary key (account_id, vendor, device_id, command_type),
    constraint set_points_of_link ${OF_LINK}
  );
  create index set_points_by_link on set_points (account_id, link_id);
  create index set_points_due on set_points (due_at);
`;

/** What devices did and were like, and where that is posted. */
const records = ({
  identity,
  bytewise,
  storedBy,
  eventId,
  eventKey,
  eventOrder,
  ownTransaction,
}: Types): string => `
  create table charging_progress (
    account_id bigint not null, device_id ${bytewise} not null, vendor text not null, user_ref text not null,
    device_type text not null, progress_json text not null,
    constraint charging_progress_pk primary key (account_id, device_id, vendor)
  );
  create table charging_sessions (
    account_id bigint not null, id ${bytewise} not null, vendor text not null,
    device_id ${bytewise} not null, link_id text, user_ref text not null, transaction_id text,
    at bigint not null, started_at bigint, ended_at bigint, session_json text not null,
    constraint charging_sessions_pk primary key (account_id, id)
  );
  create index charging_sessions_by_device on charging_sessions (account_id, device_id, at, id);
  create index charging_sessions_by_end on charging_sessions (ended_at);
  create index charging_sessions_by_time on charging_sessions (account_id, at, id);
  create index charging_sessions_by_transaction on charging_sessions (account_id, link_id, transaction_id);
  create index charging_sessions_by_user on charging_sessions (account_id, user_ref, at, id);
  create table charging_transactions (
    account_id bigint not null, link_id text not null, transaction_id text not null, device_id text not null,
    id_tag text, started_at bigint, meter_start_wh double precision, ended_at bigint,
    meter_stop_wh double precision, end_reason text, start_estimated integer not null default 0,
    stop_estimated integer not null default 0, end_estimated integer not null default 0, number bigint,
    constraint charging_transactions_pk primary key (account_id, link_id, transaction_id)
  );
  create index charging_transactions_by_device on charging_transactions (account_id, device_id, started_at);
  create index charging_transactions_by_number on charging_transactions (account_id, link_id, number);
  create index charging_transactions_running on charging_transactions (account_id, link_id) where ended_at is null;
  create table meter_readings (
    account_id bigint not null, link_id text not null, device_id text not null, at bigint not null,
    transaction_id text, samples_json text not null, register_wh double precision,
    constraint meter_readings_pk primary key (account_id, link_id, device_id, at)
  );
  create index meter_readings_by_time on meter_readings (at);
  create table history_devices (
    number ${identity}, account_id bigint not null, vendor text not null, device_id ${bytewise} not null,
    user_ref text not null, open_json text not null
  );
  create unique index history_devices_by_name on history_devices (account_id, device_id, vendor, user_ref);
  create table history_readings (
    device integer not null, at bigint not null, known smallint not null,
    constraint history_readings_pk primary key (device, at)
  ) ${storedBy('at')};
  create table history_quarters (
    device integer not null, quarter bigint not null, covered_s smallint not null, late_wh bigint, late_s integer,
    constraint history_quarters_pk primary key (device, quarter)
  ) ${storedBy('quarter')};
  create table events (
    id ${eventId}, tx bigint not null, account_id bigint not null, type text not null,
    device_id ${bytewise}, vendor text, link_id text, user_ref text, occurred_at bigint not null,
    recorded_at bigint not null, data_json text not null${eventKey}
  );
  create index events_by_account on events (account_id, ${eventOrder});
  create table event_log (tx_offset bigint not null, removed_tx bigint not null, removed_id bigint not null);
  insert into event_log (tx_offset, removed_tx, removed_id) values (0, 0, 0);
  create table database_origin (written_by text);
  insert into database_origin (written_by) values (${ownTransaction});
  create table event_readers (name text primary key, tx bigint not null, id bigint not null);
  create table retention_time (known_at bigint, looks bigint not null, looked_at bigint);
  insert into retention_time (looks) values (0);
  create table subscriptions (
    account_id bigint not null references accounts (id) on delete cascade, id ${bytewise} not null,
    url text not null, types_json text, device_id text, user_ref text, version integer not null,
    signature text not null, public_key text, vault_key text not null, sealed_secrets text not null,
    status text not null, reason text, created_at bigint not null, generation bigint not null,
    cursor_tx bigint not null, cursor_id bigint not null, covered_at bigint not null, pending integer not null,
    free_at bigint not null, retry_at bigint not null, failures bigint not null, failing_since bigint,
    lost_from bigint, lost_until bigint, attempts bigint not null, is_slow integer not null,
    constraint subscriptions_pk primary key (account_id, id)
  );
  create table subscription_attempts (
    account_id bigint not null, subscription_id ${bytewise} not null, slot integer not null,
    number bigint not null, at bigint not null, duration_ms bigint not null, message_id text not null,
    events integer not null, status integer, error text, response text,
    constraint subscription_attempts_pk primary key (account_id, subscription_id, slot),
    constraint attempts_of_subscription foreign key (account_id, subscription_id)
      references subscriptions (account_id, id) on delete cascade
  );
`;

/** Prices, exchange rates and production. */
const market = ({ bytewise }: Types): string => `
  create table prices (
    area text not null, start_at bigint not null, end_at bigint not null, day ${bytewise} not null,
    sek text not null, eur text,
    constraint prices_pk primary key (area, start_at)
  );
  create table price_days (
    area text not null, day ${bytewise} not null, start_at bigint not null, end_at bigint not null,
    slot_min integer not null, mean text not null, exchange_rate text, converted integer not null,
    source text not null, published_at bigint, fingerprint text not null, fetched_at bigint not null,
    checked_at bigint not null,
    constraint price_days_pk primary key (area, day)
  );
  create index price_days_by_day on price_days (day);
  create table exchange_rates (
    day ${bytewise} not null, source text not null, sek_per_eur text not null, fetched_at bigint not null,
    constraint exchange_rates_pk primary key (day, source)
  );
  create table price_sources (
    source text primary key, outcome text not null, sentence text not null, asked_at bigint not null,
    succeeded_at bigint, failures_in_row integer not null, not_before bigint
  );
  create table price_backfills (
    id text primary key, from_day text not null, until_day text not null, areas_json text not null,
    refresh integer not null, status text not null, next_day text not null, days_done integer not null,
    days_skipped integer not null, days_missing integer not null, days_failed integer not null,
    failures_json text not null, created_at bigint not null, updated_at bigint not null, finished_at bigint
  );
  create unique index price_backfills_running on price_backfills (status) where status = 'running';
  create table production (
    area text not null, start bigint not null, length_min integer not null, total double precision not null,
    hydro double precision, nuclear double precision, wind double precision, solar double precision,
    thermal double precision, other double precision, source text not null, changed_at bigint not null,
    constraint production_pk primary key (area, start)
  );
  create table production_sources (
    slug text primary key, asked_at bigint not null, answered_at bigint, not_before bigint not null,
    failures integer not null, refused integer not null, sentence text not null
  );
`;

/** The processes that share the database. */
const processes = (): string => `
  create table leases (name text primary key, holder text not null, until bigint not null);
  create table instances (
    id text primary key, services text not null, version text not null, host text not null, pid bigint not null,
    started_at bigint not null, seen_at bigint not null, report_json text not null
  );
`;

const GROUPS = [accounts, signIn, links, vendors, devices, records, market, processes];

/** Every table of the first version; `src/db/tables` says what their columns mean. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const types = isSqlite(db) ? SQLITE : POSTGRES;
  for (const group of GROUPS)
    for (const statement of group(types).split(/;\s*\n/))
      if (statement.trim() !== '') await sql.raw(statement).execute(db);
  await addHistoryColumns(db);
}

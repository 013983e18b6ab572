import { type RawBuilder, sql } from 'kysely';

/**
 * Leaves out the rows of links whose gateway is connected to another process, or to none: calls of these links are made where the gateway
 * is. Those of a gateway that was removed are anybody's.
 * @param table has `account_id` and `link_id`
 */
export const madeHere = (table: string, instance: string): RawBuilder<unknown> => sql`not exists (
  select 1 from links
  join gateways on gateways.account_id = links.account_id and gateways.id = links.gateway_id
  where links.account_id = ${sql.ref(`${table}.account_id`)} and links.id = ${sql.ref(`${table}.link_id`)}
    and (gateways.instance is null or gateways.instance <> ${instance}))`;

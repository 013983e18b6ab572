import { type Access, kindOf, type Operation, type Schema } from './document.ts';
import { exampleOf } from './example.ts';

/** Headers for the caller's credentials, which the shell substitutes. */
const KEY_HEADERS: Readonly<Record<Access, string | undefined>> = {
  'nobody asked': undefined,
  'key optional': undefined,
  key: 'X-Api-Key: $KEY',
  'admin token': 'X-Admin-Token: $ADMIN_TOKEN',
  session: 'Cookie: $COOKIE',
};

/** A curl command that calls an operation, with the parameters that are required or have an example. */
export function curlOf(operation: Operation, address: string): string {
  const { method, path, access, parameters, body } = operation;
  const filledIn = (name: string, place: string): string => {
    const { schema = {} } = parameters.find((one) => one.name === name && one.in === place) ?? {};
    const isMade = schema.examples === undefined && schema.enum === undefined;
    return isMade ? `{${name}}` : encodeURIComponent(String(exampleOf(schema)));
  };
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => filledIn(name, 'path'));
  const query = parameters
    .filter(({ required, schema = {} }) => required === true || schema.examples !== undefined)
    .filter((one) => one.in === 'query')
    .map(({ name }) => `${name}=${filledIn(name, 'query')}`);
  const url = `${address}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const header = KEY_HEADERS[access];
  return [
    `curl ${kindOf(operation) === 'stream' ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    ...(header === undefined ? [] : [`-H "${header}"`]),
    ...(body === undefined ? [] : [`-H 'content-type: ${body.type}'`, `-d ${quoted(bodyOf(body.schema))}`]),
  ].join(' \\\n  ');
}

const bodyOf = (schema: Schema): string => JSON.stringify(exampleOf(schema, { onlyRequired: true }), null, 2);

/** Quotes text as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

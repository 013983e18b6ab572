import type { NewVendor } from './adapter-files.ts';

export function readmeFile({ slug, name, signIn }: NewVendor): string {
  const setting = `ELNAV_${slug.toUpperCase()}`;
  return `# ${name}

What its devices are, and through which of its interfaces they are reached; a link to the documents.

## Set-up

${
  signIn === 'oauth'
    ? `1. Where an operator registers as a partner; the redirect address is \`https://<elnav>/oauth/${slug}/callback\`.
2. \`${setting}_CLIENT_ID\`, \`${setting}_CLIENT_SECRET\`.`
    : signIn === 'address'
      ? 'Where its owner finds its address, and what is to be switched on in it.'
      : 'Which account is linked, and what it must be permitted.'
}

## Protocol

| Part | Fact, and its source |
| --- | --- |

## Limits

The rate limits of the vendor, with their sources; each is in \`budgets\` of \`index.ts\`.

## Not known of the real ${name}

## Known gaps

## Recorded responses

The file \`recorded.json\` holds responses by name, in the documented shape, shortened and without personal data. For each one: where
it is from, its licence, and when it was taken. A response that may not be copied is rewritten with made-up values, and says so.

| Response | Origin, licence, month |
| --- | --- |
`;
}

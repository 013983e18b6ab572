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
    : 'Which account is linked, and what it must be permitted.'
}

## Protocol

| Part | Fact, and where it stands |
| --- | --- |

## Limits

What the vendor limits, with its source; each stands in \`budgets\` of \`index.ts\`.

## Not known of the real ${name}

## Known gaps
`;
}

export function recordedFile({ name }: NewVendor): string {
  return `# Recorded answers

Answers of ${name} in the shape that it documents, shortened and without anything that tells whose they are. For each file: where
it is from, its licence, and when it was taken. What may not be copied is written anew with made-up values, and says so.

| File | Origin, licence, month |
| --- | --- |
`;
}

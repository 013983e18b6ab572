/** A line for each test that ended: `pass`, or `fail` with its title and file; suites and files count only by their tests. */
export default async function* reporter(source) {
  for await (const { type, data } of source) {
    const isTest = data?.details?.type !== 'suite' && !data?.file?.endsWith(data.name);
    if (type === 'test:pass' && isTest && data.skip === undefined) yield 'pass\n';
    if (type === 'test:fail' && isTest) yield `fail ${data.name.replaceAll('\n', ' ')}\n`;
  }
}

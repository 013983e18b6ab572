/** Whether a topic is one that the filter of a subscription names (MQTT 3.1.1, section 4.7). */
export function matchesTopic(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const given = topic.split('/');
  // What begins with $ is the broker's own, and no wildcard means it.
  if (topic.startsWith('$') && (wanted[0] === '#' || wanted[0] === '+')) return false;
  for (const [at, part] of wanted.entries()) {
    if (part === '#') return true;
    if (at >= given.length || (part !== '+' && part !== given[at])) return false;
  }
  return wanted.length === given.length;
}

/** A test of topics against many filters: a link may have thousands of topics, and few filters with a wildcard. */
export function topicsIn(filters: readonly string[]): (topic: string) => boolean {
  const plain = new Set(filters);
  const wild = filters.filter((filter) => /[+#]/.test(filter));
  return (topic) => plain.has(topic) || wild.some((filter) => matchesTopic(filter, topic));
}

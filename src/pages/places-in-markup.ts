/** The place of a hole in a template. `tag`: between attributes. `address`: the start of an attribute with a URL. */
export type Place = 'text' | 'attribute' | 'address' | 'tag';

const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'data', 'poster', 'ping']);
const FORBIDDEN = new Set(['style', 'srcdoc']);
/** Elements whose content is not markup, where escaping is not safe. */
const RAW = /^(?:script|style)$/;

/** State of the markup reader. */
type State =
  | { readonly in: 'text' | 'comment' }
  | { readonly in: 'tag'; readonly element: string }
  | { readonly in: 'raw'; readonly element: string }
  | { readonly in: 'value'; readonly element: string; readonly attribute: string };

/**
 * The place of each hole of a template. Throws for places where escaping is not safe, which the programmer sees at the
 * first use of the template.
 */
export function readPlaces(strings: readonly string[]): Place[] {
  const places: Place[] = [];
  let state: State = { in: 'text' };
  for (const string of strings.slice(0, -1)) {
    state = afterMarkup(state, string);
    places.push(placeIn(state, string));
  }
  // Half a tag, or a script without its end, would change the places of holes in other templates.
  if (afterMarkup(state, strings.at(-1) ?? '').in !== 'text')
    throw new TypeError('a template ends outside of its tags');
  return places;
}

function placeIn(state: State, before: string): Place {
  switch (state.in) {
    case 'text':
      if (!/<\/?$/.test(before)) return 'text';
      throw new TypeError('nothing may be put into the name of a tag');
    case 'comment':
      throw new TypeError('nothing may be put into a comment');
    case 'raw':
      throw new TypeError(`nothing may be put into a ${state.element}`);
    case 'tag':
      if (/\s$/.test(before)) return 'tag';
      throw new TypeError(`a value inside a tag must be in double quotes: ${before.slice(-40)}`);
    case 'value': {
      const { attribute } = state;
      if (attribute.startsWith('on') || FORBIDDEN.has(attribute))
        throw new TypeError(`nothing may be put into ${attribute}`);
      // If the first hole were empty, the second would start the address.
      if (ADDRESSES.has(attribute) && before === '')
        throw new TypeError(`between two parts of ${attribute} stands something that is always there`);
      return ADDRESSES.has(attribute) && before.endsWith('="') ? 'address' : 'attribute';
    }
  }
}

/** The state after another piece of markup. */
function afterMarkup(begin: State, markup: string): State {
  let state = begin;
  let at = 0;
  while (at < markup.length) {
    const rest = markup.slice(at);
    const [length, next] = step(state, rest);
    at += length;
    state = next;
  }
  return state;
}

/** Number of characters that belong to the state, and the next state. */
function step(state: State, rest: string): readonly [number, State] {
  switch (state.in) {
    case 'text': {
      const tag = /<(!--|\/?([a-z][a-z0-9-]*)|!)/i.exec(rest);
      if (tag === null) return [rest.length, state];
      const length = tag.index + tag[0].length;
      if (tag[1] === '!--') return [length, { in: 'comment' }];
      const isClosing = tag[1]?.startsWith('/') === true;
      return [length, { in: 'tag', element: isClosing ? '' : (tag[2] ?? '').toLowerCase() }];
    }
    case 'comment': {
      const end = rest.indexOf('-->');
      return end === -1 ? [rest.length, state] : [end + 3, { in: 'text' }];
    }
    case 'raw': {
      const end = rest.toLowerCase().indexOf(`</${state.element}`);
      return end === -1 ? [rest.length, state] : [end + state.element.length + 2, { in: 'tag', element: '' }];
    }
    case 'tag': {
      const { element } = state;
      const mark = /([a-z][a-z0-9-]*)="|>/i.exec(rest);
      if (/=\s*'/.test(rest.slice(0, mark?.index)))
        throw new TypeError(`attributes stand in double quotes: ${rest.slice(0, 40)}`);
      if (mark === null) return [rest.length, state];
      const length = mark.index + mark[0].length;
      if (mark[1] !== undefined) return [length, { in: 'value', element, attribute: mark[1].toLowerCase() }];
      return [length, RAW.test(element) ? { in: 'raw', element } : { in: 'text' }];
    }
    case 'value': {
      const end = rest.indexOf('"');
      return end === -1 ? [rest.length, state] : [end + 1, { in: 'tag', element: state.element }];
    }
  }
}

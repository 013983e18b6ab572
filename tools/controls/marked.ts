import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';

/*
 * A control is a line whose loss is a breach, a wrong command or lost data. A comment directly above marks it:
 *
 *     // control: <what it guards> [<tests>] => <replacement>
 *
 * What follows the comment is taken away: the statement, `if` with its body; or the call of a chain, the property, the element or
 * argument; or the operand of `&&`, `||`, `??` with its operator. With a replacement, an expression takes its place instead: the condition
 * of an `if`, the value of a constant, property or `return`, else all that would be taken away. The tests that must notice
 * are named by their files, without `.test.ts`: by a name, or by the end of a path where several files have that name; without brackets
 * it is the test beside the file. A name in capitals is an environment variable that the tests need.
 */

export interface Control {
  readonly file: string;
  readonly line: number;
  /** What it guards, as a sentence. */
  readonly guards: string;
  /** Names of test files, as written. */
  readonly tests: readonly string[];
  /** Environment variables that the tests need. */
  readonly needs: readonly string[];
  /** The source of the file without the control. */
  readonly without: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** A node with the nodes around it, from the outermost inwards. */
interface Placed {
  readonly node: Node;
  readonly parent: Node;
  readonly key: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const MARKER = /^ control: ([^[]+?)(?: \[([^\]]+)\])?(?: => (.+))?$/;

/** Expressions that a replacement takes the place of, by the node that has them. */
const REPLACED: Readonly<Record<string, string>> = {
  ExpressionStatement: 'expression',
  IfStatement: 'test',
  Property: 'value',
  PropertyDefinition: 'value',
  ReturnStatement: 'argument',
  VariableDeclarator: 'init',
  WhileStatement: 'test',
};

/** All controls that are marked in the sources. Throws an error that names a faulty marker. */
export function allControls(): readonly Control[] {
  return globSync('src/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) => controlsIn(file, readFileSync(file, 'utf8')));
}

/** The controls of one source. Throws an error that names a faulty marker. */
export function controlsIn(file: string, source: string): readonly Control[] {
  if (!source.includes('// control:')) return [];
  const { program, comments } = parseSync(file, source);
  const found: Control[] = [];
  for (const [index, first] of comments.entries()) {
    if (!first.value.startsWith(' control:')) continue;
    let { end, value: text } = first;
    // A marker goes on in the comments directly below it.
    for (const next of comments.slice(index + 1)) {
      if (source.slice(end, next.start).trim() !== '') break;
      text += next.value;
      end = next.end;
    }
    const line = source.slice(0, first.start).split('\n').length;
    const [, guards, named = '', replacement] = MARKER.exec(text) ?? [];
    if (guards === undefined) throw new Error(`${file}:${line}: the marker has no sentence`);
    const at = end + source.slice(end).search(/\S/);
    const span = spanAt({ program, source, at, isReplaced: replacement !== undefined });
    if (span === undefined) throw new Error(`${file}:${line}: nothing below the marker can be taken away`);
    const names = named.split(/[ ,]+/).filter((name) => name !== '');
    const tests = names.filter((name) => !/^[A-Z_]+$/.test(name));
    found.push({
      file,
      line,
      guards,
      tests: tests.length > 0 ? tests : [file.replace(/\.ts$/, '')],
      needs: names.filter((name) => !tests.includes(name)),
      without: source.slice(0, span.start) + (replacement ?? '') + source.slice(span.end),
    });
  }
  return found;
}

/** The test file of that name, or at the end of whose path it is. Throws where there is none, or several. */
export function testFileOf(name: string, files: readonly string[]): string {
  const [found, another] = files.filter((file) => `/${file}`.endsWith(`/${name}.test.ts`));
  if (found === undefined) throw new Error(`no test file is named ${name}`);
  if (another !== undefined) throw new Error(`both ${found} and ${another} are named ${name}`);
  return found;
}

function spanAt(of: { program: Node; source: string; at: number; isReplaced: boolean }): Span | undefined {
  const { program, source, at, isReplaced } = of;
  const here = nodesAround(program, at);
  const link = here.find(
    ({ node, parent, key }) => key === 'callee' && objectEnd(node) <= at && parent.end > at,
  );
  if (/^(\?\.|\.(?!\.))/.test(source.slice(at, at + 2))) {
    return link && { start: at, end: link.parent.end };
  }
  const starting = here.filter(({ node }) => node.start === at);
  const member = starting.find(
    ({ parent, key }) => Array.isArray(childOf(parent, key)) && parent.type !== 'TemplateLiteral',
  );
  const operand = starting.findLast(({ parent }) => parent.type === 'LogicalExpression');
  if (isReplaced) {
    const holder = starting.find(
      ({ node }) => node.type in REPLACED || declaratorOf(node) !== undefined,
    )?.node;
    const whole = declaratorOf(holder) ?? holder;
    const inner = whole && childOf(whole, REPLACED[whole.type] ?? '');
    return isNode(inner) ? inner : (member ?? operand ?? starting.at(0))?.node;
  }
  if (member !== undefined) {
    // Elements, properties and arguments go with their comma.
    const comma = /Statement|Declaration/.test(member.node.type)
      ? null
      : /^\s*,/.exec(source.slice(member.node.end));
    return { start: at, end: member.node.end + (comma?.[0].length ?? 0) };
  }
  if (operand === undefined) return undefined;
  const { left, right } = { left: childOf(operand.parent, 'left'), right: childOf(operand.parent, 'right') };
  if (!isNode(left) || !isNode(right)) return undefined;
  return operand.key === 'left' ? { start: at, end: right.start } : { start: left.end, end: right.end };
}

/** The nodes that contain a position, from the outermost inwards. */
function nodesAround(parent: Node, at: number): readonly Placed[] {
  for (const [key, value] of Object.entries(parent)) {
    for (const node of Array.isArray(value) ? value : [value]) {
      if (isNode(node) && node.start <= at && at < node.end)
        return [{ node, parent, key }, ...nodesAround(node, at)];
    }
  }
  return [];
}

function declaratorOf(node: Node | undefined): Node | undefined {
  if (node === undefined) return undefined;
  const declaration = node.type === 'ExportNamedDeclaration' ? childOf(node, 'declaration') : node;
  const [only] =
    isNode(declaration) && declaration.type === 'VariableDeclaration'
      ? listIn(declaration, 'declarations')
      : [];
  return only;
}

const objectEnd = (node: Node): number => {
  const object = childOf(node, 'object');
  return isNode(object) ? object.end : Number.POSITIVE_INFINITY;
};

const childOf = (node: Node, key: string): unknown =>
  Object.entries(node).find(([name]) => name === key)?.[1];

const listIn = (node: Node, key: string): readonly Node[] => {
  const list = childOf(node, key);
  return Array.isArray(list) ? list.filter(isNode) : [];
};

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;

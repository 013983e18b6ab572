import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { notUnderstood } from './price-figures.ts';

/** An element; plain text if it has no elements and attributes. Attributes and elements share one set of names. */
export type XmlNode = string | readonly XmlNode[] | { readonly [name: string]: XmlNode };

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  ignoreDeclaration: true,
});

/** Reads XML without entities and without a document type. Throws an `HttpFailure` of kind `answer_invalid`. */
export function readXml(text: string, source: string): XmlNode {
  if (/<!DOCTYPE/i.test(text)) throw notUnderstood(source, 'it has a document type, as a web page has');
  // The parser alone would accept a truncated document.
  if (XMLValidator.validate(text) !== true) throw notUnderstood(source, 'it is not well-formed XML');
  try {
    return parser.parse(text);
  } catch {
    throw notUnderstood(source, 'it is not XML that can be read');
  }
}

/** The elements of this name below a node: none, one or several. */
export function childrenOf(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  if (node === undefined || typeof node === 'string' || isList(node) || !Object.hasOwn(node, name)) return [];
  const child = node[name];
  if (child === undefined) return [];
  return isList(child) ? child : [child];
}

/** The first element of this name. */
export function childOf(node: XmlNode | undefined, name: string): XmlNode | undefined {
  return childrenOf(node, name)[0];
}

/** The text of the first element or attribute of this name, without space around it. */
export function textOf(node: XmlNode | undefined, name: string): string | undefined {
  const child = childOf(node, name);
  // An element with attributes has its text beside them.
  const text = typeof child === 'object' && !isList(child) ? child['#text'] : child;
  return typeof text === 'string' ? text.trim() : undefined;
}

function isList(node: XmlNode): node is readonly XmlNode[] {
  return Array.isArray(node);
}

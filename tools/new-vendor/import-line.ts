/** An import of the file that is written; as text at the start of a line it would be taken for one of the file that writes. */
export const from = (what: string, where: string): string => `import ${what} from '${where}';`;

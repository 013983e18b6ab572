/** A vendor as a caller wrote it, as it is called here: slugs are in lower case, names often are not. */
export const vendorSlug = (written: string): string => written.toLowerCase();

/** Drawings are defined once per page and used by name. */

/** The same drawing has the same name in all pictures of a page, another one has another. */
export const glyphId = (name: string, markup: string): string => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < markup.length; at++) {
    hash = Math.imul(hash ^ markup.charCodeAt(at), 0x01000193) >>> 0;
  }
  return `${name.replace(/\W/g, "-")}-${hash.toString(16)}`;
};
